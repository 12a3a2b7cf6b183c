"""A killed process loses what it has read: whatever may take long asks for its time, and ends by itself."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from services.executor.sources.metrics import Series
from services.executor.sources.metrics_csv import read_table
from services.executor.sources.positioned_json import PositionedJson
from services.executor.sources.stop import StoppedError
from services.executor.tools.metrics_change_points import change_points
from services.executor.tools.metrics_saturation import saturation
from services.executor.tools.registry import tools
from tests.fakes.bundles import a_response, a_stop, opened, write


def over_after(checks: int) -> Callable[[], None]:
    """Return a check that raises from its given call on."""
    left = iter(range(checks))

    def check() -> None:
        if next(left, None) is None:
            raise StoppedError

    return check


def some_series() -> list[Series]:
    samples = [(1796029200.0 + 15 * step, "1") for step in range(40)]
    return [
        Series("m.json", "", 1, 1, "", f"pool_max_size_{number}", "", {}, samples, 15.0)
        for number in range(9)
    ]


JSON = PositionedJson(b"[" + b"1," * 9000 + b"1]", max_bytes=1 << 20)
TABLE = "time,up\n" + "2026-11-30T09:00:00Z,1\n" * 9
SPLIT = datetime(2026, 11, 30, 9, tzinfo=UTC)
WORK: dict[str, tuple[Callable[[Callable[[], None]], object], int]] = {
    "elements": (lambda check: JSON.elements((), check), 3),
    "table": (lambda check: read_table(TABLE, check), 8),
    "change points": (lambda check: change_points(some_series(), None, None, check), 20),
    "saturation": (lambda check: saturation(some_series(), None, None, check), 12),
}


@pytest.mark.parametrize("name", WORK)
def test_long_work_asks_on_its_way_and_ends_in_time(name: str) -> None:
    work, checks = WORK[name]
    for count in (0, 1, checks - 1):
        with pytest.raises(StoppedError):
            work(over_after(count))
    work(over_after(1000))


@pytest.mark.parametrize("tool", sorted(tools(1 << 20, 30)))
def test_every_tool_that_reads_ends_in_time(tmp_path: Path, tool: str) -> None:
    log = "2026-11-30T09:00:00Z INFO x\n" * 600
    response = a_response(({"__name__": "up"}, [(1796029530.0, "1")]))
    write(tmp_path, {"logs/a.log": log, "m.json": response, "alerts.json": [], "changes.json": []})
    write(tmp_path, {"t.json": {"services": [{"name": "a"}]}, "r.md": "# What to do\n"})
    pods = [{"kind": "Pod", "metadata": {"name": f"p-{number}"}} for number in range(9)]
    write(tmp_path, {"pods.json": {"kind": "PodList", "apiVersion": "v1", "items": pods}})
    bundle = opened(tmp_path)
    row = tools(1 << 20, 30)[tool]
    source = next(source.name for source in bundle.sources if source.kind in row.source_kinds)
    given: dict[str, Any] = {"source": source, "sources": [source], "contains": ["not there"], "split": SPLIT}
    arguments = row.arguments(**{name: given[name] for name in row.arguments.model_fields if name in given})
    row.run(bundle, arguments, a_stop())
    with pytest.raises(StoppedError):
        row.run(bundle, arguments, a_stop(0))
