"""What a file is, told by what it holds and where it lies; names decide only where content cannot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from services.common.evidence import pointer
from services.common.evidence.strict_json import Json
from services.executor.sources.instants import Instant, from_epoch, from_iso
from services.executor.sources.kubernetes.reader import is_object_json

LOG: Final = "log"
METRIC: Final = "metric"
ALERT: Final = "alert"
CHANGE_EVENT: Final = "change_event"
TOPOLOGY: Final = "topology"
KUBERNETES: Final = "kubernetes"
RUNBOOK: Final = "runbook"
# What any incident may have: many systems run on no cluster, and lack nothing for that.
EXPECTED: Final = (ALERT, CHANGE_EVENT, LOG, METRIC, TOPOLOGY)


class Form(Enum):
    """How a source is written down."""

    TEXT = "text"
    ELEMENTS = "a list of elements"
    RESPONSE = "a Prometheus response"
    INDEX = "an index of Prometheus responses"
    TABLE = "a table of samples"
    TOPOLOGY = "services and calls"
    OBJECTS = "objects of a cluster"
    PROSE = "prose"


@dataclass(frozen=True, slots=True)
class Shape:
    """Kind and form of a JSON file, and the token list of the list that holds its elements."""

    kind: str
    form: Form
    path: tuple[str, ...] = ()


_TIME_KEYS: Final = (
    "time",
    "ts",
    "timestamp",
    "at",
    "date",
    "when",
    "activeAt",
    "startsAt",
    "endsAt",
    "start",
    "end",
    "started_at",
    "finished_at",
    "created_at",
)
_CHANGE_KEYS: Final = (
    "type",
    "kind",
    "summary",
    "change",
    "event",
    "action",
    "description",
    "title",
    "message",
)
_LISTS: Final = ((), ("events",), ("changes",), ("items",), ("data", "events"))
_KIND_WORDS: Final = (
    ("alert", ALERT),
    ("metric", METRIC),
    ("event", CHANGE_EVENT),
    ("change", CHANGE_EVENT),
    ("topology", TOPOLOGY),
)
# Alertmanager writes the year 1 for "not yet".
_EARLIEST: Final = 0


def shape_of(value: Json, name: str) -> Shape | None:
    """Tell what a parsed JSON file is; None when it is of no kind that a tool reads.

    `name` decides only for an empty list, which is worth knowing: there were no alerts, or no changes.
    """
    if is_object_json(value):
        return Shape(KUBERNETES, Form.OBJECTS)
    if isinstance(value, dict):
        found = _object_shape(value)
        if found is not None:
            return found
    return _list_shape(value, name)


def kind_by_name(name: str) -> str:
    """Return the kind that a file's folder and name suggest; a log when they suggest none."""
    lowered = name.lower()
    return next((kind for word, kind in _KIND_WORDS if word in lowered), LOG)


def instants_of(element: Json) -> list[Instant]:
    """Return the instants that an element states in its usual fields."""
    if not isinstance(element, dict):
        return []
    found = []
    for key in _TIME_KEYS:
        token = element.get(key)
        time = (from_iso(token) or from_epoch(token)) if isinstance(token, str) else None
        if time is not None and time.microseconds > _EARLIEST:
            found.append(time)
    return found


def _object_shape(value: Mapping[str, Json]) -> Shape | None:
    data = value.get("data")
    if isinstance(data, dict):
        # Loki answers in the same form, with lines.
        if isinstance(data.get("result"), list) and data.get("resultType", "streams") != "streams":
            return Shape(METRIC, Form.RESPONSE, ("data", "result"))
        if isinstance(data.get("alerts"), list):
            return Shape(ALERT, Form.ELEMENTS, ("data", "alerts"))
    if isinstance(value.get("alerts"), list):
        return Shape(ALERT, Form.ELEMENTS, ("alerts",))
    if isinstance(value.get("services"), list):
        return Shape(TOPOLOGY, Form.TOPOLOGY)
    return None


def _list_shape(value: Json, name: str) -> Shape | None:
    for path in _LISTS:
        try:
            found = pointer.walk(value, path)[-1]
        except pointer.PointerError:
            continue
        if isinstance(found, list):
            return _elements_shape(found, path) if found else _empty_shape(name, path)
    return None


def _empty_shape(name: str, path: tuple[str, ...]) -> Shape | None:
    kind = kind_by_name(name)
    return Shape(kind, Form.ELEMENTS, path) if kind in (ALERT, CHANGE_EVENT) else None


def _elements_shape(elements: Sequence[Json], path: tuple[str, ...]) -> Shape | None:
    objects = [element for element in elements if isinstance(element, dict)]
    if len(objects) != len(elements):
        return None
    if all(isinstance(item.get("labels"), dict) for item in objects):
        return Shape(ALERT, Form.ELEMENTS, path)
    if all("file" in item and ("query" in item or "name" in item) for item in objects):
        return Shape(METRIC, Form.INDEX, path)
    # One entry that lacks its time must not hide the others.
    if 2 * sum(map(_is_change, objects)) >= len(objects):
        return Shape(CHANGE_EVENT, Form.ELEMENTS, path)
    return None


def _is_change(element: dict[str, Json]) -> bool:
    return bool(instants_of(element)) and any(key in element for key in _CHANGE_KEYS)
