"""Each call of a run meets the moment in which the only pod of its agent says that it is not ready."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from assay.orchestrator.v1 import run_pb2

from services.common.rpc.health import Health
from services.common.rpc.preferring_channel import Pair
from tests.fakes.agents import METHODS, stack

KINDS = ("unary_unary", "unary_stream")


def late(monkeypatch: pytest.MonkeyPatch, kind: str, met: set[str]) -> None:
    """Give the first call of each method to those who are ready, though nobody is."""
    made: Callable[..., Any] = getattr(Pair, kind)

    def first(pair: Pair, path: str, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - as the channel
        if path in met or not path.startswith("/assay."):
            return made(pair, path, *given, **options)
        met.add(path)
        return getattr(pair.ready, kind)(path, *given, **options)

    monkeypatch.setattr(Pair, kind, first)


async def test_the_run_goes_on_and_nothing_is_done_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Health.set_ready

    async def never(health: Health, ready: bool) -> None:  # noqa: ARG001 - whatever they are
        await said(health, False)

    met: set[str] = set()
    monkeypatch.setattr(Health, "set_ready", never)
    for kind in KINDS:
        late(monkeypatch, kind, met)
    async with stack(tmp_path / "runs.db") as running:
        outcome = await running.diagnose()
        asked = {name: running.agents.all()[name].wire[method] for name, method in METHODS.items()}
    assert outcome.run.status == run_pb2.RUN_STATUS_SUCCEEDED
    assert {path.rpartition("/")[2] for path in met} == {"ListTools", *METHODS.values()}
    assert {name: len(requests) for name, requests in asked.items()} == dict.fromkeys(METHODS, 1)
