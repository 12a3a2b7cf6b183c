"""The embedded store: one SQLite file, one connection, one transaction per step."""

import asyncio
import hashlib
import re
import sqlite3
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import aiosqlite
from assay.common.v1.tool_pb2 import Invocation
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent, Run
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.store import schema
from orchestrator.store.port import (
    History,
    StepConflictError,
    StoredCall,
    StoredDataError,
    StoreOpenError,
)
from services.common.errors import AlreadyExistsError, NotFoundError

_RUNNING: Final = run_pb2.RUN_STATUS_RUNNING
_CHANNEL = re.compile(r"[a-z][a-z_]{0,63}")
_IDS_PER_QUERY = 500


class SqliteStore:
    """Adapter of the store port. Get one from `open_store`."""

    def __init__(self, database: aiosqlite.Connection, keep_runs: int) -> None:
        self._database = database
        self._keep_runs = keep_runs
        # The one connection holds at most one transaction; a reader must not see half of a writer's.
        self._lock = asyncio.Lock()

    async def create_run(self, run: Run, state: RunState) -> None:
        """Store a run that begins, and forget the oldest ended ones beyond the bound."""
        async with self._transaction() as database:
            if await _rows(database, "SELECT 1 FROM diagnosis_run WHERE run_id = ?", run.run_id):
                raise AlreadyExistsError(f"run {run.run_id} exists", field="run_id")
            await database.execute(
                "INSERT INTO diagnosis_run (run_id, status, create_time, body) VALUES (?, ?, ?, ?)",
                (run.run_id, run.status, run.create_time.ToJsonString(), _body(run)),
            )
            await database.execute(
                "INSERT INTO run_state (run_id, step, body) VALUES (?, 0, ?)",
                (run.run_id, state.SerializeToString()),
            )
            await database.execute(
                "DELETE FROM diagnosis_run WHERE run_id IN (SELECT run_id FROM diagnosis_run"
                " WHERE status != ? ORDER BY create_time DESC LIMIT -1 OFFSET ?)",
                (_RUNNING, self._keep_runs),
            )

    async def record_step(self, run_id: str, event: OrchestrationEvent, state: RunState) -> None:
        """Append an event and replace the checkpoint, guarded by the step number."""
        async with self._transaction() as database:
            updated = await database.execute(
                "UPDATE run_state SET step = ?, body = ? WHERE run_id = ? AND step = ?",
                (event.sequence, state.SerializeToString(), run_id, event.sequence - 1),
            )
            if updated.rowcount != 1:
                raise StepConflictError(f"step {event.sequence} is not the next step of run {run_id}")
            await database.execute(
                "INSERT INTO orchestration_event (run_id, sequence, body) VALUES (?, ?, ?)",
                (run_id, event.sequence, event.SerializeToString()),
            )
            await database.execute(
                "UPDATE diagnosis_run SET evidence_retry_count = ? WHERE run_id = ?",
                (state.evidence_retry_count, run_id),
            )

    async def add_invocation(self, run_id: str, invocation: Invocation) -> None:
        """Store a tool call; its output is stored beside it, once, as it came."""
        head = Invocation()
        head.CopyFrom(invocation)
        head.ClearField("output")
        async with self._transaction() as database:
            await _require_run(database, run_id)
            known = "SELECT 1 FROM tool_invocation WHERE run_id = ? AND invocation_id = ?"
            if await _rows(database, known, run_id, invocation.id):
                raise AlreadyExistsError(f"run {run_id} has an invocation with this id", field="id")
            await database.execute(
                "INSERT INTO tool_invocation (run_id, invocation_id, position, body, output)"
                " SELECT ?, ?, COUNT(*), ?, ? FROM tool_invocation WHERE run_id = ?",
                (run_id, invocation.id, head.SerializeToString(), invocation.output, run_id),
            )

    async def write_channel(self, run_id: str, channel: str, value_json: str) -> None:
        """Replace one channel of the self-evaluation; one statement, so that no other writer is undone."""
        if not _CHANNEL.fullmatch(channel):
            raise ValueError("a channel is named by lower-case letters and '_'")
        async with self._transaction() as database:
            updated = await database.execute(
                "UPDATE diagnosis_run SET self_evaluation = json_set(self_evaluation, ?, json(?))"
                " WHERE run_id = ?",
                (f"$.{channel}", value_json, run_id),
            )
            if updated.rowcount != 1:
                raise _no_run(run_id)

    async def end_run(self, run: Run) -> None:
        """Replace a run under way by how it ended, and remove its checkpoint."""
        async with self._transaction() as database:
            await _require_run(database, run.run_id)
            updated = await database.execute(
                "UPDATE diagnosis_run SET status = ?, body = ? WHERE run_id = ? AND status = ?",
                (run.status, _body(run), run.run_id, _RUNNING),
            )
            if updated.rowcount != 1:
                raise StepConflictError(f"run {run.run_id} has ended before")
            await database.execute("DELETE FROM run_state WHERE run_id = ?", (run.run_id,))

    async def run(self, run_id: str) -> Run:
        """Return a run with its self-evaluation."""
        query = "SELECT body, self_evaluation FROM diagnosis_run WHERE run_id = ?"
        for body, self_evaluation in await self._read(query, run_id):
            run = Run.FromString(body)
            run.self_evaluation_json = self_evaluation.encode("utf-8")
            return run
        raise _no_run(run_id)

    async def history(self, run_id: str) -> History:
        """Return the events of a run, in order."""
        async with self._transaction() as database:
            query = "SELECT status, evidence_retry_count FROM diagnosis_run WHERE run_id = ?"
            found = await _rows(database, query, run_id)
            if not found:
                raise _no_run(run_id)
            events = await _rows(
                database, "SELECT body FROM orchestration_event WHERE run_id = ? ORDER BY sequence", run_id
            )
        status, retries = found[0]
        return History(status, [OrchestrationEvent.FromString(body) for (body,) in events], retries)

    async def calls(self, run_id: str) -> list[StoredCall]:
        """Return the tool calls of a run without outputs."""
        query = "SELECT body, length(output) FROM tool_invocation WHERE run_id = ? ORDER BY position"
        return [
            StoredCall(Invocation.FromString(body), size) for body, size in await self._read(query, run_id)
        ]

    async def outputs(self, run_id: str, invocation_ids: Iterable[str]) -> dict[str, bytes]:
        """Return the outputs of these tool calls."""
        wanted = sorted(set(invocation_ids))
        found: dict[str, bytes] = {}
        for start in range(0, len(wanted), _IDS_PER_QUERY):
            part = wanted[start : start + _IDS_PER_QUERY]
            marks = ", ".join("?" * len(part))
            rows = await self._read(
                "SELECT invocation_id, output FROM tool_invocation"  # noqa: S608 - only question marks
                f" WHERE run_id = ? AND invocation_id IN ({marks})",
                run_id,
                *part,
            )
            found.update((row[0], row[1]) for row in rows)
        return found

    async def invocation(self, run_id: str, invocation_id: str) -> Invocation:
        """Return one tool call with its output, checked against its hash."""
        query = "SELECT body, output FROM tool_invocation WHERE run_id = ? AND invocation_id = ?"
        for body, output in await self._read(query, run_id, invocation_id):
            invocation = Invocation.FromString(body)
            if hashlib.sha256(output).hexdigest() != invocation.output_sha256:
                raise StoredDataError(f"invocation {invocation_id} of run {run_id} is not what was stored")
            invocation.output = output
            return invocation
        raise NotFoundError(f"run {run_id} has no invocation {invocation_id}", field="invocation_id")

    async def running(self) -> list[str]:
        """Return the ids of the runs that have not ended, the oldest first."""
        query = "SELECT run_id FROM diagnosis_run WHERE status = ? ORDER BY create_time"
        return [run_id for (run_id,) in await self._read(query, _RUNNING)]

    async def checkpoint(self, run_id: str) -> RunState:
        """Return the state after the last recorded step."""
        for (body,) in await self._read("SELECT body FROM run_state WHERE run_id = ?", run_id):
            return RunState.FromString(body)
        raise NotFoundError(f"run {run_id} has no checkpoint", field="run_id")

    async def close(self) -> None:
        """Close the file."""
        await self._database.close()

    async def _read(self, query: str, *values: str | int) -> Sequence[sqlite3.Row]:
        async with self._lock:
            return await _rows(self._database, query, *values)

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[aiosqlite.Connection]:
        async with self._lock, transaction(self._database) as database:
            yield database


