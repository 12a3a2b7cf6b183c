"""The embedded store: one SQLite file, one connection, one transaction per step."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import aiosqlite
from assay.common.v1.tool_pb2 import Invocation
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent, Run, RunSummary
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.store.port import (
    CHANNEL_FORM,
    MAX_CHANNELS,
    OWN_CHANNEL,
    Cursor,
    History,
    Retention,
    Selection,
    StepConflictError,
    StoredCall,
    Submission,
)
from orchestrator.store.rows import body_of, parsed, recorded, summary_of, time_text
from orchestrator.store.sqlite_file import Kind, failures_named, open_database, rows, transaction
from services.common.errors import AlreadyExistsError, FailedPreconditionError, NotFoundError

_RUNNING: Final = run_pb2.RUN_STATUS_RUNNING
_IDS_PER_QUERY = 500
# Before and after every time that the store writes.
_FIRST = ""
_LAST = "~"
# The ended runs that go; `_unkept` has its values.
_PRUNABLE: Final = (
    "SELECT run_id FROM diagnosis_run WHERE status != ? AND create_time < ?"
    " ORDER BY create_time DESC, run_id DESC LIMIT -1 OFFSET ?"
)


class SqliteStore:
    """Adapter of the store port. Get one from `open_store`."""

    def __init__(self, database: aiosqlite.Connection, keep_runs: int) -> None:
        self._database = database
        self._keep_runs = keep_runs
        # The one connection holds at most one transaction; a reader must not see half of a writer's.
        self._lock = asyncio.Lock()

    async def create_run(self, run: Run, state: RunState, submission: Submission | None = None) -> str:
        """Store a run that begins, and forget the oldest ended ones beyond the bound."""
        async with self._transaction() as database:
            if submission is not None and (earlier := await _submitted(database, submission)):
                return earlier
            if await rows(database, "SELECT 1 FROM diagnosis_run WHERE run_id = ?", run.run_id):
                raise AlreadyExistsError(f"run {run.run_id} exists", field="run_id")
            await database.execute(
                "INSERT INTO diagnosis_run (run_id, status, create_time, body, summary)"
                " VALUES (?, ?, ?, ?, ?)",
                (run.run_id, run.status, time_text(run.create_time), body_of(run), summary_of(run)),
            )
            await database.execute(
                "INSERT INTO run_state (run_id, step, body) VALUES (?, 0, ?)",
                (run.run_id, state.SerializeToString()),
            )
            if submission is not None:
                await database.execute(
                    "INSERT INTO submission (idempotency_key, request_sha256, run_id) VALUES (?, ?, ?)",
                    (submission.key, submission.request_sha256, run.run_id),
                )
            await _prune(database, Retention(self._keep_runs))
        return run.run_id

    async def submitted(self, submission: Submission) -> str | None:
        """Return the run that a submission began."""
        async with self._connection() as database:
            return await _submitted(database, submission)

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
            if await rows(database, known, run_id, invocation.id):
                raise AlreadyExistsError(f"run {run_id} has an invocation with this id", field="id")
            await database.execute(
                "INSERT INTO tool_invocation (run_id, invocation_id, position, body, output)"
                " SELECT ?, ?, COUNT(*), ?, ? FROM tool_invocation WHERE run_id = ?",
                (run_id, invocation.id, head.SerializeToString(), invocation.output, run_id),
            )

    async def write_channel(self, run_id: str, channel: str, value_json: str) -> None:
        """Replace one channel of the self-evaluation; one statement, so that no other writer is undone."""
        if not CHANNEL_FORM.fullmatch(channel):
            raise ValueError("a channel is named by lower-case letters and '_'")
        others = (
            "SELECT key FROM diagnosis_run, json_each(self_evaluation) WHERE run_id = ? AND key NOT IN (?, ?)"
        )
        async with self._transaction() as database:
            await _require_run(database, run_id)
            taken = await rows(database, others, run_id, channel, OWN_CHANNEL)
            if channel != OWN_CHANNEL and len(taken) >= MAX_CHANNELS:
                raise FailedPreconditionError(
                    f"run {run_id} has {len(taken)} other channels", field="channel"
                )
            await database.execute(
                "UPDATE diagnosis_run SET self_evaluation = json_set(self_evaluation, ?, json(?))"
                " WHERE run_id = ?",
                (f"$.{channel}", value_json, run_id),
            )

    async def end_run(self, run: Run) -> None:
        """Replace a run under way by how it ended, and remove its checkpoint."""
        async with self._transaction() as database:
            await _require_run(database, run.run_id)
            updated = await database.execute(
                "UPDATE diagnosis_run SET status = ?, body = ?, summary = ? WHERE run_id = ? AND status = ?",
                (run.status, body_of(run), summary_of(run), run.run_id, _RUNNING),
            )
            if updated.rowcount != 1:
                raise StepConflictError(f"run {run.run_id} has ended before")
            await database.execute("DELETE FROM run_state WHERE run_id = ?", (run.run_id,))

    async def run(self, run_id: str) -> Run:
        """Return a run with its self-evaluation."""
        query = "SELECT body, self_evaluation FROM diagnosis_run WHERE run_id = ?"
        for body, self_evaluation in await self._read(query, run_id):
            run = parsed(Run, body, run_id)
            run.self_evaluation_json = self_evaluation.encode("utf-8")
            return run
        raise _no_run(run_id)

    async def runs(self, selection: Selection, after: Cursor | None, limit: int) -> list[RunSummary]:
        """Return a part of the list of runs, read from summaries alone."""
        window = selection.create_time
        wanted = sorted(selection.statuses or run_pb2.RunStatus.values())
        marks = ", ".join("?" * len(wanted))
        found = await self._read(
            "SELECT run_id, summary FROM diagnosis_run"  # noqa: S608 - only question marks
            " WHERE (create_time, run_id) < (?, ?) AND create_time >= ? AND create_time < ?"
            f" AND status IN ({marks}) ORDER BY create_time DESC, run_id DESC LIMIT ?",
            *((time_text(after.create_time), after.run_id) if after else (_LAST, "")),
            time_text(window.start) if window.HasField("start") else _FIRST,
            time_text(window.end) if window.HasField("end") else _LAST,
            *wanted,
            limit,
        )
        return [parsed(RunSummary, summary, run_id) for run_id, summary in found]

    async def prune(self, bound: Retention) -> int:
        """Forget the ended runs that a bound does not keep."""
        async with self._transaction() as database:
            return await _prune(database, bound)

    async def prunable(self, bound: Retention) -> int:
        """Return how many runs `prune` would forget."""
        found = await self._read(f"SELECT COUNT(*) FROM ({_PRUNABLE})", *_unkept(bound))  # noqa: S608 - a constant
        return int(found[0][0])

    async def history(self, run_id: str) -> History:
        """Return the events of a run, in order."""
        async with self._transaction("DEFERRED") as database:
            query = "SELECT status, evidence_retry_count FROM diagnosis_run WHERE run_id = ?"
            found = await rows(database, query, run_id)
            if not found:
                raise _no_run(run_id)
            events = await rows(
                database, "SELECT body FROM orchestration_event WHERE run_id = ? ORDER BY sequence", run_id
            )
        status, retries = found[0]
        return History(status, [parsed(OrchestrationEvent, body, run_id) for (body,) in events], retries)

    async def calls(self, run_id: str) -> list[StoredCall]:
        """Return the tool calls of a run without outputs."""
        query = "SELECT body, length(output) FROM tool_invocation WHERE run_id = ? ORDER BY position"
        return [
            StoredCall(parsed(Invocation, body, run_id), size)
            for body, size in await self._read(query, run_id)
        ]

    async def outputs(self, run_id: str, invocation_ids: Iterable[str]) -> dict[str, bytes]:
        """Return the outputs of these tool calls, each checked against its hash."""
        wanted = sorted(set(invocation_ids))
        found: dict[str, bytes] = {}
        for start in range(0, len(wanted), _IDS_PER_QUERY):
            part = wanted[start : start + _IDS_PER_QUERY]
            marks = ", ".join("?" * len(part))
            stored = await self._read(
                "SELECT body, output FROM tool_invocation"  # noqa: S608 - only question marks
                f" WHERE run_id = ? AND invocation_id IN ({marks})",
                run_id,
                *part,
            )
            whole = (recorded(body, output, run_id) for body, output in stored)
            found.update((invocation.id, invocation.output) for invocation in whole)
        return found

    async def invocation(self, run_id: str, invocation_id: str) -> Invocation:
        """Return one tool call with its output, checked against its hash."""
        query = "SELECT body, output FROM tool_invocation WHERE run_id = ? AND invocation_id = ?"
        for body, output in await self._read(query, run_id, invocation_id):
            return recorded(body, output, run_id)
        raise NotFoundError(f"run {run_id} has no invocation {invocation_id}", field="invocation_id")

    async def running(self) -> list[str]:
        """Return the ids of the runs that have not ended, the oldest first."""
        query = "SELECT run_id FROM diagnosis_run WHERE status = ? ORDER BY create_time"
        return [run_id for (run_id,) in await self._read(query, _RUNNING)]

    async def checkpoint(self, run_id: str) -> RunState:
        """Return the state after the last recorded step."""
        for (body,) in await self._read("SELECT body FROM run_state WHERE run_id = ?", run_id):
            return parsed(RunState, body, run_id)
        raise NotFoundError(f"run {run_id} has no checkpoint", field="run_id")

    async def close(self) -> None:
        """Close the file."""
        await self._database.close()

    async def _read(self, query: str, *values: str | int) -> Sequence[sqlite3.Row]:
        async with self._connection() as database:
            return await rows(database, query, *values)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[aiosqlite.Connection]:
        async with self._lock:
            with failures_named():
                yield self._database

    @asynccontextmanager
    async def _transaction(self, kind: Kind = "IMMEDIATE") -> AsyncIterator[aiosqlite.Connection]:
        async with self._connection() as database, transaction(database, kind):
            yield database


async def open_store(path: Path, *, busy_seconds: float, keep_runs: int) -> SqliteStore:
    """Open or create the file; raises StoreOpenError with one line that says what to do."""
    return SqliteStore(await open_database(path, busy_seconds), keep_runs)


async def _submitted(database: aiosqlite.Connection, submission: Submission) -> str | None:
    query = "SELECT request_sha256, run_id FROM submission WHERE idempotency_key = ?"
    for digest, run_id in await rows(database, query, submission.key):
        if digest != submission.request_sha256:
            raise AlreadyExistsError(
                "the idempotency key came with another diagnosis before; choose a new key",
                field="idempotency_key",
            )
        return str(run_id)
    return None


async def _prune(database: aiosqlite.Connection, bound: Retention) -> int:
    deleted = await database.execute(
        f"DELETE FROM diagnosis_run WHERE run_id IN ({_PRUNABLE})",  # noqa: S608 - a constant
        _unkept(bound),
    )
    return deleted.rowcount


def _unkept(bound: Retention) -> tuple[int, str, int]:
    """Return the values of the query for runs that go."""
    before = bound.created_before
    return _RUNNING, time_text(before) if before else _LAST, bound.keep


async def _require_run(database: aiosqlite.Connection, run_id: str) -> None:
    if not await rows(database, "SELECT 1 FROM diagnosis_run WHERE run_id = ?", run_id):
        raise _no_run(run_id)


def _no_run(run_id: str) -> NotFoundError:
    return NotFoundError(f"there is no run {run_id}", field="run_id")
