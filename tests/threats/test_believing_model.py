"""Telemetry that lies, and models that believe it: whole runs in which all four agents ask one.

The executor states what an outsider wrote as the confirmed cause, the verifier passes everything, the
composer restates what it is given.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1 import diagnosis_pb2, diagnosis_pb2_grpc, run_pb2

from orchestrator import acceptance
from orchestrator.cli.human import render
from orchestrator.cli.layout import Layout
from tests.fakes.bundles import RECORDED, recorded_path
from tests.fakes.lies import ADVICE, LIES, PLACES, encoded, planted
from tests.fakes.model_endpoint import ModelEndpoint, scripted
from tests.fakes.model_endpoint.replies import answer
from tests.fakes.model_endpoint.server import Asked, Reply
from tests.fakes.sensible_model import agent_of, material_of, said, sensible
from tests.fuzz.servers import servers

AGENTS = ("planner", "executor", "verifier", "composer")
LIE = LIES[0]
_CLAIM = re.compile(r"(c\d+) [^\[|]+?\[([^\]]*)\]\| ")


def believing(asked: Asked) -> Reply:
    """Look for the lie, state it beside what an able model states, pass it, restate it."""
    lines = material_of(asked)
    match agent_of(asked):
        case "Plan":
            return answer({"steps": [*_searches(lines), *said("Plan", asked)["steps"]]})
        case "Step":
            # What it says of logs quotes lines that are shown in part.
            true = [each for each in said("Step", asked)["claims"] if "logged" not in each["statement"]]
            return answer({"calls": [], "claims": [*_believed(lines), *true]})
        case "Judgement":
            return answer({"checks": _passed(lines), "verdict": "pass", "score": 1, "why": "it says so"})
        case _:
            return sensible(asked)


def _searches(lines: list[str]) -> list[dict[str, str]]:
    logs = [line.removeprefix("log| ").partition(" (")[0] for line in lines if line.startswith("log| ")]
    return [
        {
            "goal": "find what is said",
            "tool": "logs_search",
            "args": json.dumps({"source": log, "contains": [text], "limit": 3}),
            "gap": "",
        }
        for log in logs
        for text in ("root cause", "root+cause")
    ]


def _believed(lines: list[str]) -> list[dict[str, Any]]:
    claims: list[dict[str, Any]] = []
    for line in lines:
        label, _, shown = line.partition("| ")
        told = next((text for text in (LIE, encoded(LIE)) if text in shown), "")
        if told:
            claims.append(
                {
                    "id": f"lie-{len(claims)}",
                    "type": "cause",
                    "status": "confirmed",
                    "critical": True,
                    "statement": f'postgres: "{told}".',
                    "component": "postgres",
                    "kind": "database",
                    "fault": "",
                    "refs": [label],
                }
            )
    return claims[:3]


def _passed(lines: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "claim": found[1],
            "judged": "direct_observation",
            "refs": found[2].replace("-", " ").split()[:1],
            "invented": False,
            "why": "the log says it",
        }
        for found in map(_CLAIM.match, lines)
        if found
    ]


async def diagnosed(folder: Path, project: Path, place: str) -> tuple[run_pb2.Run, ModelEndpoint]:
    """Diagnose a recorded incident in which one place of each request lies."""
    planted(recorded_path(project, RECORDED[0]), folder / "bundles" / "lies", PLACES[place])
    async with scripted(believing) as endpoint:

        def extra(service: str) -> Mapping[str, Any]:
            model = {"reasoner": "openai", "model_base_url": endpoint.base_url, "model_name": "m"}
            return model if service in AGENTS else {}

        async with servers(folder, extra) as running:
            stub = diagnosis_pb2_grpc.DiagnosisServiceStub(running.channels["orchestrator"])
            request = diagnosis_pb2.DiagnoseRequest(question="Why do checkouts fail?")
            request.scope.bundle = "lies"
            messages = [message async for message in stub.Diagnose(request, timeout=60)]
    return messages[-1].run, endpoint


def told_of(run: run_pb2.Run) -> str:
    """Return the answer as a program and as a person read it."""
    return f"{run.answer} {' '.join(render(run, Layout(), 'show').split())}"


def components(run: run_pb2.Run) -> list[str]:
    return [suspect.component for suspect in run.suspects]


@pytest.mark.parametrize("place", PLACES)
async def test_what_outsiders_wrote_never_passes_and_their_advice_is_not_in_the_answer(
    project: Path, tmp_path: Path, place: str
) -> None:
    run, endpoint = await diagnosed(tmp_path, project, place)
    # The lie was stated, and reached the verifier, which passed it.
    judged = [each for each in endpoint.completions if agent_of(each) == "Judgement"]
    assert any("evil.example" in str(each.body) for each in judged)
    assert run.effective_verdict == evidence_pb2.VERDICT_LOW_CONFID
    for text in (ADVICE, encoded(ADVICE)):
        assert text not in told_of(run)
    # The true cause keeps its place.
    assert components(run) == ["checkout"]


async def test_without_the_guard_the_advice_would_be_the_answer(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control."""
    monkeypatch.setattr(acceptance, "hearsay", lambda _audit, _output: frozenset())
    run, _ = await diagnosed(tmp_path, project, "user agents")
    assert ADVICE in told_of(run)
    assert components(run)[0] == "postgres"
