"""The two recorded incidents, through the real tools. The answer keys are read here only."""

import json
from functools import cache
from pathlib import Path

import pytest
from assay.common.v1 import context_pb2

from services.common.evidence import places, pointer
from services.common.evidence.document import parse, serialize
from services.executor.analyst.analyst import Analyst
from services.executor.recorded import RecordedCall
from tests.fakes.bindings import problems
from tests.fakes.investigation import Investigation, investigate

FAULTY = "pg-connection-exhaustion"
HEALTHY = "healthy-false-alarm"


@cache
def recorded(folder: Path, without: frozenset[str] = frozenset()) -> Investigation:
    question = (folder / "question.txt").read_text(encoding="utf-8").strip()
    return investigate(folder, question, without)


def statements(found: Investigation) -> str:
    return "\n".join(claim.statement for claim in found.evidence.claims)


@pytest.mark.parametrize("name", [FAULTY, HEALTHY])
def test_every_binding_stands_and_every_fact_is_held(project: Path, name: str) -> None:
    found = recorded(project / "examples/incidents" / name / "bundle")

    assert problems(found.evidence, found.calls) == []
    assert parse(serialize(found.evidence)) == found.evidence


@pytest.mark.parametrize("name", [FAULTY, HEALTHY])
def test_raw_bindings_stand_in_the_files_at_their_lines(project: Path, name: str) -> None:
    folder = project / "examples/incidents" / name / "bundle"
    found = recorded(folder)
    calls = {call.invocation_id: call for call in found.calls}
    checked = 0
    for claim in found.evidence.claims:
        for binding in claim.evidence_bindings:
            if binding.tool_name != "logs_search":
                continue
            place = places.places(
                calls[binding.source_invocation_id].document, pointer.tokens(binding.raw_path)
            )[0]
            text = (folder / place.source).read_text(encoding="utf-8").splitlines()
            assert binding.matched_text in text[place.first_line - 1]
            checked += 1
    assert checked >= (1 if name == FAULTY else 0)


def test_the_exhausted_database_is_blamed_on_who_used_it_up(project: Path, shared: Path) -> None:
    truth = json.loads((shared / "incidents" / FAULTY / "truth.json").read_text(encoding="utf-8"))
    found = recorded(project / "examples/incidents" / FAULTY / "bundle")

    assert found.suspects == [(truth["root_cause_service"], "config.changed", "confirmed")]
    assert "sorry, too many clients already" in statements(found)
    assert found.of_type("cause")[0].critical
    assert any(claim.critical for claim in found.of_type("symptom"))


def test_relayed_refusals_and_edge_answers_are_impact(project: Path) -> None:
    found = recorded(project / "examples/incidents" / FAULTY / "bundle")

    assert {claim.component for claim in found.of_type("impact")} == {"checkout", "inventory", "nginx"}
    assert len(found.of_type("impact")) + len(found.of_type("symptom")) <= 12


def test_without_the_change_event_the_log_line_or_the_limit_still_names_the_user(project: Path) -> None:
    found = recorded(project / "examples/incidents" / FAULTY / "bundle", frozenset({"events.json"}))

    assert problems(found.evidence, found.calls) == []
    assert [component for component, _, _ in found.suspects] == ["checkout"]


def test_the_false_alarm_has_no_cause_and_says_what_was_normal(project: Path) -> None:
    found = recorded(project / "examples/incidents" / HEALTHY / "bundle")

    assert found.suspects == []
    text = statements(found)
    assert "20 requests in logs/nginx-access.log took longer than one second" in text
    assert "was back in its usual range" in text
    assert "0 of 486 in logs/checkout.log" in text
    assert found.evidence.evidence_gaps != []


def test_what_is_wrong_does_not_answer_a_lookup(project: Path) -> None:
    found = recorded(project / "examples/incidents" / FAULTY / "bundle")
    context = context_pb2.DiagnosisContext(question="How many pods run?", intent=context_pb2.INTENT_LOOKUP)

    evidence = Analyst().conclude(context, found.calls, [])

    assert evidence.claims
    assert not [claim for claim in evidence.claims if claim.critical or claim.claim_type == "cause"]


@pytest.mark.parametrize("name", [FAULTY, HEALTHY])
def test_the_analyst_repeats_itself(project: Path, name: str) -> None:
    folder = project / "examples/incidents" / name / "bundle"
    found = recorded(folder)
    context = context_pb2.DiagnosisContext(
        question=(folder / "question.txt").read_text(encoding="utf-8").strip(),
        intent=context_pb2.INTENT_CAUSE,
    )
    calls: list[RecordedCall] = found.calls

    assert Analyst().conclude(context, calls, []) == found.evidence
    assert Analyst().follow_up(context, calls) == []
