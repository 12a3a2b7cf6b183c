"""What fits in logs, counted apart by what each line states: its status, client, minute, message."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from services.common.evidence.strict_json import Json
from services.executor.sources.log_callers import client_of, method_of, path_of
from services.executor.sources.log_line import LogLine
from services.executor.tools.log_masks import shape_of
from services.executor.tools.log_window import number, shown

MAX_LISTED: Final = 60
# So many different ones are told apart; of more the count of groups would say nothing.
MAX_DISTINCT: Final = 50_000
_MINUTE, _HOUR = len("2026-11-30T09:10"), len("2026-11-30T09")


def _status(line: LogLine) -> str:
    return line.parsed.outcome


def _level(line: LogLine) -> str:
    return line.parsed.level.upper()


def _message(line: LogLine) -> str:
    return shape_of(line.parsed.message)


def _minute(line: LogLine) -> str:
    return f"{line.parsed.time.text[:_MINUTE]}:00Z" if line.parsed.time else ""


def _hour(line: LogLine) -> str:
    return f"{line.parsed.time.text[:_HOUR]}:00:00Z" if line.parsed.time else ""


_KEYS: Final[dict[str, Callable[[LogLine], str]]] = {
    "status": _status,
    "client": client_of,
    "method": method_of,
    "path": path_of,
    "level": _level,
    "message": _message,
    "minute": _minute,
    "hour": _hour,
}
_IN_ORDER: Final = ("minute", "hour")
# What a stranger can write is shown with the line that it stands in.
_QUOTED: Final = ("client", "method", "path", "message")


@dataclass(slots=True)
class _Group:
    source: str
    first: LogLine
    count: int = 0


@dataclass(slots=True)
class Groups:
    """The counts by one of the keys; `by` is empty where nothing is counted apart."""

    by: str
    unstated: int = 0
    left_out: int = 0
    _found: dict[str, _Group] = field(default_factory=dict)

    def add(self, source: str, line: LogLine) -> None:
        """Take a line that fits."""
        if not self.by:
            return
        text = _KEYS[self.by](line)
        if not text:
            self.unstated += 1
            return
        group = self._found.get(text)
        if group is None:
            if len(self._found) >= MAX_DISTINCT:
                self.left_out += 1
                return
            group = self._found[text] = _Group(source, line)
        group.count += 1

    def document(self) -> dict[str, Json]:
        """Return the groups, the largest first, those by time in its order."""
        if not self.by:
            return {}
        in_order = self.by in _IN_ORDER
        greatest = max((group.count for group in self._found.values()), default=0)
        most = sorted(
            (each for each in self._found.items() if each[1].count == greatest), key=lambda each: each[0]
        )
        ordered = sorted(self._found.items(), key=lambda each: (each[0] if in_order else "", -each[1].count))
        return {
            "by": self.by,
            "groups": number(len(self._found)),
            "groups_unstated": number(self.unstated),
            "groups_left_out": number(self.left_out),
            "most_alike": number(len(most)),
            "most": [self._row(text, group) for text, group in most[:MAX_LISTED]],
            "grouped": [self._row(text, group) for text, group in ordered[:MAX_LISTED]],
        }

    def _row(self, text: str, group: _Group) -> Json:
        row: dict[str, Json] = {"text": text, "count": number(group.count)}
        if self.by in _QUOTED:
            row |= {"source": group.source, "first": shown(group.first)}
        return row
