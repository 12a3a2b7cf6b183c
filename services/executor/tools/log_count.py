"""How many lines or records of logs fit some conditions: a derived tool that reads several logs at once.

What is counted are lines, unless a level, a severity or a status is asked for: those are of records, and a
record that spans lines counts once. What has no time belongs to every window, or is counted apart.
"""

import heapq
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from services.common.evidence.strict_json import Json
from services.executor.sources import kinds
from services.executor.sources.bundle import Bundle
from services.executor.sources.log_callers import client_of, is_to, method_of
from services.executor.sources.log_line import LogLine
from services.executor.sources.log_reader import Reading
from services.executor.sources.sniff import Source
from services.executor.sources.stop import Stop, StoppedError
from services.executor.tools.arguments import LogCount, microseconds, rfc3339
from services.executor.tools.log_groups import Groups
from services.executor.tools.log_window import extent_of, number, records, shown, time_text
from services.executor.tools.tool import ToolOutput

# Texts that are remembered to tell what several logs hold alike; beyond it nothing more is remembered.
MAX_REMEMBERED: Final = 500_000
# A shorter text says the same in many places without being a copy.
_MIN_COPIED: Final = 20
_WORD: Final = re.compile(r"[\w-]")
_GOES_ON: Final = re.compile(r"[\w%-]|\.\w")
_Matches = Callable[[list[LogLine]], Iterable[LogLine]]


def logs_count(bundle: Bundle, arguments: LogCount, stop: Stop) -> ToolOutput:
    """Count what fits in some logs, or in all of them, as far as they were read in time."""
    found = _sources(bundle, arguments)
    sooner, seen = stop.sooner(), set[int]()
    counted, groups = [], Groups(arguments.by or "")
    for source in found:
        try:
            sooner.check()
        except StoppedError:
            break
        counted.append(_count(bundle, source, arguments, sooner, _Seen(seen, groups)))
    stop.check()
    unread = len(found) - len(counted) + (0 if arguments.sources else _unreadable(bundle))
    document: dict[str, Json] = {
        **_selection(arguments),
        "unit": "records" if _is_of_records(arguments) else "lines",
        "logs_read": number(len(counted)),
        "logs_read_in_part": number(sum(each.is_partial for each in counted)),
        "logs_not_read": number(unread),
        "lines": number(sum(each.lines for each in counted)),
        "requests": number(sum(each.requests for each in counted)),
        "answered_well": number(sum(each.answered_well for each in counted)),
        "timed": number(sum(each.timed for each in counted)),
        "count": number(sum(each.count for each in counted)),
        "undated": number(sum(each.undated for each in counted)),
        "repeated": number(sum(each.repeated for each in counted)),
        **groups.document(),
        "logs": [each.document() for each in counted],
    }
    partial = groups.left_out > 0 or any(each.is_partial for each in counted)
    return ToolOutput(document, unread > 0 or partial)


@dataclass(slots=True)
class _Seen:
    """What the logs before this one held, and what of all of them is counted apart."""

    texts: set[int]
    groups: Groups


@dataclass(slots=True)
class _Counted:
    """The figures of one log."""

    source: Source
    reading: Reading
    excerpts: deque[LogLine]
    slowest: list[tuple[float, int, LogLine]] = field(default_factory=list)
    """A heap of the requests that took longest: the shortest of them first, the later of two alike."""
    lines: int = 0
    requests: int = 0
    answered_well: int = 0
    timed: int = 0
    count: int = 0
    undated: int = 0
    repeated: int = 0
    is_partial: bool = False
    ends: list[LogLine] = field(default_factory=list)

    def add(self, line: LogLine, arguments: LogCount) -> None:
        """Take a line that fits."""
        self.count += 1
        self.ends[1:] = [line]
        seconds = line.parsed.duration_seconds
        if arguments.slowest:
            if seconds is not None and arguments.show:
                keep = heapq.heappush if len(self.slowest) < arguments.show else heapq.heappushpop
                keep(self.slowest, (seconds, -line.n, line))
        elif arguments.last or len(self.excerpts) < (self.excerpts.maxlen or 0):
            self.excerpts.append(line)

    def document(self) -> Json:
        """Return the figures as documents show them."""
        extent = self.reading.extent
        result: dict[str, Json] = {
            "source": self.source.name,
            "owner": self.source.owner,
            "sha256": extent.sha256,
            "bytes": number(self.source.size_bytes),
            **extent_of(extent),
            "lines": number(self.lines),
            "requests": number(self.requests),
            "answered_well": number(self.answered_well),
            "timed": number(self.timed),
            "count": number(self.count),
            "undated": number(self.undated),
            "repeated": number(self.repeated),
        }
        if self.ends:
            first, last = self.ends[0], self.ends[-1]
            place = {"first_line": number(first.n), "last_line": number(last.n)}
            result["inputs"] = [{**place, "time": time_text(first)}]
            result |= {"first": shown(first), "last": shown(last)}
        if self.excerpts:
            result["excerpts"] = [shown(line) for line in self.excerpts]
        if self.slowest:
            ordered = sorted(self.slowest, reverse=True)
            result["excerpts"] = [{**shown(line), "seconds": number(seconds)} for seconds, _, line in ordered]
        return result


