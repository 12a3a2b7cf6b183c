"""A run as text for the person who is on call."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from assay.common.v1 import answer_pb2, evidence_pb2
from assay.orchestrator.v1 import run_pb2

from orchestrator.cli import headline
from orchestrator.cli.citations import cited
from orchestrator.cli.layout import Layout
from orchestrator.cli.looked_at import looked_at
from orchestrator.cli.thought_by import thought_by
from services.common.evidence.faults import FAULTS
from services.common.evidence.names import rfc3339

_Claims = Mapping[str, answer_pb2.AllowedClaim]
_CONCLUDED: Final = "Cause (concluded, not stated outright)"
# Fixed sentences on what was read and what was not begin so: "Looked at" says it in full.
_SAID_BELOW: Final = ("checked.", "gap.source")


def render(run: run_pb2.Run, layout: Layout, show_command: str) -> str:
    """Return the answer of a run as lines of text, none wider than the layout but the command at the end.

    `show_command` is what the reader can type to see the run again. What to do stands before the proof.
    """
    answer = run.answer
    claims = {item.claim.claim_id: item for item in run.claims}
    said = {sentence.text for sentence in answer.summary}
    concluded, directions = _split(run, claims)
    top = headline.question(run, layout)
    sections = [
        [*top, ""] if top else [],
        headline.verdict(run, layout),
        list(_summary(answer.summary, claims, layout)),
        layout.section("Suspects", list(_suspects(run.suspects, layout))),
        layout.section(_CONCLUDED, list(_facts(concluded, claims, layout, said))),
        layout.section("Possible directions", list(_facts(directions, claims, layout, said))),
        layout.section("Not known", list(_facts(_told(answer.evidence_gaps), {}, layout, said))),
        layout.section("Check next", list(_facts(answer.next_checks, {}, layout, said))),
        layout.section("Confirmed", list(_facts(answer.confirmed, claims, layout, said))),
        layout.section("Looked at", looked_at(run.checked, layout)),
        layout.section("Language model", thought_by(run.usage.agents, layout)),
        _footer(run, layout, show_command),
    ]
    return "\n".join(line for section in sections for line in section) + "\n"


def _split(run: run_pb2.Run, claims: _Claims) -> tuple[list[answer_pb2.Sentence], list[answer_pb2.Sentence]]:
    """Return the directions that are the cause which a PASS rests on, and the others."""
    concluded = [
        sentence
        for sentence in run.answer.possible_directions
        if run.effective_verdict == evidence_pb2.VERDICT_PASS
        and not run.HasField("failure")
        and any(_is_confirmed_cause(claims, claim_id) for claim_id in sentence.claim_ids)
    ]
    return concluded, [sentence for sentence in run.answer.possible_directions if sentence not in concluded]


def _is_confirmed_cause(claims: _Claims, claim_id: str) -> bool:
    claim = claims[claim_id].claim if claim_id in claims else evidence_pb2.VerifiedClaim()
    return (claim.claim_type, claim.status) == (
        evidence_pb2.CLAIM_TYPE_CAUSE,
        evidence_pb2.CLAIM_STATUS_CONFIRMED,
    )


def _summary(sentences: Sequence[answer_pb2.Sentence], claims: _Claims, layout: Layout) -> Iterator[str]:
    """Yield a point for each sentence that rests on claims, and a paragraph for fixed sentences in a row.

    A fixed sentence about claims that the summary also states has no citations of its own.
    """
    stated = {id_ for sentence in sentences if not sentence.template_id for id_ in sentence.claim_ids}
    groups = groupby(_told(sentences), lambda sentence: _is_fixed(sentence, stated))
    for position, (are_fixed, group) in enumerate(groups):
        if position or not are_fixed:
            yield ""
        if are_fixed:
            yield from layout.paragraph(" ".join(sentence.text for sentence in group), indent=2)
        else:
            yield from _facts(list(group), claims, layout, set())


def _told(sentences: Sequence[answer_pb2.Sentence]) -> list[answer_pb2.Sentence]:
    return [sentence for sentence in sentences if not sentence.template_id.startswith(_SAID_BELOW)]


def _is_fixed(sentence: answer_pb2.Sentence, stated: set[str]) -> bool:
    if sentence.template_id:
        return stated.issuperset(sentence.claim_ids)
    return not sentence.claim_ids


def _suspects(suspects: Sequence[answer_pb2.Suspect], layout: Layout) -> Iterator[str]:
    for position, suspect in enumerate(suspects, start=1):
        details = ", ".join(part for part in (suspect.kind, suspect.fault) if part)
        text = f"{suspect.component} ({details})" if details else suspect.component
        described = FAULTS.get(suspect.fault)
        yield from layout.hanging(f"  {position}. ", f"{text}: {described}" if described else text)


def _facts(
    sentences: Sequence[answer_pb2.Sentence], claims: _Claims, layout: Layout, said: set[str]
) -> Iterator[str]:
    """Yield the sentences that the summary has not said, each with where its claims were read."""
    for sentence in sentences:
        if sentence.text not in said:
            yield from _fact(sentence, claims, layout)


def _fact(sentence: answer_pb2.Sentence, claims: _Claims, layout: Layout) -> Iterator[str]:
    yield from layout.hanging("  - ", sentence.text)
    if places := cited([claims[claim_id] for claim_id in sentence.claim_ids if claim_id in claims]):
        yield from layout.paragraph(places, indent=6)


def _footer(run: run_pb2.Run, layout: Layout, show_command: str) -> list[str]:
    window = run.context.window
    start = rfc3339(window.start) if window.HasField("start") else "the beginning"
    end = rfc3339(window.end) if window.HasField("end") else "the end"
    lines = layout.paragraph(f"Window: {start} to {end}") if run.context.HasField("window") else []
    more = layout.paragraph("Every citation, the path and the checks:")
    return ["", *lines, *more, layout.command(f"{show_command} --json")]
