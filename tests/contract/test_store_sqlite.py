"""The SQLite store: the conformance suite, and what only a file can do wrong."""

import asyncio
import os
import sqlite3
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path

import aiosqlite
import pytest
from assay.orchestrator.v1.run_pb2 import Run, RunSummary
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.store import schema
from orchestrator.store.port import (
    Store,
    StoredDataError,
    StoreFullError,
    StoreOpenError,
    StoreUnavailableError,
)
from orchestrator.store.sqlite import SqliteStore, open_store
from services.common.errors import NotFoundError
from tests.contract.store_conformance import (
    ALL,
    SUBMISSION,
    StoreConformance,
    a_run,
    an_event,
    an_invocation,
    ended,
)
from tests.fakes.connections import kept_connections


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


async def test_the_files_are_for_their_owner_alone(store: Store, path: Path) -> None:
    await store.create_run(a_run(), RunState())
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == dict.fromkeys(("runs.db", "runs.db-wal", "runs.db-shm"), 0o600)


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
    # The gate and the verifier's input are made of these.
    with pytest.raises(StoredDataError, match="inv-1"):
        await store.outputs("run-1", ["inv-1"])


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


def dump(path: Path) -> list[str]:
    """Return all that a file holds, as statements, and its version."""
    with closing(sqlite3.connect(path)) as database:
        return [*database.iterdump(), str(database.execute("PRAGMA user_version").fetchone())]


@pytest.mark.parametrize("version", [-1, 0, 1, schema.VERSION])
async def test_somebody_else_s_database_is_refused_and_stays_as_it_is(path: Path, version: int) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE diagnosis_run (patient TEXT, diagnosis TEXT)")
        database.execute(f"PRAGMA user_version = {version}")
    before = dump(path)
    assert "holds no runs of this program" in await refusal(path)
    assert dump(path) == before


async def test_a_file_that_lost_its_version_is_refused(store: Store, path: Path) -> None:
    await store.create_run(a_run(), RunState())
    await store.close()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA user_version = 0")
    assert "only a part of them (schema version 0" in await refusal(path)
    # The positive control: with its version back, the file is as it was.
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"PRAGMA user_version = {schema.VERSION}")
    again = await opened(path)
    assert await again.running() == ["run-1"]
    await again.close()


async def test_a_file_that_lost_a_table_is_refused(store: Store, path: Path) -> None:
    await store.close()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DROP TABLE submission")
    assert "restore it from a copy" in await refusal(path)


async def test_what_others_added_to_a_file_is_no_reason_to_refuse_it(store: Store, path: Path) -> None:
    await store.close()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE a_backup_tool_s_own (x)")
        database.execute("ANALYZE")
    await (await opened(path)).close()


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


def version_1(path: Path, *runs: Run, create_time: str = "") -> None:
    """Make a file as version 1 left it."""
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA journal_mode = WAL")
        for statement in schema.VERSIONS[0]:
            database.execute(statement)
        for run in runs:
            database.execute(
                "INSERT INTO diagnosis_run (run_id, status, create_time, body) VALUES (?, ?, ?, ?)",
                (
                    run.run_id,
                    run.status,
                    create_time or run.create_time.ToJsonString(),
                    run.SerializeToString(),
                ),
            )
        database.execute("PRAGMA user_version = 1")


def shape(path: Path) -> tuple[int, set[str], set[str]]:
    """Return version, columns of a run, and tables and indexes of a file."""
    with closing(sqlite3.connect(path)) as database:
        ((version,),) = database.execute("PRAGMA user_version")
        columns = {row[1] for row in database.execute("PRAGMA table_info(diagnosis_run)")}
        names = {row[0] for row in database.execute("SELECT name FROM sqlite_master")}
    return version, columns, names


async def test_a_file_of_version_1_is_upgraded(path: Path, tmp_path: Path) -> None:
    damaged = a_run("run-0", second=1)
    version_1(path, damaged, a_run("run-1", second=2, nanos=500_000_000), a_run("run-2", second=2))
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE diagnosis_run SET body = ? WHERE run_id = 'run-0'", (b"\xff\xff forged",))
    stores = await asyncio.gather(*(open_store(path, busy_seconds=10, keep_runs=100) for _ in range(3)))
    shown = await stores[0].runs(ALL, None, 100)
    assert [run.run_id for run in shown] == ["run-1", "run-2", "run-0"]
    assert shown[0].context == a_run().context
    assert (shown[2].status, shown[2].create_time) == (damaged.status, damaged.create_time)
    assert await stores[0].running() == ["run-0", "run-2", "run-1"]
    assert await stores[0].create_run(a_run("run-3"), RunState(), SUBMISSION) == "run-3"
    for store in stores:
        await store.close()
    fresh = tmp_path / "fresh.db"
    await (await opened(fresh)).close()
    assert shape(path) == shape(fresh)


