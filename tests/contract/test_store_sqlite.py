"""The SQLite store: the conformance suite, and what only a file can do wrong."""

import os
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.store.port import Store, StoredDataError, StoreOpenError
from orchestrator.store.sqlite import SqliteStore, open_store
from services.common.errors import NotFoundError
from tests.contract.store_conformance import StoreConformance, a_run, an_event, an_invocation, ended


async def opened(path: Path, keep_runs: int = 100) -> SqliteStore:
    return await open_store(path, busy_seconds=0.2, keep_runs=keep_runs)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a folder" / "runs.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    path.parent.mkdir()
    store = await opened(path)
    yield store
    await store.close()


class TestSqliteConformance(StoreConformance):
    """Runs the suite of the port."""


async def test_everything_survives_a_reopening(store: Store, path: Path) -> None:
    await store.create_run(a_run(), RunState())
    await store.record_step("run-1", an_event(1), RunState(planner_retry_count=1))
    await store.add_invocation("run-1", an_invocation())
    await store.close()
    again = await opened(path)
    assert (await again.checkpoint("run-1")).planner_retry_count == 1
    assert await again.invocation("run-1", "inv-1") == an_invocation()
    await again.close()


async def test_the_file_is_written_as_promised(store: Store, path: Path) -> None:
    await store.create_run(a_run(), RunState())
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    database.close()


async def test_the_oldest_ended_runs_are_forgotten_with_all_they_have(path: Path) -> None:
    path.parent.mkdir()
    store = await opened(path, keep_runs=2)
    for number in range(1, 5):
        await store.create_run(a_run(f"run-{number}", second=number), RunState())
        await store.add_invocation(f"run-{number}", an_invocation())
        if number != 1:
            await store.end_run(ended(f"run-{number}"))
    await store.create_run(a_run("run-5", second=5), RunState())
    assert sorted(await store.running()) == ["run-1", "run-5"]
    assert await store.calls("run-3")
    await store.end_run(ended("run-5"))
    await store.create_run(a_run("run-6", second=6), RunState())
    with pytest.raises(NotFoundError):
        await store.invocation("run-2", "inv-1")
    await store.close()


async def test_an_output_that_was_changed_in_the_file_is_noticed(store: Store, path: Path) -> None:
    await store.create_run(a_run(), RunState())
    await store.add_invocation("run-1", an_invocation())
    with sqlite3.connect(path) as database:
        database.execute("UPDATE tool_invocation SET output = ?", (b"forged",))
    database.close()
    with pytest.raises(StoredDataError, match="inv-1"):
        await store.invocation("run-1", "inv-1")


def write_text_to(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is not a database, and long enough to have a header" * 100)


def set_modes(path: Path, file: int, folder: int) -> None:
    path.chmod(file)
    path.parent.chmod(folder)


async def refusal(path: Path) -> str:
    with pytest.raises(StoreOpenError) as error:
        await opened(path)
    message = str(error.value)
    assert "\n" not in message
    assert str(path) in message
    return message


async def test_a_newer_file_is_refused(store: Store, path: Path) -> None:
    await store.close()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    assert "schema version 99" in await refusal(path)


async def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    write_text_to(path)
    assert "not a sound SQLite database" in await refusal(path)


async def test_a_locked_file_is_refused(store: Store, path: Path) -> None:
    await store.close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert "another process holds it" in await refusal(path)
    other.close()


async def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert "cannot be written" in await refusal(tmp_path / "no" / "runs.db")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
async def test_a_read_only_file_is_refused(store: Store, path: Path) -> None:
    await store.close()
    set_modes(path, 0o400, 0o500)
    try:
        assert "cannot be written" in await refusal(path)
    finally:
        set_modes(path, 0o600, 0o700)