async def open_store(path: Path, *, busy_seconds: float, keep_runs: int) -> SqliteStore:
    """Open or create the file; raises StoreOpenError with one line that says what to do."""
    try:
        # First without aiosqlite, whose thread would outlive a failure to open.
        await asyncio.to_thread(lambda: sqlite3.connect(path).close())
        database = await aiosqlite.connect(path, isolation_level=None, timeout=busy_seconds)
    except sqlite3.Error as error:
        raise StoreOpenError(_advice(path, error)) from None
    try:
        await _prepare(database, path)
    except sqlite3.Error as error:
        await database.close()
        raise StoreOpenError(_advice(path, error)) from None
    except BaseException:
        await database.close()
        raise
    return SqliteStore(database, keep_runs)


@asynccontextmanager
async def transaction(database: aiosqlite.Connection) -> AsyncIterator[aiosqlite.Connection]:
    """Run the block in one transaction that takes the write lock at once, whole or not at all."""
    try:
        # A deferred transaction that turns to writing fails at once instead of waiting for the lock.
        await database.execute("BEGIN IMMEDIATE")
        yield database
        await database.commit()
    except BaseException:
        # A cancelled statement still runs in the connection's thread; the rollback queues behind it.
        await database.rollback()
        raise


async def _prepare(database: aiosqlite.Connection, path: Path) -> None:
    await database.execute("PRAGMA foreign_keys = ON")
    await database.execute("PRAGMA synchronous = FULL")
    ((version,),) = await _rows(database, "PRAGMA user_version")
    if version > schema.VERSION:
        raise StoreOpenError(
            f"the database {path} has schema version {version}, newer than this program's {schema.VERSION}: "
            "use the program that wrote it, or another file"
        )
    await database.execute("PRAGMA journal_mode = WAL")
    async with transaction(database):
        ((version,),) = await _rows(database, "PRAGMA user_version")
        if version == 0:
            for statement in schema.STATEMENTS:
                await database.execute(statement)
        # Written every time: a file that cannot be written is found now, not in the middle of a run.
        await database.execute(f"PRAGMA user_version = {schema.VERSION}")


def _advice(path: Path, error: sqlite3.Error) -> str:
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            what = "another process holds it; stop that process, or use another file"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN:
            what = "it cannot be written; change its permissions and its folder's, or use another file"
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            what = "it is not a sound SQLite database; restore it, or use another file"
        case _:
            what = str(error)
    return f"cannot use the database {path}: {what}"


async def _rows(database: aiosqlite.Connection, query: str, *values: str | int) -> Sequence[sqlite3.Row]:
    return list(await database.execute_fetchall(query, values))


async def _require_run(database: aiosqlite.Connection, run_id: str) -> None:
    if not await _rows(database, "SELECT 1 FROM diagnosis_run WHERE run_id = ?", run_id):
        raise _no_run(run_id)


def _no_run(run_id: str) -> NotFoundError:
    return NotFoundError(f"there is no run {run_id}", field="run_id")


def _body(run: Run) -> bytes:
    """Return a run without its self-evaluation, which has a column of its own."""
    bare = Run()
    bare.CopyFrom(run)
    bare.ClearField("self_evaluation_json")
    return bare.SerializeToString()
