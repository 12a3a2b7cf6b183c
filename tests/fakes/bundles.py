"""Bundles for tests: written to a folder, or the recorded ones, opened by the production readers."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from services.executor.sources.bundle import Bundle, Limits
from services.executor.sources.folder import Folder
from services.executor.sources.stop import Stop

# A parsed document that a test indexes freely.
Tree: TypeAlias = Any

RECORDED = ("pg-connection-exhaustion", "healthy-false-alarm")
LIMITS = Limits(structured_bytes=8 << 20, log_bytes=1 << 30)

TOPOLOGY = {
    "services": [
        {"name": "edge", "kind": "nginx 1.24", "instance": "n1:80", "logs": ["logs/front.log"]},
        {"name": "cart", "kind": "python service", "instance": "n1:9001", "prometheus_job": "cart-job"},
        {"name": "cart-worker", "kind": "python service"},
        {"name": "orders-db", "kind": "PostgreSQL 16"},
        {"name": "kv", "kind": "Redis 7"},
    ],
    "calls": [{"from": "edge", "to": "cart"}],
}


def a_stop(seconds: float = 60) -> Stop:
    return Stop(time.monotonic, time.monotonic() + seconds)


def opened(path: Path, limits: Limits = LIMITS) -> Bundle:
    return Bundle(Folder(path.parent, path.name), limits, a_stop())


def recorded_path(project: Path, incident: str) -> Path:
    return project / "examples" / "incidents" / incident / "bundle"


def write(folder: Path, files: Mapping[str, str | bytes | dict[str, Any] | list[Any]]) -> Path:
    """Write files below a folder; anything but text and bytes is written as JSON."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), "utf-8")
    return folder


def a_response(*series: tuple[dict[str, str], list[tuple[float, str]]]) -> dict[str, Any]:
    """Return a Prometheus answer."""
    result = [{"metric": labels, "values": [[t, v] for t, v in samples]} for labels, samples in series]
    return {"status": "success", "data": {"resultType": "matrix", "result": result}}
