"""Secrets reach no model: whole runs in which all four agents ask an endpoint that keeps what it is sent."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from assay.orchestrator.v1 import diagnosis_pb2, diagnosis_pb2_grpc

from tests.fakes import canaries
from tests.fakes.command_line import asked
from tests.fakes.model_endpoint import ModelEndpoint, scripted
from tests.fakes.model_endpoint.replies import answer
from tests.fakes.model_endpoint.server import Asked, Reply
from tests.fakes.planted_secrets import Planted, nowhere
from tests.fakes.secrets import NoRedaction, drawn, secrets
from tests.fakes.sensible_model import agent_of, said
from tests.fuzz.servers import servers

AGENTS = ("planner", "executor", "verifier", "composer")
SERVICES = (*AGENTS, "gatekeeper", "orchestrator")
# One more than the sensible model asks for: whatever the bundle holds is read.
READ = {
    "kubernetes_objects": ("pods.json",),
    "logs_search": ("logs/cart.log", "logs/stock.log"),
    "alerts_list": ("alerts.json",),
    "change_events_list": ("events.json",),
    "logs_templates": ("logs/cart.log", "logs/stock.log"),
}


def reading_everything(asked: Asked) -> Reply:
    """Plan to read all that there is, and claim what can be cited; else answer sensibly."""
    value = said(agent_of(asked), asked)
    if agent_of(asked) == "Step":
        value["claims"] = [claim for claim in value["claims"] if "[redacted:" not in claim["statement"]]
    if agent_of(asked) != "Plan":
        return answer(value)
    steps = [
        {"goal": "read it", "tool": tool, "args": json.dumps({"source": source}), "gap": ""}
        for tool, sources in READ.items()
        for source in sources
    ]
    return answer({"steps": [*steps, *value["steps"]]})


def question(password: str) -> str:
    return f"Why does cart fail since the login with password={password}?"


def sent(endpoint: ModelEndpoint) -> dict[str, bytes]:
    """Return every request as it came, without the header that carries the key."""
    found = {}
    for number, request in enumerate(endpoint.requests):
        headers = {name: value for name, value in request.headers.items() if name != "authorization"}
        found[f"request-{number}"] = f"{request.path}{headers}".encode() + request.body
    return found


def settings_file(folder: Path, endpoint: ModelEndpoint, planted: Planted, keys: Mapping[str, str]) -> Path:
    """Write the settings of all: one key for most agents, one for the verifier alone."""
    tables = "".join(
        f"[{name}]\nredact_patterns = ['{planted.custom}']\n" for name in ("model", "orchestrator")
    )
    own = (
        f"reasoner = 'openai'\nbase_url = '{endpoint.base_url}'\nname = 'scripted'\n"
        f"api_key = '{keys['shared']}'\n"
    )
    path = folder / "assay.toml"
    verifier = f"[verifier]\nmodel_api_key = '{keys['verifier']}'\n"
    path.write_text(tables.replace("[model]\n", f"[model]\n{own}") + verifier)
    return path


async def test_no_secret_reaches_the_endpoint_the_disk_or_a_stream(tmp_path: Path) -> None:
    planted, home = Planted(tmp_path / "bundle"), tmp_path / "home"
    keys = {name: f"key-{drawn('abcdefghij0123456789', 24)}" for name in ("shared", "verifier")}
    others = {name: secrets()["openai"] for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY")}
    others["AWS_SECRET_ACCESS_KEY"] = secrets()["aws-secret"]
    password = secrets()["password"]
    async with scripted(reading_everything) as endpoint:
        config = settings_file(tmp_path, endpoint, planted, keys)
        variables = {f"ASSAY_{name.upper()}_LOG_LEVEL": "debug" for name in SERVICES}
        variables |= {"ASSAY_CONFIG": str(config), **others}
        bundle = str(planted.bundle)
        ended = await asked(home, "diagnose", question(password), "--bundle", bundle, "--json", **variables)
        shown = await asked(home, "show", "latest", **variables)
        settings = await asked(home, "config", "show", **variables)
    places = {path.name: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert {"assay.sqlite3", *(f"{name}.log" for name in SERVICES)} <= places.keys()
    for name, command in {"diagnose": ended, "show": shown, "config": settings}.items():
        places |= {f"{name}-out": command.stdout.encode(), f"{name}-err": command.stderr.encode()}
    stored = {name: b"\n".join(rows) for name, rows in canaries.tables(home / "assay.sqlite3").items()}
    secret = {**planted.texts, **keys, **others, "asked": password}
    assert nowhere({**sent(endpoint), **places, **stored}, secret)
    # Each agent asked, with its own key; what it was shown had held secrets.
    usage = json.loads(ended.stdout)["usage"]["agents"]
    assert {agent["agent"]: agent["reasoner"] for agent in usage} == dict.fromkeys(AGENTS, "openai")
    for request in endpoint.completions:
        own = keys["verifier" if agent_of(request) == "Judgement" else "shared"]
        assert request.headers["authorization"] == f"Bearer {own}"
    showing = [request for request in endpoint.completions if b"[redacted:" in request.body]
    assert {agent_of(request) for request in showing} >= {"Plan", "Step"}


@pytest.mark.parametrize("is_on", [True, False])
async def test_without_redaction_they_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_on: bool
) -> None:
    """The control: the same run in this process, put together with redactors that find nothing."""
    if not is_on:
        for module in ("services.common.llm.parts", "services.executor.__main__", "orchestrator.composition"):
            monkeypatch.setattr(f"{module}.Redactor", NoRedaction)
    planted, password = Planted(tmp_path / "bundles" / "planted"), secrets()["password"]
    async with scripted(reading_everything) as endpoint:

        def extra(service: str) -> Mapping[str, Any]:
            patterns = {"redact_patterns": [planted.custom]}
            if service not in AGENTS:
                return patterns if service == "orchestrator" else {}
            model = {"reasoner": "openai", "model_base_url": endpoint.base_url, "model_name": "m"}
            return {**patterns, **model}

        async with servers(tmp_path, extra) as running:
            stub = diagnosis_pb2_grpc.DiagnosisServiceStub(running.channels["orchestrator"])
            request = diagnosis_pb2.DiagnoseRequest(question=question(password))
            request.scope.bundle = "planted"
            async for _ in stub.Diagnose(request, timeout=60):
                pass
        found = canaries.where(
            {"sent": list(sent(endpoint).values()), "stored": (tmp_path / "runs.db").read_bytes()},
            {**planted.texts, "asked": password},
        )
    leaked = {
        place: {name for name, places in found.items() if place in places} for place in ("sent", "stored")
    }
    if is_on:
        assert leaked == {"sent": set(), "stored": set()}
    else:
        assert leaked["sent"] >= {"asked", "named-password", "named-github", "named-uuid"}
        assert leaked["stored"] >= {"asked", "named-password", "custom", "key-0"}
