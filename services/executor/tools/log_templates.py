"""Groups of a log's records by shape, level and outcome. Pure: lines in, a document out.

Every count is of records, which are lines without those that continue another (a traceback counts once);
`lines` counts all. Memory is bounded: at most 2,000 groups are kept apart, what comes after goes to `other`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from services.common.evidence.strict_json import Json
from services.executor.sources.line_notes import LineNotes
from services.executor.sources.log_line import LogLine, Severity, worse
from services.executor.sources.log_records import is_exception
from services.executor.tools.log_durations import Durations
from services.executor.tools.log_literals import Tally, common_text
from services.executor.tools.log_masks import shape_of
from services.executor.tools.log_silence import Silence
from services.executor.tools.log_window import number, records, shown, time_text

MAX_GROUPS: Final = 2000
MAX_LISTED: Final = 40
_ORDER: Final = {Severity.FAILURE: 0, Severity.WARNING: 1, Severity.OTHER: 2}


@dataclass(slots=True)
class Sides:
    """A count before and after the split. With a split, what has no time counts in the total only."""

    total: int = 0
    before: int = 0
    after: int = 0

    def add(self, side: int, count: int = 1) -> None:
        """Count: side -1 before, 1 after, 0 unknown."""
        self.total += count
        if side < 0:
            self.before += count
        elif side > 0:
            self.after += count


@dataclass(slots=True)
class Group:
    """The records of one shape, or of one status code."""

    level: str
    outcome: str
    severity: Severity
    first: LogLine
    last: LogLine
    detail: LogLine | None
    common: str = ""
    """What every record's first line holds literally."""
    sides: Sides = field(default_factory=Sides)

    def add(self, head: LogLine, side: int) -> None:
        """Take a record of this group."""
        self.last = head
        if self.severity is not head.parsed.severity:
            self.severity = worse(self.severity, head.parsed.severity)
        self.sides.add(side)
        if self.common and self.common not in head.text:
            self.common = ""


@dataclass(slots=True)
class Summary:
    """A log within a window, as far as it was read."""

    split: int | None
    lines: Sides = field(default_factory=Sides)
    errors: Sides = field(default_factory=Sides)
    warnings: Sides = field(default_factory=Sides)
    other: Sides = field(default_factory=Sides)
    groups: dict[tuple[str, str, str], Group] = field(default_factory=dict)
    durations: Durations = field(default_factory=Durations)
    silence: Silence = field(default_factory=Silence)
    outcomes: dict[str, Group] = field(default_factory=dict)
    literals: list[Tally] = field(default_factory=list)
    shapes: LineNotes = field(default_factory=LineNotes)
    """The shapes that an earlier summary of the same log found, and that this one finds."""

    def add(self, record: list[LogLine]) -> None:
        """Take one record: its head and the lines that continue it."""
        head = record[0]
        side = self._side(head)
        self.lines.add(side, len(record))
        severity = head.parsed.severity
        if severity is Severity.FAILURE:
            self.errors.add(side)
        elif severity is Severity.WARNING:
            self.warnings.add(side)
        self.durations.add(head, side)
        self.silence.add(head)
        self._group(head, _detail(record), side)
        self._outcome(head, side)
        for tally in self.literals:
            tally.add(record, side)

    def _group(self, head: LogLine, detail: LogLine | None, side: int) -> None:
        shape = self.shapes.get(head.n)
        if not shape:
            message = head.parsed.message if detail is None else f"{head.parsed.message} {detail.text}"
            shape = shape_of(message)
            self.shapes.put(head.n, shape)
        key = (head.parsed.level, head.parsed.outcome, shape)
        group = self.groups.get(key)
        if group is None:
            if len(self.groups) >= MAX_GROUPS:
                self.other.add(side)
                return
            common = common_text(head, key[2])
            group = Group(*key[:2], head.parsed.severity, head, head, detail, common)
            self.groups[key] = group
        group.add(head, side)

    def _outcome(self, head: LogLine, side: int) -> None:
        # A status has three digits, so that there are few.
        if outcome := head.parsed.outcome:
            group = self.outcomes.get(outcome)
            if group is None:
                group = Group("", outcome, head.parsed.severity, head, head, None)
                self.outcomes[outcome] = group
            group.add(head, side)

    def _side(self, line: LogLine) -> int:
        if self.split is None:
            return 1
        if line.parsed.time is None:
            return 0
        return -1 if line.parsed.time.microseconds < self.split else 1


def summarize(
    lines: Iterable[LogLine],
    start: int | None,
    end: int | None,
    split: int | None,
    literals: Sequence[str] = (),
    shapes: LineNotes | None = None,
) -> Summary:
    """Read a log within a window, in Unix microseconds, and count the lines that hold each literal.

    `shapes` are the notes of the log's earlier summaries, to which this one adds.
    """
    tallies = [Tally(text) for text in dict.fromkeys(literals)]
    summary = Summary(split, literals=tallies, shapes=shapes or LineNotes())
    for record in records(lines, start, end):
        summary.add(record)
    return summary


def document(summary: Summary, where: dict[str, Json]) -> Json:
    """Return the document; `where` says which file, whose, with which hash and size."""
    listed = sorted(summary.groups.values(), key=_rank)
    hidden = listed[MAX_LISTED:]
    result: dict[str, Json] = {
        **where,
        "lines": number(summary.lines.total),
        "lines_before": number(summary.lines.before),
        "lines_after": number(summary.lines.after),
        "errors_before": number(summary.errors.before),
        "errors_after": number(summary.errors.after),
        "warnings_before": number(summary.warnings.before),
        "warnings_after": number(summary.warnings.after),
    }
    result |= {"silence": silence} if (silence := summary.silence.document()) else {}
    result |= {"durations": durations} if (durations := summary.durations.document()) else {}
    if summary.outcomes:
        result["outcomes"] = [_listed(group) for _, group in sorted(summary.outcomes.items())]
    if summary.literals:
        result["literals"] = [tally.document() for tally in summary.literals]
    result["templates"] = [_listed(group) for group in listed[:MAX_LISTED]]
    if hidden or summary.other.total:
        result["other"] = {
            "templates": number(len(hidden)),
            "count": number(summary.other.total + sum(group.sides.total for group in hidden)),
        }
    return result


def _rank(group: Group) -> tuple[int, bool, int, int]:
    not_new = group.sides.before > 0 or group.sides.after == 0
    return (_ORDER[group.severity], not_new, -group.sides.total, group.first.n)


def _listed(group: Group) -> Json:
    result: dict[str, Json] = {
        "inputs": [
            {
                "first_line": number(group.first.n),
                "last_line": number(group.last.n),
                "time": time_text(group.first),
            }
        ],
        "level": group.level,
        "severity": group.severity.value,
        "count": number(group.sides.total),
        "count_before": number(group.sides.before),
        "count_after": number(group.sides.after),
        "outcome": group.outcome,
        "first": shown(group.first),
        "last": shown(group.last),
    }
    if group.common:
        result["common"] = group.common
    if group.detail is not None:
        result["detail"] = shown(group.detail)
    return result


def _detail(record: list[LogLine]) -> LogLine | None:
    """Return the line of a record that names the exception; the last one is what ended the work."""
    if len(record) == 1:
        return None
    return next((line for line in reversed(record[1:]) if is_exception(line.text)), None)
