"""The recorded calls of one round, each as a heading and the lines that tell most within the room. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from assay.common.v1 import tool_pb2

from services.common.evidence import strict_json
from services.common.evidence.names import short_name
from services.common.llm.quoted import shortened
from services.common.llm.room import weight_of
from services.common.llm.tokens import BYTES_PER_TOKEN
from services.common.visible import visible
from services.executor.openai.focus import FAILURE, Focus, moments_of, words_of
from services.executor.openai.lines import Line, lines_of
from services.executor.openai.reduction import reduced, weights_of
from services.executor.openai.wording import shown_line
from services.executor.recorded import RecordedCall

# Shown of a call on average, in estimated tokens; a round of fewer calls has as much as one of four.
CALL_TOKENS: Final = 480
LEAST_CALLS: Final = 4
# Beside new calls, those of earlier rounds have so much of what the new ones have.
_REMEMBERED: Final = 0.25
_MAX_GOAL, _MAX_ARGUMENTS = 200, 240


@dataclass(frozen=True, slots=True)
class Note:
    """What is known of a call beside its record: why it was planned, and how its document is to be read."""

    goal: str
    truncated: bool
    kind: "tool_pb2.DocumentKind.ValueType"


@dataclass(frozen=True)
class Records:
    """All calls so far with their notes, numbered from 1; the first `known` were shown before."""

    calls: Sequence[RecordedCall]
    notes: Sequence[Note]
    known: int

    def shown(self, question: str, about: str, room: int) -> Iterator[str]:
        """Yield the lines within about `room` bytes; `about` is what else the investigation is about."""
        lines = [list(lines_of(call.document)) for call in self.calls]
        moments = moments_of(question, (line for each in lines for line in each))
        focus = Focus(words_of(f"{question} {about}"), moments)
        headings = {number: self._heading(number) for number in range(1, len(self.calls) + 1)}
        shares: dict[int, list[str]] = {}
        for numbers, budget in self._budgets(room - weight_of(headings.values())):
            shares |= self._shares(numbers, lines, headings, focus, budget)
        yield f"# Records{f' (the first {self.known} in brief)' if self.known else ''}"
        for number, heading in headings.items():
            yield heading
            yield from shares[number]

    def _budgets(self, room: int) -> Iterator[tuple[range, int]]:
        """Yield the numbers of the known and of the new calls, and how many bytes these may have."""
        new = len(self.calls) - self.known
        wanted = CALL_TOKENS * BYTES_PER_TOKEN * max(LEAST_CALLS, new)
        whole = 1 + (_REMEMBERED if self.known else 0)
        most = max(0, int(min(wanted, room / whole)))
        yield range(1, self.known + 1), int(most * _REMEMBERED)
        yield range(self.known + 1, len(self.calls) + 1), most

    def _shares(
        self,
        numbers: range,
        lines: Sequence[list[Line]],
        headings: Mapping[int, str],
        focus: Focus,
        left: int,
    ) -> dict[int, list[str]]:
        """Return what is shown of some calls; what short documents do not need, longer ones get."""
        shown = {}
        for position, number in enumerate(sorted(numbers, key=lambda each: len(lines[each - 1]))):
            note = self.notes[number - 1]
            ordered = note.kind == tool_pb2.DOCUMENT_KIND_DERIVED
            weights = weights_of(lines[number - 1], focus.also(note.goal), ordered=ordered)
            write = partial(shown_line, number, telling=FAILURE, known=headings[number])
            share = left // (len(numbers) - position)
            shown[number] = reduced(number, lines[number - 1], share, weights, write)
            left = max(0, left - weight_of(shown[number]))
        return shown

    def _heading(self, number: int) -> str:
        call, note = self.calls[number - 1], self.notes[number - 1]
        arguments = shortened(visible(strict_json.dumps(call.arguments).decode()), _MAX_ARGUMENTS)
        status = short_name(tool_pb2.InvocationStatus.DESCRIPTOR, call.status)
        kind = short_name(tool_pb2.DocumentKind.DESCRIPTOR, note.kind)
        cut = ", the source held more" if note.truncated else ""
        goal = f"; goal: {shortened(visible(note.goal), _MAX_GOAL)}" if note.goal else ""
        return f"## {number} {visible(call.tool_name)} {arguments} {status}, {kind}{cut}{goal}"
