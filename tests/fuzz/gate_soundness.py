"""Mutated documents of recorded incidents, judged by the gate and by an oracle that shares no code with it.

`python -m tests.fuzz.gate_soundness [DOCUMENTS [SEED]]` prints the figures; exit code 1 when they disagree.
"""

import copy
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

from assay.common.v1 import evidence_pb2, tool_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2

from services.common.evidence import strict_json
from services.common.evidence.document import serialize
from services.gatekeeper.domain import check
from tests.fakes.investigation import investigate
from tests.fuzz import plain_json
from tests.fuzz.gate_mutations import BYTE_MUTATIONS, MUTATIONS, Chance, Document, Literal
from tests.fuzz.gate_oracle import Run, judge
from tests.fuzz.plain_json import Number, Plain

DOCUMENTS: Final = 100_000
INCIDENTS: Final = Path(__file__).resolve().parents[2] / "examples" / "incidents"
EVERY: Final = (*MUTATIONS, *BYTE_MUTATIONS)
_SHOWN: Final = 10
_MOST_CLAIMS, _MOST_BINDINGS = 2, 4
# Places and texts that no recorded incident happens to hold.
_UNUSUAL: Final = {
    "names": {"": "an empty name", "a/b": "a slash inside", "m~n": "a tilde inside", "01": "led by a zero",
              "-": "a dash alone", "caf\u00e9": "caf\u00e9 au lait", "~1": "an escape", "A": "capital"},
    "value": {"n": "said by a system", "time": "at noon by its own clock", "source": "a log of its own"},
    "numbers": [0, -0.0, 1.0, 1e5, 12345678901234567890, 7, 0.1],
    "words": [True, False, None, "true", "null", "7", "", "up", "up!", "down"],
    "texts": ["cafe\u0301 au lait", "zero\u200bwidth", "fall \u202e reversed", "first\rsecond line",
              "tab\tseparated", "two\nlines of text", 'say "hello" \\ back', "\u0421ash is cash",
              "\U0001f525 fire", "bell\x07rings"],
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A recorded incident: its document, and all that was recorded."""

    document: Document
    run: Run
    request: gatekeeper_pb2.CheckRequest
    literals: Sequence[Literal]


@dataclass
class Figures:
    """What was tried, and where gate and oracle disagree."""

    documents: int = 0
    illegal: int = 0
    true: int = 0
    untrue: int = 0
    false_passes: list[str] = field(default_factory=list)
    false_refusals: list[str] = field(default_factory=list)
    inconsistent: list[str] = field(default_factory=list)
    by_mutation: Counter[str] = field(default_factory=Counter)

    @property
    def disagreements(self) -> list[str]:
        """All of them."""
        return [*self.false_passes, *self.false_refusals, *self.inconsistent]


@cache
def recorded(folder: Path) -> Case:
    """Run the real executor's tools and analyst on a bundle, and record what they return."""
    found = investigate(folder, (folder / "question.txt").read_text(encoding="utf-8").strip())
    outputs = {call.invocation_id: strict_json.dumps(call.document) for call in found.calls}
    tools = {call.invocation_id: call.tool_name for call in found.calls}
    unusual = "call-unusual"
    outputs[unusual], tools[unusual] = json.dumps(_UNUSUAL).encode(), "unusual_get"
    run = Run(tools, outputs)
    request = gatekeeper_pb2.CheckRequest(
        invocations=[
            gatekeeper_pb2.InvocationRecord(
                id=invocation_id,
                tool_name=tool,
                status=tool_pb2.INVOCATION_STATUS_OK,
                kind=tool_pb2.DOCUMENT_KIND_RAW,
            )
            for invocation_id, tool in tools.items()
        ]
    )
    return Case(json.loads(serialize(found.evidence)), run, request, _literals(run))


def _literals(run: Run) -> list[Literal]:
    """Every scalar of every output, as it might be cited; those of the unusual output more often."""
    found = [
        Literal(invocation_id, tool, pointer, _written(value))
        for invocation_id, tool in run.tools.items()
        for pointer, value in plain_json.leaves(run.output(invocation_id))
        if _written(value)
    ]
    unusual = [literal for literal in found if literal.invocation_id == "call-unusual"]
    return found + unusual * (len(found) // (4 * len(unusual)))


def _written(value: Plain) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value) if isinstance(value, Number | str) else ""


def mutants(case: Case, random: Random, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield for ever a small document made of the case's claims, mutated once or twice, and how."""
    chance = Chance(random, case.literals)
    while True:
        document = _small(case.document, chance)
        chosen = random.choices(names, k=random.choice([1, 1, 1, 2]))
        data = _mutated(document, [name for name in chosen if name in MUTATIONS], chance)
        for name in chosen:
            if name in BYTE_MUTATIONS:
                data = BYTE_MUTATIONS[name](data, chance)
                break
        yield " + ".join(chosen), data


def _small(whole: Document, chance: Chance) -> Document:
    claims = copy.deepcopy(chance.random.sample(whole["claims"], chance.random.randint(1, _MOST_CLAIMS)))
    for claim in claims:
        bindings = claim["evidence_bindings"]
        claim["evidence_bindings"] = chance.random.sample(bindings, min(len(bindings), _MOST_BINDINGS))
    return {**whole, "claims": claims}


def _mutated(document: Document, chosen: Sequence[str], chance: Chance) -> bytes:
    binding: dict[str, Any] = document["claims"][0]["evidence_bindings"][0]
    if chance.random.random() < 0.5:
        MUTATIONS["another literal"](document, binding, chance)
    for name in chosen:
        try:
            MUTATIONS[name](document, binding, chance)
        except (KeyError, TypeError, AttributeError, IndexError):
            # The first mutation took away what the second one changes.
            break
    return json.dumps(document, ensure_ascii=chance.random.random() < 0.5).encode("utf-8", "surrogatepass")


def judge_one(case: Case, name: str, document: bytes, figures: Figures) -> None:
    """Ask the gate and the oracle about one document."""
    request = gatekeeper_pb2.CheckRequest()
    request.CopyFrom(case.request)
    request.document = document
    request.outputs.extend(
        gatekeeper_pb2.InvocationOutput(id=invocation_id, output=output)
        for invocation_id, output in case.run.outputs.items()
        # An id may be written with escapes.
        if invocation_id.encode() in document or b"\\u" in document
    )
    response = check(request)
    expected = judge(document, case.run)
    figures.documents += 1
    figures.by_mutation[name] += 1
    shown = f"{name}: {document[:2000]!r}"
    refused = list(response.result.rules) == ["schema.executor_v2"]
    if expected is None:
        figures.illegal += 1
        if not refused or response.verified_binding_count:
            figures.false_passes.append(f"an illegal document is read, {shown}")
        return
    if refused:
        figures.false_refusals.append(f"a legal document is not read, {shown}")
        return
    passed = [item.result == evidence_pb2.GATE_RESULT_PASS for item in response.result.checked_bindings]
    figures.true += sum(expected)
    figures.untrue += len(expected) - sum(expected)
    if any(was and not may for was, may in zip(passed, expected, strict=True)):
        figures.false_passes.append(shown)
    if any(may and not was for was, may in zip(passed, expected, strict=True)):
        figures.false_refusals.append(shown)
    if not _is_consistent(response, expected):
        figures.inconsistent.append(shown)


def _is_consistent(response: gatekeeper_pb2.CheckResponse, expected: Sequence[bool]) -> bool:
    """Tell whether count, status and severity follow from the bindings; provenance may lower the last two."""
    failed = len(expected) - sum(expected)
    rejected = response.status == gatekeeper_pb2.GATEKEEPER_STATUS_REJECT
    return (
        response.verified_binding_count == sum(expected)
        and (response.result.status == evidence_pb2.GATE_RESULT_FAIL) == bool(response.result.failed_rules)
        and bool(response.result.failed_rules) == bool(failed)
        and rejected == (bool(expected) and not any(expected))
        and not (failed and response.status == gatekeeper_pb2.GATEKEEPER_STATUS_PASS)
    )


def fuzz(documents: int, seed: int, names: Sequence[str] = EVERY, enough: int = _SHOWN) -> Figures:
    """Judge as many documents, over all recorded incidents in turn; stop at `enough` disagreements.

    `names` are the mutations to draw from.
    """
    random = Random(seed)  # noqa: S311 - repeatable mutations, not a secret
    cases = [recorded(folder) for folder in sorted(INCIDENTS.glob("*/bundle"))]
    sources = [mutants(case, random, names) for case in cases]
    figures = Figures()
    for number in range(documents):
        case, source = cases[number % len(cases)], sources[number % len(cases)]
        judge_one(case, *next(source), figures)
        if len(figures.disagreements) >= enough:
            break
    return figures


def main(arguments: Sequence[str]) -> int:
    """Print the figures; returns the exit code."""
    documents = int(arguments[0]) if arguments else DOCUMENTS
    seed = int(arguments[1]) if len(arguments) > 1 else 1
    figures = fuzz(documents, seed)
    say = sys.stdout.write
    say(f"documents tried     {figures.documents:8} (seed {seed})\n")
    say(f"  not legal         {figures.illegal:8}\n")
    say(f"bindings, true      {figures.true:8}\n")
    say(f"bindings, not true  {figures.untrue:8}\n")
    say(f"false passes        {len(figures.false_passes):8}\n")
    say(f"false refusals      {len(figures.false_refusals):8}\n")
    say(f"inconsistent        {len(figures.inconsistent):8}\n")
    for disagreement in figures.disagreements:
        say(f"  {disagreement}\n")
    return 1 if figures.disagreements else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
