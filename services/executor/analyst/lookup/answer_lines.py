"""How many lines, the first, the last, which: what the counts of logs answer."""

from services.executor.analyst.lookup import answer_groups as groups
from services.executor.analyst.lookup import wording as say
from services.executor.analyst.lookup.asked import Ask, Lookup, Refused
from services.executor.analyst.lookup.calls import MAX_SHOWN, SHOWN, line_calls
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.words import seconds_of
from services.executor.analyst.wording.findings import Finding, Part, counted, literal, number

# So many logs are told one by one.
MAX_LOGS = 8


def lines(lookup: Lookup, known: Known) -> list[Finding]:
    """Return what answers a question about lines; raises Refused where the logs do not tell."""
    if lookup.components and not known.logs_of(lookup.components):
        raise Refused("no log of the named component was read")
    found = [known.document(call) for call in line_calls(lookup, known)]
    document = found[0]
    if document is None or not document.at("logs_read").count:
        raise Refused("no log could be read")
    check_complete(document, lookup)
    component = _component(lookup, document)
    if document.at("count").count == 0:
        return [
            say.answer(
                [*_none(document, lookup), *_beside(document), *_said_at_all(document, found[1:])], component
            )
        ]
    ends = _ends(document)
    match lookup.ask:
        case Ask.FIRST | Ask.LAST:
            parts = _one_end(document, lookup, ends[lookup.ask is Ask.LAST])
        case _:
            parts = [*_count(document, lookup), *_where(document, lookup), *_first_and_last(document, ends)]
            parts += _how_many_shown(document, lookup)
    head = say.answer([*parts, *_beside(document), *_said_at_all(document, found[1:])], component)
    if lookup.group:
        return [head, *groups.apart(document, lookup, ["Of these, counted apart"])]
    return [head, *_shown(document, lookup, component)] if lookup.ask is Ask.LIST else [head]


def check_complete(document: Spot, lookup: Lookup) -> None:
    """Raise Refused where what was not read could change the answer and cannot be told beside it."""
    partial = document.at("logs_not_read").count or document.at("logs_read_in_part").count
    if partial and (document.at("count").count == 0 or lookup.ask in (Ask.FIRST, Ask.LAST)):
        raise Refused("the logs could not be read as a whole, and what was not read may hold it")
    if lookup.is_phrase and lookup.literals and document.at("count").count == 0 and len(lookup.literals) == 1:
        raise Refused("no line holds these words together; quote the text as a log writes it")


def _component(lookup: Lookup, document: Spot) -> str:
    rows = document.at("logs").items()
    owners = {row.at("owner").text for row in rows}
    return lookup.components[0] if len(lookup.components) == 1 and owners == set(lookup.components) else ""


def _unit(document: Spot, *, one: bool) -> str:
    return document.at("unit").text.removesuffix("s") if one else document.at("unit").text


def _logs(document: Spot) -> list[Part]:
    """Name the log that was read, or how many were."""
    rows = document.at("logs").items()
    if len(rows) == 1:
        return [say.cited(rows[0].at("source").text, rows[0].at("lines"))]
    return [number(document.at("logs_read")), " logs"]


def _none(document: Spot, lookup: Lookup) -> list[Part]:
    lead = say.cited(f"No {_unit(document, one=True)}", document.at("count"))
    held = say.conditions(document, lookup, one=True) or ["is there"]
    return [lead, " of ", *_logs(document), *_size(document), *say.window(document), " ", *held]


def _size(document: Spot) -> list[Part]:
    """Say how long the only log is: what was looked through is bound with it."""
    rows = document.at("logs").items()
    return [" (", *counted(rows[0].at("lines"), "line", "lines"), ")"] if len(rows) == 1 else []


def _count(document: Spot, lookup: Lookup, joint: str = " ") -> list[Part]:
    one = document.at("count").count == 1
    least: list[Part] = ["at least "] if _is_partial(document) else []
    held = say.conditions(document, lookup, one=one)
    lead = [*least, number(document.at("count")), f" {_unit(document, one=one)} of ", *_logs(document)]
    return [*lead, *say.window(document), *([joint, *held] if held else [])]


def _is_partial(document: Spot) -> bool:
    return bool(document.at("logs_not_read").count or document.at("logs_read_in_part").count)


