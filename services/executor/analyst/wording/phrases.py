"""How one series, one limit or one kind of log line is put into words."""

import re
from collections.abc import Sequence

from services.common.evidence.document import EvidenceBinding
from services.executor.analyst.reading.material import Material
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.views import Log, MetricChange, Pair, Template
from services.executor.analyst.reading.words import verb_of_status
from services.executor.analyst.wording.findings import (
    Part,
    counted,
    instant,
    line_instant,
    line_quote,
    literal,
    none,
    number,
)

# Where a series was scraped says little beside what it is about.
_WHERE_LABELS = ("instance", "job", "server")
_LABEL = re.compile(r'(?<!\w)(\w++)="((?:[^"\\]|\\.)*+)"')


def series_name(change: MetricChange) -> list[Part]:
    """Name a series with the labels that tell it from its neighbours."""
    name, labels = change.spot.at("name"), change.spot.at("labels")
    shown = telling_labels(labels.text)
    return [literal(name), literal(labels, shown)] if shown else [literal(name)]


def telling_labels(labels: str) -> str:
    """Return labels without those that only say where the series was scraped, if others remain."""
    pairs = _LABEL.findall(labels)
    telling = [pair for pair in pairs if pair[0] not in _WHERE_LABELS]
    kept = telling or [pair for pair in pairs if pair[0] != "instance"] or pairs
    return "{" + ",".join(f'{name}="{value}"' for name, value in kept) + "}" if kept else ""


def beginning(change: MetricChange) -> list[Part]:
    """Say how a series began to move: the clause behind "before"."""
    spot = change.spot
    if change.was_absent:
        return [*series_name(change), " appeared at ", instant(spot.at("onset"))]
    if change.by_rate:
        pace = " began to grow faster at " if change.rises else " began to grow more slowly at "
        return [*series_name(change), pace, instant(spot.at("onset"))]
    verb = " rose from " if change.rises else " fell from "
    values = number(spot.at("before", "value")), " to ", number(spot.at("at", "value"))
    return [*series_name(change), verb, *values, " at ", instant(spot.at("onset"))]


def course(change: MetricChange) -> list[Part]:
    """Say how far a series moved, since when, and when it was back."""
    spot = change.spot
    if change.was_absent:
        return [*beginning(change), " and reached ", number(spot.at("extreme", "value"))]
    if change.by_rate:
        values = number(spot.at("before", "value")), " to ", number(spot.at("last", "value"))
        return [*beginning(change), ", and went from ", *values]
    verb = " rose from " if change.rises else " fell from "
    parts: list[Part] = [
        *series_name(change), verb, number(spot.at("before", "value")), " to ",
        number(spot.at("extreme", "value")), ", beginning at ", instant(spot.at("onset")),
    ]  # fmt: skip
    if change.ended is not None:
        parts += [", and was back in its usual range at ", instant(spot.at("ended"))]
    return parts


def limit_use(pair: Pair) -> list[Part]:
    """Say how much of a limit was used at most, when first, and by what most."""
    spot = pair.spot
    parts: list[Part] = [
        *in_all(pair), literal(spot.at("usage_name")), " reached ", number(spot.at("usage_max")), " at ",
        instant(spot.at("max_at")), ", where ", literal(spot.at("limit_name")), " is ",
        number(spot.at("limit")),
    ]  # fmt: skip
    if pair.largest_labels:
        labels = spot.at("largest", "labels")
        parts += [
            "; the largest part then was ", literal(labels, telling_labels(labels.text)), " with ",
            number(spot.at("largest", "value")),
        ]  # fmt: skip
    return parts


def in_all(pair: Pair) -> list[Part]:
    """Say that a usage is a sum, where it is one."""
    return ["the sum of "] if pair.largest_labels else []


def first_record(template: Template) -> list[Part]:
    """Say when a kind of log line first appeared: the clause behind "before"."""
    first, who = template.first, template.owner or template.source
    if template.is_status:
        verb = verb_of_status(first.at("text").text)
        told = f"{who} first answered" if verb == "answered" else f"{who} first {verb} a request"
        what: list[Part] = [f"{told} with status ", literal(template.spot.at("outcome"))]
    elif not template.quote:
        what = [f"{who} first logged a failing line"]
    elif template.tally is not None:
        what = [f"{who} first logged ", line_quote(first, template.quote)]
    else:
        # Its common words may stand in other lines before.
        what = [f"{who} first logged a line like ", line_quote(first, template.example or template.quote)]
    return [*what, f"{template.where} at ", line_instant(first)]


def slow_requests(log: Log) -> list[Part]:
    """Say how many requests of a log were slow since the onset; empty unless none or few were before."""
    durations = log.spot.at("durations")
    after, before = durations.at("over_1s_after").count, durations.at("over_1s_before").count
    first, last = durations.at("first_over_1s"), durations.at("last_over_1s")
    if after <= 3 * before or not first.at("text").text:
        return []
    parts: list[Part] = [
        f"{log.owner or log.source}: ", *counted(durations.at("over_1s_after"), "request", "requests"),
        f"{log.where} took longer than one second",
    ]  # fmt: skip
    if before:
        # The longest and the first one may be among those.
        parts += [" from ", instant(log.spot.at("split")), " on, the last logged at ", line_instant(last)]
    else:
        parts += [
            ", the longest ", number(durations.at("max_seconds")), " s, the first logged at ",
            line_instant(first), " and the last at ", line_instant(last),
        ]  # fmt: skip
    earlier = durations.at("over_1s_before")
    return [*parts, "; ", *([number(earlier)] if before else none(earlier)), " before"]


def raw_samples(material: Material, change: MetricChange) -> list[EvidenceBinding]:
    """Return bindings of the raw samples before and at the onset of a change, where they were read."""
    source, name = change.spot.at("source").text, change.spot.at("name").text
    for document in material.documents("metrics_query_range"):
        if document.at("source").text != source:
            continue
        values = [element.at("value") for element in document.at("elements").items()]
        same = [value for value in values if _labels_of(value.at("metric")) == change.labels]
        # A table holds metrics of several names with the same labels.
        named = [value for value in same if value.at("metric", "__name__").text == name]
        for value in (named or same)[:1]:
            if found := _samples_at(value.at("values"), change):
                return found
    return []


def _samples_at(samples: Spot, change: MetricChange) -> list[EvidenceBinding]:
    wanted = {change.onset - change.step, change.onset}
    bound = [
        sample.at(1).bind()
        for sample in samples.items()
        if (time := sample.at(0).number) is not None and round(time, 3) in wanted
    ]
    return [binding for binding in bound if binding is not None]


def _labels_of(metric: Spot) -> str:
    pairs: Sequence[tuple[str, str]] = sorted(
        (name, spot.text) for name, spot in metric.members().items() if name != "__name__"
    )
    escaped = ((name, value.replace("\\", "\\\\").replace('"', '\\"')) for name, value in pairs)
    text = ",".join(f'{name}="{value}"' for name, value in escaped)
    return "{" + text + "}" if text else ""
