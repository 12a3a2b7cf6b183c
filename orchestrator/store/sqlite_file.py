"""One SQLite file: opened, brought to this program's schema, written in whole transactions."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path
from typing import Final, Literal

import aiosqlite
from assay.orchestrator.v1.run_pb2 import Run
from google.protobuf.timestamp_pb2 import Timestamp

from orchestrator.store import schema
from orchestrator.store.port import (
    StoredDataError,
    StoreFullError,
    StoreOpenError,
    StoreUnavailableError,
)
from orchestrator.store.rows import parsed, summary_of, time_text

Kind = Literal["IMMEDIATE", "DEFERRED"]
# The version whose summaries hold all that a list shows.
_SUMMARISED: Final = 3

_COLUMNS = (
    "SELECT made.name, told.name FROM sqlite_master AS made, pragma_table_info(made.name) AS told"
    " WHERE made.type = 'table' AND made.name NOT LIKE 'sqlite%'"
)


async def open_database(path: Path, busy_seconds: float) -> aiosqlite.Connection:
    """Open or create the file; raises StoreOpenError with one line that says what to do."""
    try:
        # First without aiosqlite, whose thread would outlive a failure to open.
        await asyncio.to_thread(_created, path)
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
    return database


def _created(path: Path) -> None:
    """Create the file where there is none, for its owner alone, as SQLite then makes those beside it."""
    with suppress(OSError):
        # Only a new one: closing a descriptor of a file in use would lose the locks that SQLite holds on it.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    # What cannot be opened, SQLite says.
    sqlite3.connect(path).close()


@asynccontextmanager
async def transaction(
    database: aiosqlite.Connection, kind: Kind = "IMMEDIATE"
) -> AsyncIterator[aiosqlite.Connection]:
    """Run the block in one transaction, whole or not at all; a deferred one only reads.

    A deferred transaction waits for no writer, but one that turned to writing would fail at once instead of
    waiting for the lock.
    """
    try:
        await database.execute(f"BEGIN {kind}")
        yield database
        await database.commit()
    except BaseException:
        # A cancelled statement still runs in the connection's thread; the rollback queues behind it.
        await database.rollback()
        raise


async def rows(database: aiosqlite.Connection, query: str, *values: str | int) -> Sequence[sqlite3.Row]:
    """Return all rows of a query."""
    return list(await database.execute_fetchall(query, values))


@contextmanager
def failures_named() -> Iterator[None]:
    """Turn what can befall a file into the errors of the port; a defect of a statement passes as it is."""
    try:
        yield
    except sqlite3.Error as error:
        match _primary_code(error):
            case sqlite3.SQLITE_FULL:
                raise StoreFullError(
                    "the disk of the run store is full; free space, then try again"
                ) from error
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                raise StoreUnavailableError("another process holds the run store; try again later") from error
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
                raise StoredDataError("the run store is damaged; restore its file from a copy") from error
            case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN:
                raise StoreUnavailableError(
                    "the run store cannot be read or written; look at its disk and permissions"
                ) from error
        raise


async def _prepare(database: aiosqlite.Connection, path: Path) -> None:
    await database.execute("PRAGMA foreign_keys = ON")
    await database.execute("PRAGMA synchronous = FULL")
    # What a checkpoint held must not outlive it in unused pages. The default depends on how SQLite was built.
    await database.execute("PRAGMA secure_delete = ON")
    # Before anything is written into a file that may be somebody else's.
    await _recognised(database, path)
    await database.execute("PRAGMA journal_mode = WAL")
    async with transaction(database):
        # Asked again: another process may have upgraded the file meanwhile.
        version = await _recognised(database, path)
        for statements in schema.VERSIONS[version:]:
            for statement in statements:
                await database.execute(statement)
        if 0 < version < _SUMMARISED:
            await _summarise_runs(database, version)
        # Written every time: a file that cannot be written is found now, not in the middle of a run.
        await database.execute(f"PRAGMA user_version = {schema.VERSION}")


async def _version(database: aiosqlite.Connection) -> int:
    ((version,),) = await rows(database, "PRAGMA user_version")
    return int(version)


async def _recognised(database: aiosqlite.Connection, path: Path) -> int:
    """Return the schema version of a file that is new or this program's; raises StoreOpenError for others."""
    version = await _version(database)
    if version > schema.VERSION:
        raise StoreOpenError(
            f"the database {path} has schema version {version}, newer than this program's {schema.VERSION}: "
            "use the program that wrote it, or another file"
        )
    found = {(str(table), str(column)) for table, column in await rows(database, _COLUMNS)}
    wanted = await asyncio.to_thread(_columns_of, version)
    # A new file holds nothing; whatever else holds tables and no version was not made here, or not wholly.
    if version < 0 or not wanted <= found or (version == 0 and found):
        raise StoreOpenError(
            f"cannot use the database {path}: it holds no runs of this program, or only a part of them "
            f"(schema version {version}, {len(found)} columns); restore it from a copy, or use another file"
        )
    return version


def _columns_of(version: int) -> set[tuple[str, str]]:
    """Return the tables of a schema version with their columns, as a file of that version has them."""
    with closing(sqlite3.connect(":memory:")) as database:
        for statements in schema.VERSIONS[:version]:
            for statement in statements:
                database.execute(statement)
        return set(database.execute(_COLUMNS))


async def _summarise_runs(database: aiosqlite.Connection, version: int) -> None:
    """Write what a list shows of each run; of a damaged one, what the file's version can tell of it."""
    known = await rows(database, "SELECT run_id, status, create_time FROM diagnosis_run")
    for run_id, status, create_time in known:
        created = _instant(create_time)
        ((body,),) = await rows(database, "SELECT body FROM diagnosis_run WHERE run_id = ?", run_id)
        try:
            run = parsed(Run, body, run_id)
        except StoredDataError:
            if version > 1:
                # Its summary is better than what could be made now.
                continue
            run = Run(run_id=run_id, status=status, create_time=created)
        await database.execute(
            "UPDATE diagnosis_run SET summary = ?, create_time = ? WHERE run_id = ?",
            (summary_of(run), time_text(created), run_id),
        )


def _instant(text: str) -> Timestamp:
    time = Timestamp()
    try:
        time.FromJsonString(text)
    except ValueError:
        raise sqlite3.DatabaseError(f"a run has no readable create_time, but {text!r}") from None
    return time


def _primary_code(error: sqlite3.Error) -> int:
    # The low byte; the others tell the kinds of one error apart.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _advice(path: Path, error: sqlite3.Error) -> str:
    match _primary_code(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            what = "another process holds it; stop that process, or use another file"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN:
            what = "it cannot be written; change its permissions and its folder's, or use another file"
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            what = "it is not a sound SQLite database; restore it, or use another file"
        case sqlite3.SQLITE_FULL:
            what = "its disk is full; free space, or use another file"
        case _:
            what = str(error)
    return f"cannot use the database {path}: {what}"
