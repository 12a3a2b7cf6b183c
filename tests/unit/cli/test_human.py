"""The answer as text: everything a person needs, nothing that a stranger's text could do to a terminal."""

import io
from collections.abc import Callable

import pytest
from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1 import run_pb2
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.cli import human
from orchestrator.cli.layout import Layout, layout_for
from tests.fakes.runs import proven_run

_HOSTILE = "\x1b]0;owned\x07\x1b[2J\r[red]pay[/red]\u202e\U000e0041"


def render(run: run_pb2.Run, layout: Layout) -> str:
    """Return the text of a run; the reader would see it again with this command."""
    return human.render(run, layout, "bin/assay show run-1")


def test_shows_each_part_of_the_answer() -> None:
    run = proven_run()
    run.answer.confirmed.add(text="api answered 7 times.", claim_ids=["c1"])
    text = render(run, Layout())
    assert text.startswith("Question:  why?\nAsked for: a cause\n\nCAUSE SUPPORTED (PASS)\n")
    for part in (
        "\n\n  - It broke.\n      logs/api.log:7, metrics/a.json:3, metrics/b.json:9\n\n  It is proven.\n",
        "  1. api (service, config.changed): A configuration was changed",
        "  - api was reconfigured.\n      logs/api.log:7, metrics/a.json:3, metrics/b.json:9\n",
        "Not known\n  - No events.",
        "Check next\n  - Roll it back.",
        "Looked at\n  logs/api.log; 2 tool calls.\n",
        "  Failed: alerts_list alerts.json (ERROR: too large, narrow it)\n",
        "  Not read: change events (the bundle has none)\n",
        "Window: 2026-11-30T09:00:00Z to 2026-11-30T09:10:00Z",
        "\n  bin/assay show run-1 --json\n",
    ):
        assert part in text
    assert "Possible directions" not in text


def test_what_the_summary_says_is_not_said_again() -> None:
    run = proven_run()
    run.answer.summary[0].text = "api was reconfigured."
    text = render(run, Layout())
    assert text.count("api was reconfigured.") == 1
    assert "Confirmed" not in text


def test_fixed_sentences_about_a_claim_that_is_stated_have_no_citations_of_their_own() -> None:
    run = proven_run()
    run.answer.summary[1].claim_ids.append("c1")
    assert render(run, Layout()).count("logs/api.log:7") == 2
    del run.answer.summary[0]
    assert "  - It is proven.\n      logs/api.log:7" in render(run, Layout())


def test_what_was_not_read_is_said_once() -> None:
    run = proven_run()
    run.answer.summary.add(text="Not read: alerts.json.", template_id="checked.unread")
    run.answer.evidence_gaps.add(text="Not read: alerts.json.", template_id="gap.source", gap_ids=["gap-2"])
    text = render(run, Layout())
    assert text.count("alerts.json") == 1
    assert 'not read: see "Looked at"' in text


def _with_directions(verdict: "evidence_pb2.Verdict.ValueType") -> str:
    run = proven_run()
    run.effective_verdict = verdict
    other = run.claims.add()
    other.CopyFrom(run.claims[0])
    other.claim.claim_id = "c2"
    other.claim.status = evidence_pb2.CLAIM_STATUS_POSSIBLE
    run.answer.possible_directions.add(text="api did it.", claim_ids=["c1"])
    run.answer.possible_directions.add(text="db may have.", claim_ids=["c2"])
    return render(run, Layout())


def test_only_the_cause_that_a_pass_rests_on_is_called_concluded() -> None:
    concluded = "Cause (concluded, not stated outright)\n  - api did it.\n"
    possible = "Possible directions\n  - "
    passed = _with_directions(evidence_pb2.VERDICT_PASS)
    assert concluded in passed
    assert f"{possible}db may have." in passed
    low = _with_directions(evidence_pb2.VERDICT_LOW_CONFID)
    assert "concluded" not in low
    assert f"{possible}api did it." in low


def test_a_suspect_without_a_known_fault_stands_alone() -> None:
    run = proven_run()
    run.suspects[0].fault = "of.tomorrow"
    run.suspects.add(component="db")
    text = render(run, Layout())
    assert "  1. api (service, of.tomorrow)\n  2. db\n" in text


def _in_question(run: run_pb2.Run, text: str) -> None:
    run.context.question = text


def _in_summary(run: run_pb2.Run, text: str) -> None:
    run.answer.summary[0].text = text


def _in_fact(run: run_pb2.Run, text: str) -> None:
    run.answer.confirmed[0].text = text


def _in_place(run: run_pb2.Run, text: str) -> None:
    run.claims[0].evidence[0].evidence.places[0].source = text


def _in_suspect(run: run_pb2.Run, text: str) -> None:
    run.suspects[0].component = text


def _in_source(run: run_pb2.Run, text: str) -> None:
    run.checked[0].source = text


def _in_reason(run: run_pb2.Run, text: str) -> None:
    run.checked[2].reason = text


def _in_failure(run: run_pb2.Run, text: str) -> None:
    run.failure.reason_code = text


@pytest.mark.parametrize(
    "put", [_in_question, _in_summary, _in_fact, _in_place, _in_suspect, _in_source, _in_reason, _in_failure]
)
def test_hostile_text_reaches_no_terminal(put: Callable[[run_pb2.Run, str], None]) -> None:
    run = proven_run()
    put(run, _HOSTILE)
    text = render(run, Layout())
    assert text.replace("\n", "").isprintable()
    # Shown, not dropped: the reader sees that something odd stood there.
    assert "\\x1b" in text


@given(st.text(max_size=400), st.integers(min_value=40, max_value=100))
def test_no_line_is_wider_than_the_layout(text: str, width: int) -> None:
    run = proven_run()
    for put in (_in_question, _in_summary, _in_fact, _in_place, _in_suspect, _in_reason):
        put(run, text)
    assert max(map(len, render(run, Layout(width=width)).splitlines())) <= width


def test_a_command_is_never_broken_and_never_hostile() -> None:
    command = f"{'long/' * 40}assay show run-1 --target {_HOSTILE}"
    text = human.render(proven_run(), Layout(), command)
    assert text.replace("\n", "").isprintable()
    assert f"\n  {'long/' * 40}assay show run-1 --target " in text


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_layout_follows_the_stream() -> None:
    assert layout_for(io.StringIO(), 200, {}) == Layout(width=80, bold=False)
    assert layout_for(_Terminal(), 70, {}) == Layout(width=70, bold=True)
    assert layout_for(_Terminal(), 300, {}).width == 100
    assert layout_for(_Terminal(), 70, {"NO_COLOR": "1"}) == Layout(width=70, bold=False)
