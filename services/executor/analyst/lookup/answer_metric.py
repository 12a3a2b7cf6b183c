"""What a metric was: at an instant, at most, at least, last, and when it was beyond a number."""

from collections.abc import Sequence

from services.executor.analyst.lookup import wording as say
from services.executor.analyst.lookup.asked import Ask, Lookup, Refused
from services.executor.analyst.lookup.calls import all_metrics_call, metric_call
from services.executor.analyst.lookup.chosen import chosen_series
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.words import seconds_of
from services.executor.analyst.wording.findings import Finding, Part, counted, instant, literal, number

# More series than these are not told one by one: the question has to name a label's value.
MAX_SERIES = 12


def metric(lookup: Lookup, known: Known) -> list[Finding]:
    """Return what answers a question about a metric; raises Refused where its series do not tell."""
    if not lookup.names:
        return _names(known)
    document = known.document(metric_call(lookup, known))
    wanted = {_identity(row) for row in chosen_series(lookup, known)}
    rows = [row for row in document.at("series").items() if _identity(row) in wanted] if document else []
    if document is None or len(rows) != len(wanted) or document.at("series_left_out").count:
        raise Refused("the series of this metric could not be read as a whole")
    rows = [row for row in rows if row.at("samples").count]
    if not rows:
        raise Refused("the metric has no sample in the time that is asked about")
    if lookup.above is not None or lookup.below is not None:
        return _beyond(document, rows, lookup)
    if lookup.ask in (Ask.MAX, Ask.MIN):
        return _extreme(document, rows, lookup)
    if lookup.ask is Ask.MEAN:
        return _mean(document, rows)
    return _value(document, rows, lookup)


def _names(known: Known) -> list[Finding]:
    """List the names of all metrics, each once."""
    document = known.document(all_metrics_call(known))
    if document is None or document.at("matching").count != len(document.at("series").items()):
        raise Refused("there are more series than can be listed; name a metric")
    named = {row.at("name").text: row.at("name") for row in document.at("series").items()}
    if not named:
        raise Refused("no metric is recorded")
    lead: list[Part] = [*counted(document.at("matching"), "series", "series"), " of metrics:"]
    return say.listed(lead, [[literal(spot)] for _, spot in sorted(named.items())])


def _identity(row: Spot) -> tuple[str, str, str]:
    return row.at("source").text, row.at("name").text, row.at("labels").text


def _named(row: Spot) -> list[Part]:
    labels = row.at("labels")
    return [literal(row.at("name")), *([literal(labels)] if labels.text else [])]


def _extreme(document: Spot, rows: Sequence[Spot], lookup: Lookup) -> list[Finding]:
    side, word = ("max", "greatest") if lookup.ask is Ask.MAX else ("min", "least")
    sign = -1.0 if lookup.ask is Ask.MAX else 1.0
    ordered = sorted(rows, key=lambda row: sign * (row.at(side).number or 0.0))
    # The greatest of all are told, however many there are.
    told = ordered[:MAX_SERIES]
    clauses = [
        [
            *_named(row),
            f" was {word} with ",
            number(row.at(side)),
            ", first at ",
            instant(row.at(f"{side}_at")),
        ]
        for row in told
    ]
    first = [*clauses[0], *say.window(document)]
    matching = number(document.at("matching"))
    lead: list[Part] = [f"The first {word} of ", matching, " series:"] if len(told) < len(ordered) else []
    return [say.answer(first)] if len(clauses) == 1 else say.listed(lead, [first, *clauses[1:]])


def _mean(document: Spot, rows: Sequence[Spot]) -> list[Finding]:
    if len(rows) > MAX_SERIES:
        raise Refused("the metric has too many series to tell which is meant; name the component or a label")
    if any(not row.at("mean").text for row in rows):
        raise Refused("the samples of this metric have no mean")
    clauses = [
        [
            *_named(row),
            " has the mean ",
            number(row.at("mean")),
            " over ",
            number(row.at("samples")),
            " samples",
        ]
        for row in rows
    ]
    clauses[0] = [*clauses[0], *say.window(document)]
    return [say.answer(clauses[0])] if len(clauses) == 1 else say.listed([], clauses)


def _value(document: Spot, rows: Sequence[Spot], lookup: Lookup) -> list[Finding]:
    side = "value" if lookup.at else "last" if lookup.ask is not Ask.FIRST else "first"
    rows = [row for row in rows if row.at(side).text]
    if not rows or len(rows) > MAX_SERIES:
        raise Refused("the metric has no value then, or too many series; name the component or a label")
    word = {"value": "was", "last": "was last", "first": "was first"}[side]
    clauses = [
        [*_named(row), f" {word} ", number(row.at(side)), " at ", instant(row.at(f"{side}_at"))]
        for row in rows
    ]
    if side != "value":
        clauses[0] = [*clauses[0], *say.window(document)]
    return [say.answer(clauses[0])] if len(clauses) == 1 else say.listed([], clauses)


def _beyond(document: Spot, rows: Sequence[Spot], lookup: Lookup) -> list[Finding]:
    if len(rows) > MAX_SERIES:
        raise Refused("the metric has too many series to tell which is meant; name the component or a label")
    side = "above" if lookup.above is not None else "below"
    reached = sorted(
        (row for row in rows if row.at("beyond").count),
        key=lambda row: seconds_of(row.at("beyond_first_at").text) or 0.0,
    )
    bound: list[Part] = [f" {side} ", number(document.at(side))]
    if not reached:
        clauses = [
            [
                say.cited("no sample", row.at("beyond")),
                " of ",
                number(row.at("samples")),
                " of ",
                *_named(row),
            ]
            for row in rows
        ]
        tail: list[Part] = [" is", *bound, *say.window(document)]
        return [say.answer([*say.joined(clauses), *tail])]
    found = [
        [
            *_named(row), " was first", *bound, " at ", instant(row.at("beyond_first_at")), " with ",
            number(row.at("beyond_first")), ", and last at ", instant(row.at("beyond_last_at")),
            ", in ", number(row.at("beyond")), " of ", number(row.at("samples")), " samples",
        ]
        for row in reached
    ]  # fmt: skip
    return [say.answer(found[0])] if len(found) == 1 else say.listed([], found)
