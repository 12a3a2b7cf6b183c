"""Which run is meant, asked of a real orchestrator."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from assay.orchestrator.v1.diagnosis_pb2 import ListRunsRequest

from orchestrator.cli import client as client_module
from orchestrator.cli import run_ids
from orchestrator.cli.client import DiagnosisClient, connected
from orchestrator.cli.errors import CommandError
from orchestrator.cli.run_ids import whole_id
from tests.fakes.agents import stack


@asynccontextmanager
async def some_runs(path: Path, number: int) -> AsyncIterator[tuple[DiagnosisClient, list[str]]]:
    async with stack(path / "runs.db") as running, connected(running.address) as client:
        yield client, [(await running.diagnose()).run.run_id for _ in range(number)]


async def test_a_list_is_read_page_by_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "_PAGE", 2)
    async with some_runs(tmp_path, 5) as (client, ids):
        for most in (1, 2, 3, 4, 5, 6):
            runs, more = await client.runs(ListRunsRequest(), most)
            assert [run.run_id for run in runs] == ids[::-1][:most]
            assert more is (most < 5)


async def test_a_whole_id_is_never_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_ids, "MAX_LOOKED_THROUGH", 2)
    async with some_runs(tmp_path, 3) as (client, ids):
        assert [await whole_id(client, run_id) for run_id in ids] == ids
        assert await whole_id(client, "latest") == ids[-1]
        # What may begin so among the runs that were not looked at is not known.
        with pytest.raises(CommandError, match="give the whole id"):
            await whole_id(client, ids[-1][:20])


async def test_an_id_that_the_service_refuses_is_not_looked_for(tmp_path: Path) -> None:
    async with some_runs(tmp_path, 1) as (client, _):
        with pytest.raises(CommandError, match="at most 256"):
            await whole_id(client, "x" * 257)
