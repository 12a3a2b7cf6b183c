"""Threat: text that hides.

Bidi, tag characters, ANSI, carriage return; `corpora/blns` (`tests/corpora/test_naughty_strings.py`).
Must happen: flagged by the gate; escape codes never reach a terminal or a page.
"""

from collections.abc import Mapping
from typing import Final

import pytest
from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1 import diagnosis_pb2, run_pb2

from orchestrator.cli import human, json_output, layout, progress
from orchestrator.cli.layout import Layout
from services.common.evidence import matching
from services.gatekeeper.domain import check
from tests.fakes.documents import a_binding, a_claim, a_document, encoded
from tests.fakes.gate import a_request
from tests.fakes.runs import proven_run

HIDDEN: Final[Mapping[str, str]] = {
    "an override of direction": "refused \u202edewolla\u202c by db",
    "an isolate": "refused \u2066by\u2069 db",
    "a mark of direction": "refused \u200fby db",
    "tag characters": "refused\U000e0069\U000e0067\U000e006e by db",
    "a variation selector": "refused\U000e0100 by db",
    "a colour": "refused \x1b[8mby\x1b[0m db",
    "a terminal's title": "refused \x1b]0;owned\x07 by db",
    "an eight-bit escape": "refused \x9b8mby db",
    "a carriage return": "refused by db\rall is well",
    "backspaces": "refused\x08\x08\x08\x08\x08\x08\x08allowed",
    "a zero byte": "refused\x00 by db",
}


def gate_result(text: str) -> evidence_pb2.GatekeeperResult:
    """Have the gate look at a citation of a text that stands literally in the output."""
    output = encoded({"source": "logs/a.log", "lines": [{"n": 1, "time": None, "text": text}]})
    claim = a_claim(evidence_bindings=[a_binding(matched_text=text)])
    return check(a_request(a_document(claim), outputs={"inv-1": output})).result


@pytest.mark.parametrize("name", HIDDEN)
def test_the_gate_refuses_a_citation_that_hides_something(name: str) -> None:
    result = gate_result(HIDDEN[name])
    assert result.status == evidence_pb2.GATE_RESULT_FAIL
    assert list(result.failed_rules) == ["evidence.matched_text"]


@pytest.mark.parametrize("name", HIDDEN)
def test_control_unseen_it_would_pass_for_it_stands_there(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(matching, "hides", lambda _: False)
    assert gate_result(HIDDEN[name]).status == evidence_pb2.GATE_RESULT_PASS


def shown(text: str) -> list[str]:
    """Return what a person sees of a run and of its progress in which strangers wrote a text everywhere."""
    run = proven_run()
    run.context.question = run.suspects[0].component = run.checked[1].reason = run.checked[1].source = text
    for sentence in (*run.answer.summary, *run.answer.confirmed, *run.answer.next_checks):
        sentence.text = text
    event = run_pb2.OrchestrationEvent(node=text, outcome="FAILED", reason_code=text)
    return [
        human.render(run, Layout(), "assay show x"),
        json_output.dumps(run, run_pb2.Trace()),
        progress.describe(diagnosis_pb2.DiagnoseResponse(event=event)),
    ]


@pytest.mark.parametrize("name", HIDDEN)
def test_what_is_shown_holds_no_character_that_hides(name: str) -> None:
    assert not any(map(matching.hides, shown(HIDDEN[name])))


@pytest.mark.parametrize("name", HIDDEN)
def test_control_unescaped_it_would_reach_the_terminal(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for module in (layout, progress):
        monkeypatch.setattr(module, "visible", str)
    text, _, line = shown(HIDDEN[name])
    assert matching.hides(line)
    # Wrapping takes some of them for blanks, but not those that command or reorder.
    assert matching.hides(text) or name == "a carriage return"