async def test_a_file_of_version_2_lists_the_suspects_of_its_runs(path: Path) -> None:
    run = ended("run-1")
    run.suspects.add(component="api")
    path.parent.mkdir()
    store = await opened(path)
    await store.create_run(a_run("run-1"), RunState())
    await store.create_run(a_run("run-2", second=9), RunState())
    await store.end_run(run)
    before = await store.runs(ALL, None, 100)
    await store.close()
    old = RunSummary(run_id="run-1", context=run.context, create_time=run.create_time)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE diagnosis_run SET summary = ?", (old.SerializeToString(),))
        database.execute("UPDATE diagnosis_run SET body = ? WHERE run_id = 'run-2'", (b"\xff\xff forged",))
        database.execute("PRAGMA user_version = 2")
    store = await opened(path)
    shown = await store.runs(ALL, None, 100)
    await store.close()
    # Of the damaged one the old summary is the best that there is.
    assert shown == [old, before[1]]
    assert shown[1].first_suspect.component == "api"


async def test_an_upgrade_that_fails_changes_nothing(path: Path) -> None:
    version_1(path, a_run(), create_time="yesterday")
    before = shape(path)
    assert "'yesterday'" in await refusal(path)
    assert shape(path) == before


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[aiosqlite.Connection]:
    return kept_connections(monkeypatch)


async def test_a_full_disk_is_told_of_and_loses_nothing(
    connections: list[aiosqlite.Connection], path: Path
) -> None:
    path.parent.mkdir()
    store = await opened(path)
    await store.create_run(a_run(), RunState())
    await store.record_step("run-1", an_event(1), RunState(planner_retry_count=1))
    await connections[0].execute("PRAGMA max_page_count = 1")
    with pytest.raises(StoreFullError, match="disk of the run store is full"):
        await store.add_invocation("run-1", an_invocation(output=b"x" * 100_000))
    with pytest.raises(StoreFullError):
        await store.create_run(a_run("run-2"), RunState(verified_input=b"x" * 100_000), SUBMISSION)
    assert await store.submitted(SUBMISSION) is None
    assert await store.running() == ["run-1"]
    assert (await store.checkpoint("run-1")).planner_retry_count == 1
    await connections[0].execute("PRAGMA max_page_count = 100000")
    await store.add_invocation("run-1", an_invocation(output=b"x" * 100_000))
    await store.record_step("run-1", an_event(2), RunState())
    await store.close()


async def test_a_file_that_another_process_holds_is_told_of_and_loses_nothing(
    store: Store, path: Path
) -> None:
    await store.create_run(a_run(), RunState())
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailableError, match="another process holds"):
            await store.record_step("run-1", an_event(1), RunState())
        # What is stored can still be read.
        assert (await store.run("run-1")).run_id == "run-1"
    await store.record_step("run-1", an_event(1), RunState())


async def test_a_damaged_page_is_told_of_and_the_rest_stays_readable(path: Path) -> None:
    path.parent.mkdir()
    store = await opened(path)
    await store.create_run(a_run(), RunState())
    await store.add_invocation("run-1", an_invocation())
    await store.close()
    with closing(sqlite3.connect(path)) as database:
        ((page,),) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'tool_invocation'")
        ((size,),) = database.execute("PRAGMA page_size")
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    store = await opened(path)
    with pytest.raises(StoredDataError, match="damaged"):
        await store.calls("run-1")
    assert (await store.run("run-1")).context == a_run().context
    await store.close()


@pytest.mark.parametrize("table", ["diagnosis_run", "run_state", "orchestration_event", "tool_invocation"])
async def test_a_damaged_row_is_told_of(store: Store, path: Path, table: str) -> None:
    await store.create_run(a_run(), RunState())
    await store.record_step("run-1", an_event(1), RunState())
    await store.add_invocation("run-1", an_invocation())
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"UPDATE {table} SET body = ?", (b"\xff\xff forged",))  # noqa: S608 - our own names
    readers: dict[str, Callable[[str], Awaitable[object]]] = {
        "diagnosis_run": store.run,
        "run_state": store.checkpoint,
        "orchestration_event": store.history,
        "tool_invocation": store.calls,
    }
    with pytest.raises(StoredDataError, match="run-1"):
        await readers[table]("run-1")