def _count(bundle: Bundle, source: Source, arguments: LogCount, stop: Stop, seen: _Seen) -> _Counted:
    start, end = microseconds(arguments.start), microseconds(arguments.end)
    reading = bundle.log(source).read(stop, start, end)
    counted = _Counted(source, reading, deque(maxlen=arguments.show))
    fitting, own = _fitting(arguments), set[int]()
    try:
        for record in records(reading, start, end):
            _take(counted, record, fitting(record), seen, own, arguments)
    except StoppedError:
        counted.is_partial = True
    counted.is_partial = counted.is_partial or reading.extent.cut
    seen.texts |= own
    return counted


def _take(
    counted: _Counted,
    record: list[LogLine],
    fitting: Iterable[LogLine],
    seen: _Seen,
    own: set[int],
    arguments: LogCount,
) -> None:
    counted.lines += len(record)
    outcome = record[0].parsed.outcome
    counted.requests += bool(outcome)
    counted.answered_well += bool(outcome) and outcome < "4"
    counted.timed += bool(outcome) and record[0].parsed.duration_seconds is not None
    for line in fitting:
        counted.is_partial = counted.is_partial or line.cut
        if arguments.dated_only and line.parsed.time is None:
            counted.undated += 1
            continue
        counted.add(line, arguments)
        seen.groups.add(counted.source.name, line)
        if len(line.text) >= _MIN_COPIED:
            mark = hash(line.text)
            counted.repeated += mark in seen.texts
            if len(seen.texts) + len(own) < MAX_REMEMBERED:
                own.add(mark)


def _fitting(arguments: LogCount) -> _Matches:
    """Return what picks, of a record, the lines that count."""
    holds = _text_condition(arguments)
    if not _is_of_records(arguments):
        return lambda record: [line for line in record if holds(line.text)]
    says = _head_condition(arguments)

    def of_records(record: list[LogLine]) -> Iterator[LogLine]:
        if says(record[0]) and holds("\n".join(line.text for line in record)):
            yield record[0]

    return of_records


def _text_condition(arguments: LogCount) -> Callable[[str], bool]:
    def plain(text: str) -> str:
        return text.casefold() if arguments.ignore_case else text

    contains = [plain(text) for text in arguments.contains]
    any_of = [plain(text) for text in arguments.any_of]
    wholes = [plain(text) for text in arguments.whole]

    def holds(text: str) -> bool:
        text = plain(text)
        if not all(each in text for each in contains) or not all(
            _stands_whole(each, text) for each in wholes
        ):
            return False
        return not any_of or any(each in text for each in any_of)

    return holds


def _stands_whole(wanted: str, text: str) -> bool:
    """Tell whether a text stands somewhere where no longer word, number or name of a path continues it."""
    at = text.find(wanted)
    while at >= 0:
        begins = not wanted[0].isalnum() or not _WORD.match(text[at - 1 : at])
        if begins and not (wanted[-1].isalnum() and _GOES_ON.match(text, at + len(wanted))):
            return True
        at = text.find(wanted, at + 1)
    return False


def _head_condition(arguments: LogCount) -> Callable[[LogLine], bool]:
    levels = {level.upper() for level in arguments.levels}
    classes = tuple(each[0] for each in arguments.outcomes if each.endswith("xx"))
    codes, methods, slower = set(arguments.outcomes), set(arguments.methods), arguments.slower_than
    clients, paths = set(arguments.clients), arguments.paths

    def says(head: LogLine) -> bool:
        parsed = head.parsed
        if (methods and method_of(head) not in methods) or (clients and client_of(head) not in clients):
            return False
        if paths and not any(is_to(head, path) for path in paths):
            return False
        if slower is not None and (parsed.duration_seconds is None or parsed.duration_seconds <= slower):
            return False
        of_level = not levels or parsed.level.upper() in levels
        severe = not arguments.severities or parsed.severity.value in arguments.severities
        answered = bool(parsed.outcome) and (parsed.outcome in codes or parsed.outcome.startswith(classes))
        return of_level and severe and (answered or not codes)

    return says


def _is_of_records(arguments: LogCount) -> bool:
    of_requests = bool(arguments.outcomes or arguments.methods or arguments.clients or arguments.paths)
    of_requests = of_requests or arguments.slower_than is not None
    # What lines say of a request, and their level, stands in the first of a record.
    of_heads = arguments.by is not None and arguments.by not in ("minute", "hour")
    return bool(arguments.levels or arguments.severities or of_requests or of_heads)


def _sources(bundle: Bundle, arguments: LogCount) -> list[Source]:
    if arguments.sources:
        return [bundle.source(name, kinds.LOG) for name in dict.fromkeys(arguments.sources)]
    return bundle.of_kind(kinds.LOG)


def _unreadable(bundle: Bundle) -> int:
    return sum(source.kind == kinds.LOG and not source.available for source in bundle.sources)


def _selection(arguments: LogCount) -> dict[str, Json]:
    """Return the conditions that made the counts, as far as they were given."""
    instants = {"start": arguments.start, "end": arguments.end}
    given: dict[str, Json] = {name: rfc3339(when) for name, when in instants.items() if when is not None}
    for name in (
        "contains",
        "whole",
        "any_of",
        "severities",
        "levels",
        "outcomes",
        "methods",
        "clients",
        "paths",
    ):
        if texts := getattr(arguments, name):
            given[name] = [*texts]
    if arguments.slower_than is not None:
        given["slower_than"] = number(arguments.slower_than)
    return given
