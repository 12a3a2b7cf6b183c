"""Invented incidents, written as bundles: one small stack with any names, and a fault that a test adds.

The stack is an edge proxy, a front service that calls a back service, a database, a cache and a worker.
Nothing of it is taken from a recorded incident; the names come from the test.
"""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

START = 1_800_000_000
DURATION = 600
STEP = 5
FAULT_AT = 300

Level = Callable[[int], float | None]


@dataclass(frozen=True)
class Names:
    """What the components of the stack are called."""

    edge: str = "nginx"
    front: str = "cart"
    back: str = "stock"
    worker: str = "mailer"
    database: str = "postgres"
    cache: str = "redis"


@dataclass
class Incident:
    """A bundle in the making. Times are seconds from its beginning."""

    names: Names = field(default_factory=Names)
    seed: int = 1
    events: list[dict[str, object]] = field(default_factory=list)
    alerts: list[dict[str, object]] = field(default_factory=list)
    series: list[tuple[str, str, dict[str, str], Level]] = field(default_factory=list)
    lines: dict[str, list[tuple[float, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)  # noqa: S311 - a repeatable invention, not a secret
        names = self.names
        for service in (names.front, names.back, names.worker):
            self.steady("up", "up", {"job": service}, 1)
            self.noise("busy", "rate(process_cpu_seconds_total[30s])", {"job": service}, 0.02)
        for service in (names.front, names.back):
            self.noise("latency_p95", "histogram_quantile(0.95, x)", {"service": service}, 0.02)
            self.steady("error_ratio", "errors / all", {"service": service}, 0)
            self.noise("rps", "rate(requests_total[30s])", {"service": service, "code": "200"}, 6.0)
        self.noise("cpu_all", "1 - idle", {"job": "machine"}, 0.97)
        self._routine_lines()

    def metric(self, name: str, query: str, labels: Mapping[str, str], level: Level) -> None:
        """Add or replace a series; a level of None is a missing sample."""
        kept = [row for row in self.series if (row[0], row[2]) != (name, dict(labels))]
        self.series = [*kept, (name, query, dict(labels), level)]

    def steady(self, name: str, query: str, labels: Mapping[str, str], value: float) -> None:
        """Add a constant series."""
        self.metric(name, query, labels, lambda _: value)

    def noise(self, name: str, query: str, labels: Mapping[str, str], value: float) -> None:
        """Add a series that keeps within a tenth of a value."""
        noise = [value * (1 + self.random.uniform(-0.1, 0.1)) for _ in range(DURATION)]
        self.metric(name, query, labels, lambda second: noise[second])

    def step_to(
        self, name: str, query: str, labels: Mapping[str, str], before: float, after: float, at: int
    ) -> None:
        """Add a series that goes from one level to another."""
        jitter = [1 + self.random.uniform(-0.05, 0.05) for _ in range(DURATION)]
        whole = float(before).is_integer() and float(after).is_integer()
        self.metric(
            name, query, labels,
            lambda second: (before if second < at else after) * (1 if whole else jitter[second]),
        )  # fmt: skip

    def log(self, component: str, second: float, text: str) -> None:
        """Add one line to a component's log; `text` begins with its level."""
        self.lines.setdefault(component, []).append((second, text))

    def change(self, second: float, component: str, kind: str, summary: str) -> None:
        """Add a change event."""
        self.events.append({"time": iso(second), "type": kind, "service": component, "summary": summary})

    def alert(self, second: float, name: str, component: str) -> None:
        """Add a firing alert."""
        self.alerts.append(
            {
                "labels": {"alertname": name, "service": component},
                "annotations": {"summary": f"{component} is in trouble"},
                "state": "firing",
                "activeAt": iso(second),
            }
        )

    def write(self, folder: Path) -> Path:
        """Write the bundle and return its folder."""
        names = self.names
        (folder / "logs").mkdir(parents=True)
        (folder / "metrics").mkdir()
        _dump(folder / "topology.json", _topology(names))
        _dump(folder / "events.json", self.events)
        _dump(folder / "alerts.json", {"status": "success", "data": {"alerts": self.alerts}})
        for component, lines in self.lines.items():
            text = "".join(f"{_log_time(second)} {text}\n" for second, text in sorted(lines))
            (folder / "logs" / f"{component}.log").write_text(text, encoding="utf-8")
        self._write_metrics(folder)
        return folder

    def _write_metrics(self, folder: Path) -> None:
        index = []
        for name in dict.fromkeys(row[0] for row in self.series):
            rows = [row for row in self.series if row[0] == name]
            result = [{"metric": labels, "values": _values(level)} for _, _, labels, level in rows]
            data = {"status": "success", "data": {"resultType": "matrix", "result": result}}
            _dump(folder / "metrics" / f"{name}.json", data)
            index.append({"name": name, "query": rows[0][1], "file": f"metrics/{name}.json"})
        _dump(folder / "metrics" / "series.json", index)

    def _routine_lines(self) -> None:
        for component in (self.names.edge, self.names.front, self.names.back, self.names.worker):
            for second in range(0, DURATION, 2):
                self.log(component, second + self.random.random(), f"INFO served item={second} ok")
        for component in (self.names.database, self.names.cache):
            for second in range(0, DURATION, 30):
                self.log(component, second + self.random.random(), f"LOG checkpoint {second} complete")


def iso(second: float) -> str:
    """Return an instant of an invented incident."""
    moment = datetime.fromtimestamp(START + second, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _log_time(second: float) -> str:
    return iso(second).replace("T", " ").replace(".", ",").removesuffix("Z")


def _values(level: Level) -> list[list[object]]:
    samples = ((second, level(second)) for second in range(0, DURATION, STEP))
    return [[START + second, _token(value)] for second, value in samples if value is not None]


def _token(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _topology(names: Names) -> dict[str, object]:
    kinds = {
        names.edge: "edge proxy", names.front: "python service", names.back: "python service",
        names.worker: "python worker", names.database: "PostgreSQL 15", names.cache: "Redis 7",
    }  # fmt: skip
    calls = [
        ("browser", names.edge), (names.edge, names.front), (names.edge, names.back),
        (names.front, names.back), (names.front, names.database), (names.back, names.database),
        (names.back, names.cache), (names.front, names.cache), (names.worker, names.cache),
    ]  # fmt: skip
    return {
        "services": [
            {"name": name, "kind": kind, "logs": [f"logs/{name}.log"], "prometheus_job": name}
            for name, kind in kinds.items()
        ],
        "calls": [{"from": caller, "to": callee, "what": "http"} for caller, callee in calls],
    }


def _dump(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
