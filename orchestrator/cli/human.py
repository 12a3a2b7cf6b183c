"""A run as text for the person who is on call."""

from collections.abc import Iterator, Sequence

from assay.common.v1 import answer_pb2, evidence_pb2
from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.layout import Layout
from orchestrator.cli.looked_at import looked_at
from services.common.evidence.names import short_name

_VERDICTS = {
    evidence_pb2.VERDICT_PASS: "the recorded evidence carries this answer",
    evidence_pb2.VERDICT_LOW_CONFID: "the recorded evidence does not carry a firm answer",
    evidence_pb2.VERDICT_REJECT: "the recorded evidence cannot support a reliable conclusion",
}
_ENDS = {
    run_pb2.RUN_STATUS_RUNNING: "this run has not ended",
    run_pb2.RUN_STATUS_DEGRADED: "a step failed; below is only what can still be said",
    run_pb2.RUN_STATUS_FAILED: "the run failed; there is no answer",
    run_pb2.RUN_STATUS_CANCELLED: "the run was cancelled or ran out of time; there is no answer",
}
_UNANSWERED = (run_pb2.RUN_STATUS_RUNNING, run_pb2.RUN_STATUS_FAILED, run_pb2.RUN_STATUS_CANCELLED)
_MAX_PLACES = 3


def render(run: run_pb2.Run, layout: Layout) -> str:
    """Return the answer of a run as lines of text, none wider than the layout."""
    answer = run.answer
    claims = {claim.claim.claim_id: claim for claim in run.claims}
    sections = [
        _verdict(run, layout),
        _summary(answer, layout),
        layout.section("Suspects", list(_suspects(run.suspects, layout))),
        layout.section("Confirmed", list(_facts(answer.confirmed, claims, layout))),
        layout.section("Possible directions", list(_facts(answer.possible_directions, claims, layout))),
        layout.section("Not known", list(_points(answer.evidence_gaps, layout))),
        layout.section("Check next", list(_points(answer.next_checks, layout))),
        layout.section("Looked at", looked_at(run.checked, layout)),
        _footer(run, layout),
    ]
    return "\n".join(line for section in sections for line in section) + "\n"


def _verdict(run: run_pb2.Run, layout: Layout) -> list[str]:
    if run.status in _UNANSWERED:
        # What was judged before the end of such a run is no verdict on an answer: there is none.
        status = short_name(run_pb2.RunStatus.DESCRIPTOR, run.status)
        return [layout.heading(status), *layout.paragraph(f"{_ENDS[run.status]}{_blame(run)}.", indent=2)]
    name = short_name(evidence_pb2.Verdict.DESCRIPTOR, run.effective_verdict)
    meaning = _VERDICTS.get(run.effective_verdict, "no verification was completed")
    lines = [layout.heading(name or "NO VERDICT"), *layout.paragraph(f"{meaning}.", indent=2)]
    if run.status in _ENDS:
        status = short_name(run_pb2.RunStatus.DESCRIPTOR, run.status)
        lines += layout.paragraph(f"{status}: {_ENDS[run.status]}{_blame(run)}.", indent=2)
    return lines


def _blame(run: run_pb2.Run) -> str:
    parts = [part for part in (run.failure.node, run.failure.status, run.failure.reason_code) if part]
    return f" ({', '.join(parts)})" if parts else ""


def _summary(answer: answer_pb2.Answer, layout: Layout) -> list[str]:
    text = " ".join(sentence.text for sentence in answer.summary)
    return ["", *layout.paragraph(text)] if text else []


def _suspects(suspects: Sequence[answer_pb2.Suspect], layout: Layout) -> Iterator[str]:
    for position, suspect in enumerate(suspects, start=1):
        details = ", ".join(part for part in (suspect.kind, suspect.fault) if part)
        text = f"{suspect.component} ({details})" if details else suspect.component
        yield from layout.hanging(f"  {position}. ", text)


def _facts(
    sentences: Sequence[answer_pb2.Sentence], claims: dict[str, answer_pb2.AllowedClaim], layout: Layout
) -> Iterator[str]:
    for sentence in sentences:
        yield from layout.hanging("  - ", sentence.text)
        cited = [claims[claim_id] for claim_id in sentence.claim_ids if claim_id in claims]
        if places := _places(cited):
            yield from layout.paragraph(places, indent=6)


def _places(claims: Sequence[answer_pb2.AllowedClaim]) -> str:
    """Return where the material of some claims stands, as `file:line`, each place once.

    Places with a line come first: what was counted over a whole file has none.
    """
    first = [item.evidence.places[0] for claim in claims for item in claim.evidence if item.evidence.places]
    shown = dict.fromkeys(_place(place) for place in sorted(first, key=lambda place: not place.first_line))
    more = f" (and {len(shown) - _MAX_PLACES} more)" if len(shown) > _MAX_PLACES else ""
    return ", ".join(list(shown)[:_MAX_PLACES]) + more


def _place(place: evidence_pb2.Place) -> str:
    return f"{place.source}:{place.first_line}" if place.first_line else place.source


def _points(sentences: Sequence[answer_pb2.Sentence], layout: Layout) -> Iterator[str]:
    for sentence in sentences:
        yield from layout.hanging("  - ", sentence.text)


def _footer(run: run_pb2.Run, layout: Layout) -> list[str]:
    window = run.context.window
    start = window.start.ToJsonString() if window.HasField("start") else "the beginning"
    end = window.end.ToJsonString() if window.HasField("end") else "the end"
    lines = layout.paragraph(f"Window: {start} to {end}") if run.context.HasField("window") else []
    more = f"Run: {run.run_id}. Every citation, the path and the checks: assay show {run.run_id} --json"
    return ["", *lines, *layout.paragraph(more)]
