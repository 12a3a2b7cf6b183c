"""What a bundle's files hold, counted by code of its own: no reader, tool or parser of the project."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_ACCESS = re.compile(r'\[(?P<time>[^\]]+)\] "(?P<request>[^"]*)" (?P<status>\d{3}) ')
_KUBECTL_ROW = re.compile(
    r"^(?:\S+\s+)?(?P<name>[a-z0-9][a-z0-9.-]*)\s+(?P<ready>\d+/\d+)\s+(?P<status>[A-Z][\w:]*)\s+(?P<restarts>\d+)"
)


def lines(bundle: Path, name: str) -> list[str]:
    """The lines of a file."""
    return (bundle / name).read_text(encoding="utf-8").splitlines()


def holding(bundle: Path, name: str, text: str) -> list[str]:
    """The lines of a file that hold a text."""
    return [line for line in lines(bundle, name) if text in line]


def all_holding(bundle: Path, text: str) -> int:
    """How many lines of all logs hold a text."""
    return sum(len(holding(bundle, f"logs/{path.name}", text)) for path in (bundle / "logs").iterdir())


def requests(bundle: Path, name: str) -> list[tuple[datetime, int, str]]:
    """The requests of an access log: when, with which status, which."""
    found = (_ACCESS.search(line) for line in lines(bundle, name))
    return [
        (
            datetime.strptime(each["time"], "%d/%b/%Y:%H:%M:%S %z").astimezone(UTC),
            int(each["status"]),
            each["request"],
        )
        for each in found
        if each is not None
    ]


def stated(bundle: Path, name: str, pattern: str) -> list[str]:
    """What a pattern's group holds in each line of a file that has it."""
    return re.findall(pattern, "\n".join(lines(bundle, name)), re.MULTILINE)


def largest(values: list[str]) -> list[tuple[str, int]]:
    """How often each value stands there, the most frequent first."""
    return Counter(values).most_common()


def answered(bundle: Path, name: str, fits: Callable[[int], bool]) -> list[datetime]:
    """When requests were answered with a status that fits."""
    return [time for time, status, _ in requests(bundle, name) if fits(status)]


def between(times: list[datetime], start: str, end: str) -> int:
    """How many times of day lie in a half-open interval."""
    return sum(start <= f"{time:%H:%M:%S}" < end for time in times)


def shown(time: datetime) -> str:
    """An instant as the answers write it."""
    return f"{time:%Y-%m-%dT%H:%M:%SZ}"


def records(bundle: Path, name: str) -> Iterator[dict[str, Any]]:
    """The records of a log of JSON lines."""
    for line in lines(bundle, name):
        if line.startswith("{"):
            yield json.loads(line)


def at_level(bundle: Path, name: str, level: str) -> list[dict[str, Any]]:
    """The JSON records of a level."""
    return [record for record in records(bundle, name) if record.get("level") == level]


def loaded(bundle: Path, name: str) -> Any:  # noqa: ANN401 - any JSON value
    """A JSON file."""
    return json.loads((bundle / name).read_text(encoding="utf-8"))


def alerts(bundle: Path) -> list[dict[str, Any]]:
    """The recorded alerts."""
    found: list[dict[str, Any]] = loaded(bundle, "alerts.json")["data"]["alerts"]
    return found


def called_by(bundle: Path, component: str) -> list[str]:
    """Whom a component calls."""
    return [call["to"] for call in loaded(bundle, "topology.json")["calls"] if call["from"] == component]


def callers_of(bundle: Path, component: str) -> list[str]:
    """Who calls a component."""
    return [call["from"] for call in loaded(bundle, "topology.json")["calls"] if call["to"] == component]


def samples(bundle: Path, metric: str, **labels: str) -> list[tuple[float, float]]:
    """The samples of one series of a saved response."""
    result = loaded(bundle, f"metrics/{metric}.json")["data"]["result"]
    (series,) = [each for each in result if labels.items() <= each["metric"].items()]
    return [(float(time), float(value)) for time, value in series["values"]]


def moment(seconds: float) -> str:
    """Seconds since the epoch as the answers write them."""
    return shown(datetime.fromtimestamp(seconds, UTC))


def pod_rows(bundle: Path) -> dict[str, tuple[str, str, int]]:
    """Ready, status and restarts of the pods of every table of `kubectl get pods`, by name."""
    found = {}
    for path in sorted((bundle / "kubernetes").iterdir()):
        for line in path.read_text(encoding="utf-8").splitlines():
            match = _KUBECTL_ROW.match(line)
            if match:
                found[match["name"]] = (match["ready"], match["status"], int(match["restarts"]))
    return found
