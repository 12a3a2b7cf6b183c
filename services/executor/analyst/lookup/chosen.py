"""Which alerts, changes and series a lookup means, and the conditions that select exactly these."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from services.common.evidence.strict_json import Json
from services.executor.analyst.lookup.asked import Lookup, Refused, Span
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.views import Alert, ChangeEvent
from services.executor.analyst.reading.words import seconds_of

_FIRING = ("firing", "active", "alerting")
_WAITING = ("pending", "inactive", "normal")
_STATES = ("state", "status/state", "status")
_TYPE_KEYS = ("type", "kind", "category", "action")
_LABELS = ("service", "component", "app", "application", "target", "workload", "deployment", "pod", "job")
T = TypeVar("T")


@dataclass(frozen=True)
class Chosen(Generic[T]):
    """Some entries, and what a tool has to be told to count the same ones."""

    entries: Sequence[T]
    where: Sequence[Json] = field(default_factory=tuple)


def chosen_alerts(lookup: Lookup, known: Known) -> Chosen[Alert]:
    """Return the alerts of some names, components and states; raises Refused where nothing selects them."""
    found, where = list(known.alerts), list[Json]()
    if lookup.names:
        found = _of(found, where, ("labels/alertname",), lookup.names, _alert_spot)
    if lookup.states:
        found = _of(found, where, [_path_of_state(found)], _states(lookup, found), _alert_spot)
    if lookup.components:
        stated = {key for each in found for key in each.spot.at("labels").members()}
        labels = [f"labels/{key}" for key in (*_LABELS, *sorted(stated - set(_LABELS))) if key in stated]
        found = _about(found, where, labels, lookup.components, _alert_spot)
    return Chosen(found, where)


def _path_of_state(alerts: Sequence[Alert]) -> str:
    """Return where alerts state how they are; raises Refused where not all of them do it there."""
    paths = {next((path for path in _STATES if each.spot.at(*path.split("/")).text), "") for each in alerts}
    if len(paths) > 1 or "" in paths:
        raise Refused("the recorded alerts state in different places, or not at all, whether they fire")
    return next(iter(paths), _STATES[0])


def _states(lookup: Lookup, alerts: Sequence[Alert]) -> Sequence[str]:
    """Return the states that are meant: of what fired once, each but those of alerts that only wait."""
    if lookup.states == ("fired",):
        ended = {each.state.text for each in alerts} - {*_FIRING, *_WAITING}
        return (*_FIRING, *sorted(ended))
    if lookup.states == ("firing",):
        if lookup.span != Span() and any(each.state.text not in (*_FIRING, *_WAITING) for each in alerts):
            raise Refused("some alerts have ended, and until when each of them fired is not certain")
        return _FIRING
    return lookup.states


def chosen_changes(lookup: Lookup, known: Known) -> Chosen[ChangeEvent]:
    """Return the changes of some components and types; raises Refused where nothing selects them."""
    found, where = list(known.changes), list[Json]()
    if lookup.components:
        found = _about(found, where, _LABELS, lookup.components, _change_spot)
    if lookup.types:
        if any(not event.kind for event in found):
            raise Refused("some recorded changes do not say of which type they are")
        texts = sorted(
            {each.kind for each in found if any(part in each.kind.lower() for part in lookup.types)}
        )
        # Of a type that nothing is of, none is counted.
        found = _of(found, where, _TYPE_KEYS, texts or lookup.types, _change_spot)
    return Chosen(found, where)


def _about(
    found: Sequence[T],
    where: list[Json],
    paths: Sequence[str],
    names: Sequence[str],
    spot_of: Callable[[T], Spot],
) -> list[T]:
    """Keep the entries about some components; raises Refused where another one speaks of them as well."""
    kept = _of(found, where, paths, names, spot_of)
    rest = [each for each in found if each not in kept]
    said = (text for each in rest for text in _texts(spot_of(each).value))
    if any(name.lower() in text.lower() for text in said for name in names):
        raise Refused("what some entries are about is not certain: they name the component in passing")
    return kept


def _texts(value: Json) -> Iterator[str]:
    match value:
        case dict():
            for member in value.values():
                yield from _texts(member)
        case list():
            for member in value:
                yield from _texts(member)
        case str():
            yield value


def chosen_series(lookup: Lookup, known: Known) -> list[Spot]:
    """Return the series of the named metrics, of a named component only its own."""
    rows = [row for row in known.series if row.at("name").text in lookup.names]
    for component in lookup.components:
        quoted = f'"{component}"'
        rows = [row for row in rows if component == row.at("owner").text or quoted in row.at("labels").text]
    if not rows:
        raise Refused("no recorded series of that metric is of the named component")
    return rows


def inside(entries: Iterable[T], span: Span, time_of: Callable[[T], str]) -> list[T]:
    """Return the entries whose instants lie in a span."""
    start, end = seconds_of(span.start), seconds_of(span.end)
    found = []
    for each in entries:
        at = seconds_of(time_of(each))
        if at is None:
            if start is None and end is None:
                found.append(each)
        elif (start is None or at >= start) and (end is None or at < end):
            found.append(each)
    return found


def _of(
    found: Sequence[T],
    where: list[Json],
    paths: Sequence[str],
    texts: Iterable[str],
    spot_of: Callable[[T], Spot],
) -> list[T]:
    """Keep the entries with one of some texts at the first path that holds one of them in any entry."""
    wanted: list[Json] = [*texts]
    if not paths:
        raise Refused("nothing recorded tells what these entries are about")
    for path in paths:
        keys = path.split("/")
        kept = [each for each in found if spot_of(each).at(*keys).text in wanted]
        if kept:
            held = {spot_of(each).at(*keys).text for each in kept}
            where.append({"path": path, "texts": [text for text in wanted if text in held]})
            return kept
    stated = (path for path in paths if any(spot_of(each).at(*path.split("/")).text for each in found))
    where.append({"path": next(stated, paths[0]), "texts": wanted})
    return []


def _alert_spot(alert: Alert) -> Spot:
    return alert.spot


def _change_spot(event: ChangeEvent) -> Spot:
    return Spot(event.summary.call, event.summary.path[:-1])
