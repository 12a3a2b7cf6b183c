"""Groups of a log's records by shape, level and outcome. Pure: lines in, a document out.

Every count is of records, which are lines without those that continue another (a traceback counts once);
`lines` counts all. Memory is bounded: at most 2,000 groups are kept apart, what comes after goes to `other`.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from services.common.evidence.strict_json import Json
from services.executor.sources.log_line import LogLine, Severity, worse
from services.executor.sources.log_records import is_exception
from services.executor.sources.stop import StoppedError
from services.executor.tools.log_census import FIRST_FREE, Census, Sides
from services.executor.tools.log_durations import Durations
from services.executor.tools.log_literals import common_text
from services.executor.tools.log_masks import shape_of
from services.executor.tools.log_silence import Silence
from services.executor.tools.log_window import number, records, shown, time_text

MAX_GROUPS: Final = 2000
MAX_LISTED: Final = 40
_ORDER: Final = {Severity.FAILURE: 0, Severity.WARNING: 1, Severity.OTHER: 2}


@dataclass(slots=True)
class Group:
    """The records of one shape, or of one status code; `number` is the class of the former in the census."""

    level: str
    outcome: str
    severity: Severity
    first: LogLine
    last: LogLine
    number: int = 0
    detail: LogLine | None = None
    common: str = ""
    """What every record's first line holds literally."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The counts of a summary before and after an instant."""

    lines: Sides = field(default_factory=Sides)
    severities: dict[Severity, Sides] = field(default_factory=lambda: defaultdict(Sides))
    outcomes: dict[str, Sides] = field(default_factory=lambda: defaultdict(Sides))
    classes: dict[int, Sides] = field(default_factory=dict)


class Summary:
    """A log within a window, as far as it was read, whatever the instant that divides before from after."""

    def __init__(self) -> None:
        self.census = Census()
        self.groups: dict[tuple[Severity, str, str, str], Group] = {}
        self.outcomes: dict[str, Group] = {}
        self.durations = Durations()
        self.silence = Silence()
        self.whole = False
        """Whether all that was asked for was taken."""
        self._classes: list[tuple[Severity, str]] = []
        self._rest: dict[tuple[Severity, str], int] = {}

    def add(self, record: list[LogLine]) -> None:
        """Take one record: its head and the lines that continue it."""
        head = record[0]
        parsed = head.parsed
        at = parsed.time.microseconds if parsed.time else None
        self.census.add(head.n, len(record), at, self._class_of(head, record))
        if parsed.duration_seconds is not None:
            self.durations.add(head)
        if parsed.outcome:
            self._take_outcome(head, parsed.outcome)
        self.silence.add(head)

    def counted(self, split: int | None) -> Counted:
        """Count before and after an instant, in Unix microseconds."""
        found = Counted(classes=self.census.sides(split))
        for each, sides in found.classes.items():
            found.lines.add(sides)
            if each >= FIRST_FREE:
                severity, outcome = self._classes[each - FIRST_FREE]
                found.severities[severity].add(sides)
                found.outcomes[outcome].add(sides)
        return found

    def _class_of(self, head: LogLine, record: list[LogLine]) -> int:
        parsed = head.parsed
        detail = None if len(record) == 1 else _detail(record)
        shape = shape_of(parsed.message if detail is None else f"{parsed.message} {detail.text}")
        key = (parsed.severity, parsed.level, parsed.outcome, shape)
        group = self.groups.get(key)
        if group is None:
            if len(self.groups) >= MAX_GROUPS:
                return self._class_of_rest(parsed.severity, parsed.outcome)
            number = self._new_class(parsed.severity, parsed.outcome)
            common = common_text(head, shape)
            group = Group(parsed.level, parsed.outcome, parsed.severity, head, head, number, detail, common)
            self.groups[key] = group
        group.last = head
        if group.common and group.common not in head.text:
            group.common = ""
        return group.number

    def _class_of_rest(self, severity: Severity, outcome: str) -> int:
        key = (severity, outcome)
        if key not in self._rest:
            self._rest[key] = self._new_class(severity, outcome)
        return self._rest[key]

    def _new_class(self, severity: Severity, outcome: str) -> int:
        self._classes.append((severity, outcome))
        return len(self._classes) - 1 + FIRST_FREE

    def _take_outcome(self, head: LogLine, outcome: str) -> None:
        # A status has three digits, so that there are few.
        group = self.outcomes.get(outcome)
        if group is None:
            group = self.outcomes[outcome] = Group("", outcome, head.parsed.severity, head, head)
        elif group.severity is not head.parsed.severity:
            group.severity = worse(group.severity, head.parsed.severity)
        group.last = head


def summarize(lines: Iterable[LogLine], start: int | None, end: int | None) -> Summary:
    """Read a log within a window, in Unix microseconds; what was read until the lines raise StoppedError."""
    summary = Summary()
    try:
        for record in records(lines, start, end):
            summary.add(record)
        summary.whole = True
    except StoppedError:
        pass
    return summary


def document(summary: Summary, split: int | None, where: dict[str, Json], literals: list[Json]) -> Json:
    """Return the document; `where` says which file, whose, with which hash and size."""
    counted = summary.counted(split)
    errors, warnings = counted.severities[Severity.FAILURE], counted.severities[Severity.WARNING]
    result: dict[str, Json] = {
        **where,
        "lines": number(counted.lines.total),
        "lines_before": number(counted.lines.before),
        "lines_after": number(counted.lines.after),
        "errors_before": number(errors.before),
        "errors_after": number(errors.after),
        "warnings_before": number(warnings.before),
        "warnings_after": number(warnings.after),
    }
    result |= {"silence": silence} if (silence := summary.silence.document()) else {}
    result |= {"durations": durations} if (durations := summary.durations.document(split)) else {}
    if summary.outcomes:
        by_outcome = sorted(summary.outcomes.items())
        result["outcomes"] = [_listed(group, counted.outcomes[outcome]) for outcome, group in by_outcome]
    if literals:
        result["literals"] = literals
    return result | _templates(summary, counted)


def _templates(summary: Summary, counted: Counted) -> dict[str, Json]:
    sides = {group.number: counted.classes[group.number] for group in summary.groups.values()}
    ranked = sorted(summary.groups.values(), key=lambda group: _rank(group, sides[group.number]))
    result: dict[str, Json] = {
        "templates": [_listed(group, sides[group.number]) for group in ranked[:MAX_LISTED]]
    }
    shown_count = sum(sides[group.number].total for group in ranked[:MAX_LISTED])
    all_records = sum(each.total for each in counted.severities.values())
    if all_records > shown_count:
        result["other"] = {
            "templates": number(len(ranked[MAX_LISTED:])),
            "count": number(all_records - shown_count),
        }
    return result


def _rank(group: Group, sides: Sides) -> tuple[int, bool, int, int]:
    not_new = sides.before > 0 or sides.after == 0
    return (_ORDER[group.severity], not_new, -sides.total, group.first.n)


def _listed(group: Group, sides: Sides) -> Json:
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
        "count": number(sides.total),
        "count_before": number(sides.before),
        "count_after": number(sides.after),
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
