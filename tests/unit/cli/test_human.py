"""The answer as text: everything a person needs, nothing that a stranger's text could do to a terminal."""

import io
from collections.abc import Callable

import pytest
from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1 import run_pb2
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.cli.human import render
from orchestrator.cli.layout import Layout, layout_for
from tests.fakes.runs import binding, proven_run

_HOSTILE = "\x1b]0;owned\x07\x1b[2J\r[red]pay[/red]\u202e\U000e0041"


def test_shows_each_part_of_the_answer() -> None:
    text = render(proven_run(), Layout())
    assert text.startswith("PASS\n")
    for part in (
        "It broke. It is proven.",
        "  1. api (service, config.changed)",
        "  - api was reconfigured.\n      logs/api.log:7, metrics/a.json:3\n",
        "Not known\n  - No events.",
        "Check next\n  - Roll it back.",
        "logs_search (1 call): logs/api.log",
        "alerts_list alerts.json ERROR: too large, narrow it",
        "not read: change_event: the bundle has none",
        "Window: 2026-11-30T09:00:00Z to 2026-11-30T09:10:00Z",
        "assay show run-1 --json",
    ):
        assert part in text
    assert "Possible directions" not in text


def test_many_places_are_counted_not_listed() -> None:
    run = proven_run()
    run.claims[0].evidence.extend(binding(("logs/api.log", line)) for line in range(20, 30))
    assert "logs/api.log:7, metrics/a.json:3, logs/api.log:20 (and 9 more)" in render(run, Layout())


def test_a_run_that_ended_early_says_where() -> None:
    run = run_pb2.Run(
        run_id="run-3",
        status=run_pb2.RUN_STATUS_DEGRADED,
        failure=run_pb2.Failure(node="verifier", status="FAILED", reason_code="unavailable"),
    )
    text = render(run, Layout())
    assert text.startswith("NO VERDICT\n")
    assert "DEGRADED: a step failed" in text
    assert "(verifier, FAILED, unavailable)" in " ".join(text.split())


@pytest.mark.parametrize("status", ["RUNNING", "FAILED", "CANCELLED"])
def test_a_run_without_an_answer_does_not_begin_with_a_verdict(status: str) -> None:
    run = run_pb2.Run(
        run_id="run-4",
        status=run_pb2.RunStatus.Value(f"RUN_STATUS_{status}"),
        effective_verdict=evidence_pb2.VERDICT_PASS,
        failure=run_pb2.Failure(reason_code="call_cancelled"),
    )
    text = render(run, Layout())
    assert text.startswith(f"{status}\n")
    assert "PASS" not in text
    assert "(call_cancelled)" in text


def test_each_verdict_has_its_own_first_lines() -> None:
    heads = set()
    for verdict in evidence_pb2.Verdict.values():
        run = proven_run()
        run.effective_verdict = verdict
        heads.add(render(run, Layout()).partition("\n\n")[0])
    assert len(heads) == len(evidence_pb2.Verdict.values())


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


def _in_run_id(run: run_pb2.Run, text: str) -> None:
    run.run_id = text


@pytest.mark.parametrize(
    "put", [_in_summary, _in_fact, _in_place, _in_suspect, _in_source, _in_reason, _in_run_id]
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
    for put in (_in_summary, _in_fact, _in_place, _in_suspect, _in_reason):
        put(run, text)
    assert max(map(len, render(run, Layout(width=width)).splitlines())) <= width


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_layout_follows_the_stream() -> None:
    assert layout_for(io.StringIO(), 200, {}) == Layout(width=80, bold=False)
    assert layout_for(_Terminal(), 70, {}) == Layout(width=70, bold=True)
    assert layout_for(_Terminal(), 300, {}).width == 100
    assert layout_for(_Terminal(), 70, {"NO_COLOR": "1"}) == Layout(width=70, bold=False)
