"""Metric series of a file, whatever its format, in one shape; and the reader of Prometheus responses.

A response is the JSON that `/api/v1/query_range` or `/api/v1/query` answers. An index is a JSON list that
names, for each response file, the query that it answers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TypeAlias

from services.common.evidence.strict_json import Json, NumberToken
from services.executor.sources.instants import FIRST_SECOND, LAST_SECOND
from services.executor.sources.positioned_json import Element

Labels: TypeAlias = Mapping[str, str]
# A token longer than this is no sample value that any system writes.
_MAX_TOKEN = 64


@dataclass(frozen=True, slots=True)
class Series:
    """One series of one file.

    `samples` are (Unix seconds, value token as the source wrote it), ascending in time; `step_seconds` is the
    usual distance between them, 0 for fewer than two. `name` and `query` are those of the index where there
    is one, else the metric's own name, else the file's. `owner` is the component by the topology, or empty.
    """

    source: str
    owner: str
    first_line: int
    last_line: int
    sha256: str
    name: str
    query: str
    labels: dict[str, str]
    samples: list[tuple[float, str]]
    step_seconds: float


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """What an index says about one file."""

    name: str
    query: str


def index_entries(values: Sequence[Json]) -> dict[str, IndexEntry]:
    """Return what an index says, by file name."""
    entries: dict[str, IndexEntry] = {}
    for value in values:
        if isinstance(value, dict):
            file = _text(value.get("file"))
            if file:
                entries[file] = IndexEntry(_text(value.get("name")), _text(value.get("query")))
    return entries


def response_labels(value: Json) -> dict[str, str]:
    """Return the labels of one element of a response; empty when it has none."""
    metric = value.get("metric") if isinstance(value, dict) else None
    if not isinstance(metric, dict):
        return {}
    return {key: label for key, label in metric.items() if type(label) is str}


def response_samples(value: Json) -> list[tuple[float, str]]:
    """Return the samples of one element of a response, ascending in time; what is no sample is left out."""
    if not isinstance(value, dict):
        return []
    pairs = value.get("values")
    if not isinstance(pairs, list):
        pairs = [value.get("value")]
    samples = [sample for pair in pairs if (sample := sample_of(pair)) is not None]
    return sorted(samples, key=lambda sample: sample[0])


def sample_of(pair: Json) -> tuple[float, str] | None:
    """Return one `[time, "value"]` pair; None when it is none."""
    if not isinstance(pair, list) or len(pair) != 2:
        return None
    time, token = pair
    if not isinstance(time, NumberToken) or not isinstance(token, str) or len(token) > _MAX_TOKEN:
        return None
    try:
        float(token)
    except ValueError:
        return None
    # What no calendar names cannot be told as an instant.
    return (time.value(), str(token)) if FIRST_SECOND <= time.value() <= LAST_SECOND else None


def step_of(samples: Sequence[tuple[float, str]]) -> float:
    """Return the usual distance between samples in seconds, 0 for fewer than two."""
    gaps = [later[0] - earlier[0] for earlier, later in pairwise(samples)]
    return float(median(gaps)) if gaps else 0.0


def response_series(
    source: str, sha256: str, elements: Sequence[Element], entry: IndexEntry | None, owners: Sequence[str]
) -> list[Series]:
    """Return the series of a response file; `owners` has one for each element."""
    series = []
    for element, owner in zip(elements, owners, strict=True):
        labels = response_labels(element.value)
        own_name = labels.get("__name__", "")
        samples = response_samples(element.value)
        series.append(
            Series(
                source=source,
                owner=owner,
                first_line=element.first_line,
                last_line=element.last_line,
                sha256=sha256,
                name=(entry.name if entry else "") or own_name or stem(source),
                query=(entry.query if entry else "") or own_name,
                labels=labels,
                samples=samples,
                step_seconds=step_of(samples),
            )
        )
    return series


def stem(source: str) -> str:
    """Return a file's name without folder and ending."""
    return source.rsplit("/", 1)[-1].split(".", 1)[0]


def _text(value: Json) -> str:
    return value if type(value) is str else ""