def _where(document: Spot, lookup: Lookup) -> list[Part]:
    """Say how many are in which log, where there are several."""
    rows = [row for row in document.at("logs").items() if row.at("count").count]
    if lookup.by_log:
        rows.sort(key=lambda row: -row.at("count").count)
    if len(document.at("logs").items()) == 1:
        return []
    clauses: list[list[Part]] = [
        [number(row.at("count")), f" in {row.at('source').text}"] for row in rows[:MAX_LOGS]
    ]
    more: list[Part] = [" and others"] if len(rows) > MAX_LOGS else []
    first = ", the most first: " if lookup.by_log and len(rows) > 1 else ": "
    return [first, *say.joined(clauses), *more]


def _ends(document: Spot) -> tuple[Spot, Spot]:
    """Return the first and the last line of all logs by their instants; those without one by their place."""
    rows = [row for row in document.at("logs").items() if row.at("count").count]
    firsts = [row.at("first") for row in rows]
    lasts = [row.at("last") for row in rows]
    return min(firsts, key=_seconds), max(lasts, key=_seconds)


def _seconds(spot: Spot) -> float:
    return seconds_of(spot.at("time").text) or 0.0


def _first_and_last(document: Spot, ends: tuple[Spot, Spot]) -> list[Part]:
    first, last = ends
    if not _all_dated(document):
        return []
    if document.at("count").count == 1:
        return ["; it stands there", *say.at(first)]
    return ["; the first stands there", *say.at(first), ", the last", *say.at(last)]


def _all_dated(document: Spot) -> bool:
    """Tell whether the first and the last line of every log say when they were written."""
    rows = [row for row in document.at("logs").items() if row.at("count").count]
    return all(row.at(side, "time").text for row in rows for side in ("first", "last"))


def _one_end(document: Spot, lookup: Lookup, end: Spot) -> list[Part]:
    rows = [row for row in document.at("logs").items() if row.at("count").count]
    if len(rows) > 1 and not _all_dated(document):
        raise Refused("some lines have no times, so that none of several logs is the first or the last")
    shown = say.line(end, Spot(end.call, end.path[:-1]).at("source").text)
    if document.at("count").count == 1:
        return ["Only ", *_count(document, lookup), ": ", *shown]
    which = "last" if lookup.ask is Ask.LAST else "first"
    return [f"The {which} of ", *_count(document, lookup, " that "), " is ", *shown]


def _beside(document: Spot) -> list[Part]:
    """Say what fits beside the count: lines without a time, and lines that another log holds as well."""
    parts: list[Part] = []
    if document.at("undated").count:
        parts += ["; lines that fit and are undated, counted apart: ", number(document.at("undated"))]
    if document.at("repeated").count:
        parts += ["; ", number(document.at("repeated")), " of these read the same in another of the logs"]
    return parts


def _said_at_all(counted_level: Spot, found: list[Spot | None]) -> list[Part]:
    """Say how many lines hold the word of a level at all, where that is another number."""
    parts: list[Part] = []
    for document in found:
        if document is not None and document.at("count").count != counted_level.at("count").count:
            text = document.at("contains").items()[0]
            parts += ["; lines that hold the word ", literal(text), " at all: ", number(document.at("count"))]
    return parts


def _how_many_shown(document: Spot, lookup: Lookup) -> list[Part]:
    shown = min(lookup.limit or SHOWN, MAX_SHOWN)
    if lookup.ask is not Ask.LIST or document.at("count").count <= shown:
        return []
    return ["; the last few are shown" if lookup.from_end else "; the first few are shown"]


def _shown(document: Spot, lookup: Lookup, component: str) -> list[Finding]:
    """Show lines, of several logs the first or the last by their instants."""
    rows = [row for row in document.at("logs").items() if row.at("excerpts").items()]
    pairs = [(spot, row.at("source").text) for row in rows for spot in row.at("excerpts").items()]
    if all(spot.at("time").text for spot, _ in pairs):
        pairs.sort(key=lambda pair: _seconds(pair[0]))
    limit = min(lookup.limit or SHOWN, MAX_SHOWN)
    kept = pairs[-limit:] if lookup.from_end else pairs[:limit]
    return [say.answer(say.line(spot, source), component) for spot, source in kept]
