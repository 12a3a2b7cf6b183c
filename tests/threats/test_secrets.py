"""Secrets in logs, events, objects, arguments, questions, settings and the environment go nowhere."""

import json
from pathlib import Path

from assay.common.v1 import context_pb2, tool_pb2
from assay.executor.v1 import executor_pb2, executor_pb2_grpc

from services.common.evidence.redacted import holds_marker
from services.common.redaction.redactor import Redactor
from services.common.rpc.channels import open_channel
from services.common.rpc.service import serving
from services.executor.__main__ import compose
from services.executor.reasoner import OfflineReasoner
from services.executor.settings import ExecutorSettings
from services.executor.tools.registry import tools
from tests.fakes import canaries
from tests.fakes.command_line import assay
from tests.fakes.planted_secrets import Planted, nowhere
from tests.fakes.secrets import NoRedaction, secrets

SERVICES = ("ORCHESTRATOR", "PLANNER", "EXECUTOR", "GATEKEEPER", "VERIFIER", "COMPOSER")
SEARCH = b'{"source":"logs/cart.log","limit":1000}'


def test_a_whole_diagnosis_keeps_no_secret(tmp_path: Path) -> None:
    planted, home = Planted(tmp_path / "bundle"), tmp_path / "home"
    asked, in_environment = secrets()["password"], secrets()["aws-secret"]
    settings = tmp_path / "assay.toml"
    tables = "".join(
        f"[{name}]\nredact_patterns = ['{planted.custom}']\n" for name in ("executor", "orchestrator")
    )
    settings.write_text(tables)
    variables = {f"ASSAY_{name}_LOG_LEVEL": "debug" for name in SERVICES}
    variables |= {"ASSAY_CONFIG": str(settings), "AWS_SECRET_ACCESS_KEY": in_environment}
    question = f"Why does cart fail since the login with password={asked}?"
    ended = assay(home, "diagnose", question, "--bundle", str(planted.bundle), "--json", **variables)
    answer = json.loads(ended.stdout)
    assert holds_marker(answer["question"])
    later = (("show", answer["run_id"]), ("trace", answer["run_id"], "--json"), ("config", "show"))
    told = [ended, *(assay(home, *arguments, **variables) for arguments in later)]
    for binding in [binding for claim in answer["claims"] for binding in claim["evidence_bindings"]]:
        assert not holds_marker(binding["matched_text"])
    places = {path.name: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert {"assay.sqlite3", "executor.log"} <= places.keys()
    places |= {f"stdout-{number}": each.stdout.encode() for number, each in enumerate(told)}
    places |= {f"stderr-{number}": each.stderr.encode() for number, each in enumerate(told)}
    tables_of = canaries.tables(home / "assay.sqlite3")
    places |= {name: b"\n".join(values) for name, values in tables_of.items()}
    assert nowhere(places, {**planted.texts, "asked": asked, "environment": in_environment})
    # The control: the calls that read them are there, and say what was taken out.
    assert b"[redacted:" in places["tool_invocation"]
    assert "(what looked like a secret was taken out" in told[1].stdout


async def executed(planted: Planted, redactor: Redactor) -> list[tool_pb2.Invocation]:
    """Return what an executor records of a plan that reads everything, and of calls that fail."""
    plan = [
        ("logs_search", SEARCH),
        ("logs_search", b'{"source":"logs/stock.log","limit":1000}'),
        ("logs_templates", b'{"source":"logs/cart.log","split":"2027-01-15T08:05:00Z"}'),
        ("change_events_list", b'{"source":"events.json"}'),
        ("alerts_list", b'{"source":"alerts.json"}'),
        ("kubernetes_objects", b'{"source":"pods.json"}'),
        # Arguments, the reason of a refusal and that of a failure.
        (
            "logs_search",
            json.dumps({"source": "logs/cart.log", "contains": [planted.logged["github"]]}).encode(),
        ),
        ("logs_search", json.dumps({"source": planted.logged["gitlab"]}).encode()),
        (planted.logged["slack"], b"{}"),
    ]
    steps = [tool_pb2.PlanStep(tool_name=name, arguments_json=arguments) for name, arguments in plan]
    root = planted.bundle.parent
    settings = ExecutorSettings(bundle_root=root, workers=1)
    request = executor_pb2.ExecuteRequest(
        context=context_pb2.DiagnosisContext(
            question="why?",
            intent=context_pb2.INTENT_CAUSE,
            scope=context_pb2.Scope(bundle=planted.bundle.name),
        ),
        steps=steps,
    )
    service = compose(settings, tools(settings.max_output_bytes, 60), redactor, OfflineReasoner())
    async with serving(settings, service) as address, open_channel(address, 1 << 25) as channel:
        stream = executor_pb2_grpc.ExecutorServiceStub(channel).Execute(request, timeout=60)
        return [message.invocation async for message in stream if message.HasField("invocation")][: len(plan)]


async def test_no_call_records_a_secret_and_each_says_how_many_it_held(tmp_path: Path) -> None:
    planted = Planted(tmp_path / "bundle")
    calls = await executed(planted, Redactor([planted.custom]))
    assert nowhere({f"{n}": call.SerializeToString() for n, call in enumerate(calls)}, planted.texts)
    assert all(call.redactions for call in calls[:7])
    assert calls[6].arguments_json == b'{"source":"logs/cart.log","contains":["[redacted:github-token]"]}'
    assert b"[redacted:gitlab-token]" in calls[7].output
    assert calls[8].tool_name == "[redacted:slack-token]"


async def test_without_the_hook_every_secret_is_recorded(tmp_path: Path) -> None:
    """The control of both tests above: the same calls, with a redactor that finds nothing."""
    planted = Planted(tmp_path / "bundle")
    calls = await executed(planted, NoRedaction())
    everything = {"calls": [call.SerializeToString() for call in calls]}
    kept = {name for name, places in canaries.where(everything, planted.texts).items() if places}
    assert kept == planted.texts.keys()
