"""The times of a question: which part of the recorded time it is about."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from services.common.evidence.instants import DAY_US, Instant, instants_in
from services.executor.analyst.lookup.asked import Refused, Span
from services.executor.analyst.reading.words import instant_text

_SECOND: Final = 1_000_000
# A clock time without a date is looked for on so many days at most.
_MAX_DAYS: Final = 31
# Somebody asks about a moment a little before or after what is recorded.
_MARGIN: Final = 3600 * _SECOND


class Relation(Enum):
    """How a time bounds what is asked about."""

    SINCE = "since"
    UNTIL = "until"
    AT = "at"


@dataclass(frozen=True)
class Stated:
    """A time of the question."""

    relation: Relation
    instant: Instant
    weekday: int | None = None
    """Which day of the week is meant, of the week that ends with what is recorded: Monday is 0."""


_BEFORE: Final = (
    (
        Relation.SINCE,
        re.compile(r"\b(since|from|after|between|starting( at)?|as of|later than)\s*$", re.IGNORECASE),
    ),
    (
        Relation.UNTIL,
        re.compile(r"(\b(until|till|to|before|up to|through|by|earlier than)|[-\u2013])\s*$", re.IGNORECASE),
    ),
    (Relation.AT, re.compile(r"(\b(at|on|in|of|around the minute)|^|\()\s*$", re.IGNORECASE)),
)
# "10:05-10:15" without a word before it.
_TO: Final = re.compile(r"\s*(?:[-\u2013]|to|until|till)\s*", re.IGNORECASE)
_RANGE: Final = re.compile(
    r"(?<![\dT:.-])(?<!\d{4}-\d\d-\d\d )(\d{1,2}:\d\d(?::\d\d)?)-(\d{1,2}:\d\d(?::\d\d)?)(?![\d:])"
)
_AND: Final = re.compile(r"\band\s*$", re.IGNORECASE)
_LOOK_BACK: Final = 24
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY: Final = re.compile(rf"\b(?:last )?({'|'.join(_WEEKDAYS)})\b", re.IGNORECASE)
_SOME_DAY: Final = Instant(0, DAY_US, dated=False)
# 1970 began on a Thursday.
_FIRST_WEEKDAY: Final = 3


def times_of(text: str) -> tuple[list[Stated], str]:
    """Return the times of a question, and it without them; raises Refused where one bounds nothing."""
    text = _RANGE.sub(_apart, text)
    found: list[Stated] = []
    parts: list[str] = []
    position = 0
    written = _written(text)
    for index, (start, end, instant, weekday) in enumerate(written):
        before = text[position:start]
        begins = index + 1 < len(written) and _TO.fullmatch(text[end : written[index + 1][0]]) is not None
        relation, kept = _relation(
            before, bool(found) and found[-1].relation is Relation.SINCE, begins=begins
        )
        found.append(Stated(relation, instant, weekday))
        parts.append(kept)
        position = end
    return found, " ".join([*parts, text[position:]])


def _apart(match: re.Match[str]) -> str:
    """Part two clock times that a hyphen joins, of which the second is later: else it is a zone."""
    first, second = match.groups()
    return f"{first} - {second}" if second.zfill(5) > first.zfill(5) else match.group()


def _written(text: str) -> list[tuple[int, int, Instant, int | None]]:
    """Return the times and the days of the week of a text with their offsets, in their order."""
    found: list[tuple[int, int, Instant, int | None]] = [(*each, None) for each in instants_in(text)]
    for match in _WEEKDAY.finditer(text):
        if not any(start <= match.start() < end for start, end, _, _ in found):
            found.append((match.start(), match.end(), _SOME_DAY, _WEEKDAYS.index(match[1].lower())))
    return sorted(found, key=lambda each: each[0])


def _relation(before: str, follows_since: bool, *, begins: bool) -> tuple[Relation, str]:
    near = before[-_LOOK_BACK:]
    for relation, pattern in _BEFORE:
        match = pattern.search(near)
        if match:
            return relation, before[: len(before) - len(match.group())]
    match = _AND.search(near)
    if match and follows_since:
        return Relation.UNTIL, before[: len(before) - len(match.group())]
    if begins and not follows_since:
        return Relation.SINCE, before
    raise Refused("a time of the question stands where it bounds nothing that is known")


def span_of(stated: Sequence[Stated], recorded: tuple[float, float] | None) -> tuple[Span, str]:
    """Return the interval that some times bound, and the instant where only one is stated "at".

    `recorded` are the first and the last recorded instant in seconds: a time of day is one of those days.
    Raises Refused where the times bound nothing, or a time of day could be of several days.
    """
    sides: dict[str, int] = {}
    at = ""
    for each in stated:
        begin = _day(each.weekday, recorded) if each.weekday is not None else _dated(each.instant, recorded)
        if each.relation is Relation.AT:
            _set(sides, "start", begin)
            _set(sides, "end", begin + each.instant.width)
            at = _text(begin)
        else:
            _set(sides, "start" if each.relation is Relation.SINCE else "end", begin)
    if "start" in sides and "end" in sides and sides["start"] >= sides["end"]:
        raise Refused("the times of the question bound nothing: the later one comes first")
    return Span(*(_text(sides[side]) if side in sides else "" for side in ("start", "end"))), at


def _set(sides: dict[str, int], side: str, value: int) -> None:
    if side in sides:
        raise Refused("the question states more times than bound one interval")
    sides[side] = value


def _day(weekday: int, recorded: tuple[float, float] | None) -> int:
    """Return when the last such day of what is recorded began."""
    if recorded is None:
        raise Refused("the question states a day of the week, and nothing recorded tells of which week")
    last = int(recorded[1]) * _SECOND // DAY_US
    return (last - (last + _FIRST_WEEKDAY - weekday) % len(_WEEKDAYS)) * DAY_US


def _dated(instant: Instant, recorded: tuple[float, float] | None) -> int:
    if instant.dated:
        return instant.start
    if recorded is None:
        raise Refused("the question states a time of day, and nothing recorded tells of which day")
    first, last = (int(bound * _SECOND) for bound in recorded)
    days = range((first - _MARGIN) // DAY_US, (last + _MARGIN) // DAY_US + 1)
    fitting = [
        day * DAY_US + instant.start
        for day in days[: _MAX_DAYS + 1]
        if first - _MARGIN <= day * DAY_US + instant.start <= last + _MARGIN
    ]
    if len(fitting) != 1 or len(days) > _MAX_DAYS:
        raise Refused(
            "the question states a time of day that is on none, or on several, of the recorded days"
        )
    return fitting[0]


def _text(microseconds: int) -> str:
    return instant_text(microseconds / _SECOND).replace(".000Z", "Z")
