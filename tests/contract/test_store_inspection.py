"""What a look at the store's file finds, whatever state the file is in."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from assay.orchestrator.v1 import run_pb2, status_pb2
from assay.orchestrator.v1.run_pb2 import Run
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.store import inspection, schema
from orchestrator.store.inspection import inspect, look
from orchestrator.store.sqlite import open_store

RUNNING = run_pb2.RUN_STATUS_RUNNING
FAILED = run_pb2.RUN_STATUS_FAILED
PAGE_BYTES = 4096


async def filled(path: Path, runs: int = 3) -> Path:
    """Write a store with runs under way, and one that failed."""
    store = await open_store(path, busy_seconds=1, keep_runs=1000)
    for number in range(runs):
        await store.create_run(Run(run_id=f"run-{number}", status=RUNNING), RunState())
    await store.end_run(Run(run_id="run-0", status=FAILED))
    await store.close()
    return path


async def test_a_sound_store(tmp_path: Path) -> None:
    path = await filled(tmp_path / "runs #1?.db")
    status = await inspect(path, 10)
    assert (status.problem, status.location) == ("", str(path))
    assert status.schema_version == schema.VERSION
    assert {row.status: row.count for row in status.runs} == {RUNNING: 2, FAILED: 1}
    assert status.integrity == status_pb2.INTEGRITY_SOUND
    assert status.size_bytes == path.stat().st_size
    assert status.free_bytes > 0


async def test_what_is_written_while_it_is_looked_at_is_counted(tmp_path: Path) -> None:
    store = await open_store(tmp_path / "runs.db", busy_seconds=1, keep_runs=1000)
    await store.create_run(Run(run_id="run", status=RUNNING), RunState())
    with closing(sqlite3.connect(tmp_path / "runs.db", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        status = await inspect(tmp_path / "runs.db", 10)
        writer.rollback()
    await store.close()
    assert [(row.status, row.count) for row in status.runs] == [(RUNNING, 1)]
    assert status.integrity == status_pb2.INTEGRITY_SOUND


async def test_a_damaged_page_is_found(tmp_path: Path) -> None:
    path = await filled(tmp_path / "runs.db", runs=200)
    data = bytearray(path.read_bytes())
    # Every page behind the schema; which of them holds what is SQLite's own matter.
    data[10 * PAGE_BYTES :] = b"\xa5" * (len(data) - 10 * PAGE_BYTES)
    path.write_bytes(data)
    status = await inspect(path, 10)
    assert status.integrity == status_pb2.INTEGRITY_DAMAGED
    assert status.problem.startswith("it is damaged: ")


async def test_what_is_no_database_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "runs.db").write_text("no database at all " * 100)
    status = await inspect(tmp_path / "runs.db", 10)
    assert status.integrity == status_pb2.INTEGRITY_DAMAGED


async def test_no_time_to_check_is_not_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = await filled(tmp_path / "runs.db", runs=200)
    # The positive control: with time, the same file is sound.
    monkeypatch.setattr(inspection, "_STEPS", 1)
    assert (await inspect(path, 10)).integrity == status_pb2.INTEGRITY_SOUND
    status = look(path, deadline=0.0)
    assert (status.integrity, status.problem) == (status_pb2.INTEGRITY_NOT_FINISHED, "")


async def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    status = await inspect(tmp_path / "runs.db", 10)
    assert status.problem.startswith("it cannot be looked at: ")
    assert status.integrity == status_pb2.INTEGRITY_UNSPECIFIED
    assert not (tmp_path / "runs.db").exists()


async def test_a_disk_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()
    monkeypatch.setattr(inspection, "look", lambda *_: answered.wait(30))
    status = await inspect(tmp_path / "runs.db", 0.1)
    answered.set()
    assert status.problem == "its disk does not answer within 0.1 s"


async def test_a_file_that_another_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspection, "_BUSY_SECONDS", 0.05)
    path = await filled(tmp_path / "runs.db")
    with _held(path):
        status = await inspect(path, 10)
    assert "locked" in status.problem
    assert status.size_bytes > 0


@contextmanager
def _held(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        yield
        holder.rollback()
