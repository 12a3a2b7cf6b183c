"""Small invented bundles of logs alone: routine lines, failures, changes, and perhaps a topology."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.fakes.incident import iso

ROUTINE_SECONDS = 600
FAILS_AT = 300


@dataclass
class PlainLogs:
    """A bundle in the making. Times are seconds from its beginning."""

    lines: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    changes: list[dict[str, str]] = field(default_factory=list)
    services: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The topology's services with their logs; no topology without any."""
    calls: Sequence[tuple[str, str]] = ()

    def routine(self, *sources: str, until: int = ROUTINE_SECONDS) -> None:
        """Add one line a second that says all is well."""
        for source in sources:
            rows = [(float(second), f"INFO item {second} served") for second in range(until)]
            self.lines.setdefault(source, []).extend(rows)

    def fails(self, source: str, text: str, at: float = FAILS_AT, every: int = 2) -> None:
        """Add a failing line every few seconds from an instant on."""
        rows = [(at + more, text) for more in range(0, ROUTINE_SECONDS - int(at), every)]
        self.lines.setdefault(source, []).extend(rows)

    def change(self, at: float, component: str, summary: str, kind: str = "deploy") -> None:
        """Record a change."""
        self.changes.append({"time": iso(at), "type": kind, "service": component, "summary": summary})

    def write(self, folder: Path) -> Path:
        """Write the bundle and return its folder."""
        for source, rows in self.lines.items():
            path = folder / source
            path.parent.mkdir(parents=True, exist_ok=True)
            text = "".join(f"{iso(second)} {line}\n" for second, line in sorted(rows, key=lambda row: row[0]))
            path.write_text(text, encoding="utf-8")
        if self.changes:
            (folder / "changes.json").write_text(json.dumps(self.changes), encoding="utf-8")
        if self.services:
            services = [{"name": name, "logs": list(logs)} for name, logs in self.services.items()]
            calls = [{"from": caller, "to": callee} for caller, callee in self.calls]
            topology = {"services": services, "calls": calls}
            (folder / "topology.json").write_text(json.dumps(topology), encoding="utf-8")
        return folder
