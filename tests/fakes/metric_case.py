"""Invented metric-only bundles: a shop front, what it calls, and a trouble that a test adds.

The calls: the front calls basket, catalog and its own balancer; the catalog calls shelf; basket calls vault.
The balancer stands for the catalog as the front sees it: part of the requests, nothing below.
"""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

START = 1_800_000_000
STEP = 60
SAMPLES = 63
ONSET = START + 60 * STEP
CALLS = (
    ("front", "basket"),
    ("front", "catalog"),
    ("front", "balancer"),
    ("catalog", "shelf"),
    ("basket", "vault"),
)
REQUESTS = {"front": 400, "basket": 90, "catalog": 700, "balancer": 60, "shelf": 900, "vault": 90}
MEAN = {"front": 0.11, "basket": 0.3, "catalog": 0.05, "balancer": 0.04, "shelf": 0.008, "vault": 0.02}


@dataclass
class MetricCase:
    """A bundle in the making; `slower` and `failing` are added to each sample since the onset."""

    slower: Mapping[str, float] = field(default_factory=dict)
    failing: Mapping[str, float] = field(default_factory=dict)
    rename: Mapping[str, str] = field(default_factory=dict)
    latency_name: str = "latency"
    seed: int = 1

    def series(self) -> list[tuple[dict[str, str], list[tuple[float, float]]]]:
        """Return the labels and the samples of every series."""
        generator = random.Random(self.seed)  # noqa: S311 - a repeatable invention, not a secret
        found = []
        for name, usual in REQUESTS.items():
            latency, requests, availability = [], [], []
            for index in range(SAMPLES):
                time = float(START + index * STEP)
                since = time >= ONSET
                asked = round(usual * generator.uniform(0.95, 1.05))
                slow = MEAN[name] * generator.uniform(0.95, 1.05) + since * self.slower.get(name, 0.0)
                failed = min(asked, round(since * self.failing.get(name, 0.0)))
                latency.append((time, round(slow, 6)))
                requests.append((time, float(asked)))
                availability.append((time, round(100 - 100 * failed / asked, 4)))
            about = {"service": self.rename.get(name, name)}
            found += [
                ({"__name__": self.latency_name, **about, "stat": "mean"}, latency),
                ({"__name__": "requests", **about, "stat": "sum"}, requests),
                ({"__name__": "availability", **about, "stat": "mean"}, availability),
            ]
        return found

    def write(self, folder: Path, alert: str, *, as_csv: bool = True, topology: bool = True) -> Path:
        """Write the bundle and return its folder."""
        (folder / "metrics").mkdir(parents=True)
        front = self.rename.get("front", "front")
        labels = {"alertname": alert, "service": front}
        firing = {"labels": labels, "annotations": {}, "state": "firing", "activeAt": iso(ONSET)}
        _dump(folder / "alerts.json", {"status": "success", "data": {"alerts": [firing]}})
        if topology:
            calls = [(self.rename.get(a, a), self.rename.get(b, b)) for a, b in CALLS]
            services = [{"name": self.rename.get(name, name)} for name in REQUESTS]
            _dump(
                folder / "topology.json",
                {"services": services, "calls": [{"from": a, "to": b} for a, b in calls]},
            )
        series = self.series()
        if as_csv:
            (folder / "metrics" / "all.csv").write_text(_table(series), encoding="utf-8")
        else:
            result = [{"metric": m, "values": [[t, str(v)] for t, v in values]} for m, values in series]
            data = {"status": "success", "data": {"resultType": "matrix", "result": result}}
            _dump(folder / "metrics" / "all.json", data)
        return folder


def iso(seconds: float) -> str:
    """Return an instant as RFC 3339."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _table(series: Sequence[tuple[dict[str, str], list[tuple[float, float]]]]) -> str:
    heads = []
    for labels, _ in series:
        inside = ",".join(f'{name}=""{value}""' for name, value in labels.items() if name != "__name__")
        heads.append(f'"{labels["__name__"]}{{{inside}}}"')
    rows = [
        ",".join([iso(START + index * STEP), *(str(values[index][1]) for _, values in series)])
        for index in range(SAMPLES)
    ]
    return "\n".join([",".join(["time", *heads]), *rows]) + "\n"


def _dump(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
