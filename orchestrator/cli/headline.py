"""What stands above an answer: the question as it was understood, and the verdict in words.

The contract's own word (PASS, LOW_CONFID, REJECT) stands in brackets: alone, the PASS of an outage would read
as "healthy".
"""

from typing import Final

from assay.common.v1 import context_pb2, evidence_pb2, tool_pb2
from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.layout import Layout
from services.common.evidence.names import short_name
from services.common.evidence.redacted import holds_marker
from services.common.evidence.template_slots import UNREACHED

_MAX_QUESTION: Final = 300
_ASKED: Final = {
    context_pb2.INTENT_CAUSE: "a cause",
    context_pb2.INTENT_LOOKUP: "a fact (lookup)",
}
_TAKEN_OUT: Final = "(what looked like a secret was taken out of the question before it was stored)"
_WITHOUT_ANSWER: Final = {
    run_pb2.RUN_STATUS_RUNNING: "this run has not ended",
    run_pb2.RUN_STATUS_FAILED: "the run failed; there is no answer",
    run_pb2.RUN_STATUS_CANCELLED: "the run was cancelled or ran out of time; there is no answer",
}


def question(run: run_pb2.Run, layout: Layout) -> list[str]:
    """Return what was asked, cut where it is too long to be read, and what kind of answer that asks for."""
    asked = run.context.question
    shown = asked if len(asked) <= _MAX_QUESTION else f"{asked[:_MAX_QUESTION]} […]"
    lines = layout.hanging("Question:  ", shown) if asked else []
    if holds_marker(asked):
        lines += layout.hanging("           ", _TAKEN_OUT)
    if intent := _ASKED.get(run.context.intent):
        lines += layout.hanging("Asked for: ", intent)
    return lines


def verdict(run: run_pb2.Run, layout: Layout) -> list[str]:
    """Return the headline, and below it what of the run itself the reader must know."""
    if run.status in _WITHOUT_ANSWER:
        # What was judged before the end of such a run is no verdict on an answer: there is none.
        head = short_name(run_pb2.RunStatus.DESCRIPTOR, run.status)
        notes = [f"{_WITHOUT_ANSWER[run.status]}{_blame(run)}."]
    else:
        word = short_name(evidence_pb2.Verdict.DESCRIPTOR, run.effective_verdict) or "no verdict"
        head = f"{_meaning(run)} ({word})"
        notes = [*_stopped(run), *_unread(run)]
    return [layout.heading(head), *(line for note in notes for line in layout.paragraph(note, indent=2))]


def _meaning(run: run_pb2.Run) -> str:
    if run.effective_verdict == evidence_pb2.VERDICT_REJECT:
        return "EVIDENCE UNRELIABLE"
    if run.HasField("failure") and not _nothing_citable(run):
        return "INCOMPLETE"
    proven = run.effective_verdict == evidence_pb2.VERDICT_PASS
    if not proven and run.effective_verdict != evidence_pb2.VERDICT_LOW_CONFID and not _nothing_citable(run):
        return "INCOMPLETE"
    if run.context.intent == context_pb2.INTENT_LOOKUP:
        return "ANSWERED" if proven else "NOT ANSWERED"
    return _about_a_cause(run, proven=proven)


def _about_a_cause(run: run_pb2.Run, *, proven: bool) -> str:
    if proven:
        return "CAUSE SUPPORTED" if run.suspects else "CAUSE SUPPORTED, NO SUSPECT NAMED"
    has_cause = any(item.claim.claim_type == evidence_pb2.CLAIM_TYPE_CAUSE for item in run.claims)
    return "POSSIBLE CAUSE, NOT PROVEN" if has_cause else "NO CAUSE FOUND"


def _nothing_citable(run: run_pb2.Run) -> bool:
    """Tell whether the run ended early because nothing could be cited: that is no failure of a step."""
    return (run.failure.node, run.failure.status) == ("gatekeeper", "LOW_CONFID")


def _stopped(run: run_pb2.Run) -> list[str]:
    if not run.HasField("failure"):
        return []
    if _nothing_citable(run):
        return ["Nothing that was read supports a statement."]
    return [f"A step failed{_blame(run)}; below is only what can still be said."]


def _blame(run: run_pb2.Run) -> str:
    parts = [part for part in (run.failure.node, run.failure.status, run.failure.reason_code) if part]
    return f" ({', '.join(parts)})" if parts else ""


def _unread(run: run_pb2.Run) -> list[str]:
    """Return the warning that not everything was read; each source and its reason stand further below."""
    # A fact needs the sources that hold it; the others are left unread on purpose.
    needless = UNREACHED if run.context.intent == context_pb2.INTENT_LOOKUP else ""
    failed = any(
        row.status != tool_pb2.INVOCATION_STATUS_OK and row.reason != needless for row in run.checked
    )
    return ['Some sources were missing, failed or were not read: see "Looked at".'] if failed else []
