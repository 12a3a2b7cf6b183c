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
# What a stranger wrote otherwise stands between marks, as lines do.
_PLAIN: Final = re.compile(r"[A-Za-z0-9/][\w./:%~@+=-]{0,119}", re.ASCII)
_BY_TIME: Final = ("minute", "hour")
_WORDS: Final = {"status": "with", "client": "from", "path": "to", "method": "by", "level": "at the level"}


def has_groups(document: Spot) -> bool:
    """Tell whether anything was counted apart."""
    return document.at("groups").count > 0


def heading(document: Spot, lookup: Lookup) -> list[Part]:
    """Say by what it is counted apart, into how many, and how many of them are told."""
    groups, unstated = document.at("groups"), document.at("groups_unstated")
    shown = len(_rows(document, lookup))
    different = " different one" if groups.count == 1 else " different ones"
    if document.at("groups_left_out").count:
        raise Refused("there are more different ones than can be told apart; state from when until when")
    least = (
        "at least " if document.at("logs_read_in_part").count or document.at("logs_not_read").count else ""
    )
    parts: list[Part] = [f", by {lookup.group}: {least}", number(groups), different]
    if unstated.count:
        parts += [", and ", number(unstated), " leave it unstated"]
    if shown < groups.count:
        parts += [", the largest first, of which the first are told"]
    return parts


def told(document: Spot, lookup: Lookup, lead: Sequence[Part]) -> list[Finding]:
    """Return the groups with their counts; raises Refused where those in order of time are too many."""
    rows = _rows(document, lookup)
    if lookup.group == "message":
        return [say.answer(_message(row)) for row in rows]
    return say.listed(lead, [_group(row, lookup.group) for row in rows])


def _rows(document: Spot, lookup: Lookup) -> Sequence[Spot]:
    rows = document.at("grouped").items()
    if lookup.group in _BY_TIME:
        if len(rows) < document.at("groups").count:
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
