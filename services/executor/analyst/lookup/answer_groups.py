"""What was counted apart: by status, client, path, minute, message, the largest first."""

import re
from collections.abc import Sequence
from typing import Final

from services.executor.analyst.lookup import wording as say
from services.executor.analyst.lookup.asked import Lookup, Refused
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.wording.findings import Finding, Part, instant, literal, number, quote

# So many are told unless the question says how many; of messages, each with a line, fewer.
SHOWN: Final = 20
MESSAGES_SHOWN: Final = 5
# Of those that have as many as any other: what one sentence can hold.
_ALIKE_SHOWN: Final = 10
# What a stranger wrote otherwise stands between marks, as lines do.
_PLAIN: Final = re.compile(r"[A-Za-z0-9/][\w./:%~@+=-]{0,119}", re.ASCII)
_BY_TIME: Final = ("minute", "hour")
_WORDS: Final = {"status": "with", "client": "from", "path": "to", "method": "by", "level": "at the level"}


def has_groups(document: Spot) -> bool:
    """Tell whether anything was counted apart."""
    return document.at("groups").count > 0


def apart(document: Spot, lookup: Lookup, begin: Sequence[Part]) -> list[Finding]:
    """Return the groups with their counts, those with the most first where that is asked.

    Raises Refused where there are too many to be told.
    """
    if document.at("groups_left_out").count:
        raise Refused("there are more different ones than can be told apart; state from when until when")
    # What was not read could make another one the greatest.
    named = [_most(document, lookup, begin)] if lookup.most and not _is_partial(document) else []
    if named and _are_more(document, lookup):
        return named
    return [*named, *_told(document, lookup, [*begin, *_heading(document, lookup), ":"])]


def _most(document: Spot, lookup: Lookup, begin: Sequence[Part]) -> Finding:
    """Name what has the greatest count; of several alike as many as can be told, and how many they are."""
    alike, rows = document.at("most_alike"), document.at("most").items()
    several: list[Part] = [", alike in ", number(alike), " of them"] if alike.count > 1 else []
    shown = rows[:_ALIKE_SHOWN]
    more: list[Part] = [", and others"] if len(shown) < alike.count else []
    told = say.joined([_group(row, lookup.group) for row in shown], "; ")
    lead = [*begin, f", the most by {lookup.group}", *several]
    return say.answer([*lead, *_unstated(document), ": ", *told, *more])


def _are_more(document: Spot, lookup: Lookup) -> bool:
    """Tell whether there are more minutes or hours than are listed."""
    return lookup.group in _BY_TIME and len(document.at("grouped").items()) < document.at("groups").count


def _is_partial(document: Spot) -> bool:
    return bool(document.at("logs_read_in_part").count or document.at("logs_not_read").count)


def _unstated(document: Spot) -> list[Part]:
    unstated = document.at("groups_unstated")
    return [", and ", number(unstated), " leave it unstated"] if unstated.count else []


def _heading(document: Spot, lookup: Lookup) -> list[Part]:
    """Say by what it is counted apart, into how many, and how many of them are told."""
    groups, shown = document.at("groups"), len(_rows(document, lookup))
    different = " different one" if groups.count == 1 else " different ones"
    least = "at least " if _is_partial(document) else ""
    parts: list[Part] = [f", by {lookup.group}: {least}", number(groups), different, *_unstated(document)]
    if shown < groups.count:
        parts += [", the largest first, of which the first are told"]
    return parts


def _told(document: Spot, lookup: Lookup, lead: Sequence[Part]) -> list[Finding]:
    rows = _rows(document, lookup)
    if lookup.group == "message":
        return [say.answer(_message(row)) for row in rows]
    return say.listed(lead, [_group(row, lookup.group) for row in rows])


def _rows(document: Spot, lookup: Lookup) -> Sequence[Spot]:
    rows = document.at("grouped").items()
    if lookup.group in _BY_TIME:
        if _are_more(document, lookup):
            raise Refused("there are more minutes or hours than can be told; state from when until when")
        if lookup.limit is None:
            return rows
        rows = sorted(rows, key=lambda row: -row.at("count").count)
    return rows[: lookup.limit or (MESSAGES_SHOWN if lookup.group == "message" else SHOWN)]


def _group(row: Spot, by: str) -> list[Part]:
    count, text = number(row.at("count")), row.at("text")
    if by in _BY_TIME:
        return [count, f" in the {by} from ", instant(text)]
    said = literal(text) if _PLAIN.fullmatch(text.text) else quote(text, say.shown_text(text.text))
    return [count, f" {_WORDS[by]} ", said]


def _message(row: Spot) -> list[Part]:
    return [number(row.at("count")), " like ", *say.line(row.at("first"), row.at("source").text)]
