"""Ten times as much of what has nothing to do with an incident.

A log gets ten more lines for each of its lines with an instant, at the same instant and in its own form; one
without instants gets them before its own. Metrics get ten times their series, of components that nobody
calls, each the course of an old one with its samples in another order. A cluster gets pods that run well.
"""

import csv
import io
import json
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

TIMES: Final = 10
_BEAT: Final = "heartbeat {} of the idle loop"
# How a line begins up to its instant, and what a line of that form says then.
_FORMS: Final = (
    (re.compile(r'\S+ \S+ \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}:[^\]]+\] (?=")'), '"GET /idle/{} HTTP/1.1" 200 2'),
    (re.compile(r"\[\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\]]*\]"), f" idle DEBUG {_BEAT}"),
    (re.compile(r'\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d[^\s"]*'), f" DEBUG [idle] {_BEAT}"),
    (re.compile(r"\d+:[A-Z] \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d\S*"), f" - {_BEAT}"),
)
_INSTANT: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")
_COMPONENT: Final = re.compile(r'(?<==")[^"]+(?=")')
# Labels that name a component, and those that follow it. A series of an exporter, without the first, may be
# of any component that its metric is called after.
_OWNERS: Final = frozenset({"service", "component", "pod", "container", "app"})
_RENAMED: Final = _OWNERS | {"instance", "job"}
_PODS: Final = "NAMESPACE   NAME                  READY   STATUS    RESTARTS   AGE\n"
_LOGS: Final = frozenset({".log", ".jsonl", ".ndjson"})
_SEED: Final = 11


def with_noise(path: Path, text: str) -> str:
    """Return the text of a file with its noise; of a file that is neither log nor metrics the text."""
    if path.suffix == ".csv":
        return _more_columns(text)
    if path.suffix == ".json":
        return _more_series(text)
    return _more_lines(text) if path.suffix in _LOGS else text


def idle_pods(texts: Iterable[str]) -> str:
    """Return pods that run well, ten for each text that kubectl printed; nothing where there is none."""
    count = TIMES * sum(text.startswith(("Name:", "NAME")) for text in texts)
    rows = [
        f"idle        idle-{number:06}-x2xq9   1/1     Running   0          3d\n" for number in range(count)
    ]
    return _PODS + "".join(rows) if rows else ""


def _more_lines(text: str) -> str:
    lines = text.splitlines(keepends=True)
    if not any(map(_beat_like, lines)):
        return "".join(f"{_BEAT.format(number)}\n" for number in range(TIMES * len(lines))) + text
    found = []
    for number, line in enumerate(lines):
        found.append(line)
        # Only records that begin with a whole instant can be told apart from what belongs to them.
        if beat := _beat_like(line):
            found += [f"{beat.replace('{}', str(number * TIMES + index))}\n" for index in range(TIMES)]
    return "".join(found)


def _beat_like(line: str) -> str:
    """Return an idle line in the form of another one, with a place for its number; empty for no form."""
    if line.startswith("{"):
        return _beat_object(line)
    found = ((form.match(line), beat) for form, beat in _FORMS)
    return next((f"{match.group()}{beat}" for match, beat in found if match), "")


def _beat_object(line: str) -> str:
    try:
        record = json.loads(line)
    except ValueError:
        return ""
    timed = (key for key, value in record.items() if isinstance(value, str) and _INSTANT.match(value))
    key = next(timed, "")
    beat = {key: record[key], "level": "DEBUG", "msg": _BEAT} if key else {}
    return json.dumps(beat, separators=(",", ":")) if beat else ""


def _more_columns(text: str) -> str:
    generator = random.Random(_SEED)  # noqa: S311 - repeatable, not a secret
    rows = list(csv.reader(io.StringIO(text)))
    if len(rows) < 2:
        return text
    columns = list(zip(*rows, strict=True))
    added = []
    for copy in range(TIMES):
        for head, *values in columns[1:]:
            shuffled = generator.sample(values, len(values))
            added.append((_COMPONENT.sub(f"idle-{copy}", head, count=1), *shuffled))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(zip(*columns, *added, strict=True))
    return out.getvalue()


def _more_series(text: str) -> str:
    """Add to a saved answer of Prometheus; an alert that fires is no noise and is not copied."""
    answer = json.loads(text)
    if not isinstance(answer, dict) or not isinstance(answer.get("data"), dict):
        return text
    series = answer["data"].get("result")
    if answer["data"].get("resultType") != "matrix" or not isinstance(series, list):
        return text
    generator = random.Random(_SEED)  # noqa: S311 - repeatable, not a secret
    answer["data"]["result"] = [*series, *_idle_series(series, generator)]
    return json.dumps(answer, separators=(",", ":"))


def _idle_series(series: Iterable[dict[str, Any]], generator: random.Random) -> Iterator[dict[str, Any]]:
    for each in series:
        labels = each["metric"]
        if "alertname" in labels or not _OWNERS & labels.keys():
            continue
        times, tokens = zip(*each["values"], strict=True)
        for copy in range(TIMES):
            idle = {name: f"idle-{copy}" if name in _RENAMED else value for name, value in labels.items()}
            shuffled = generator.sample(tokens, len(tokens))
            yield {"metric": idle, "values": [*map(list, zip(times, shuffled, strict=True))]}
