"""A look at the file of the SQLite store, over a connection of its own that only reads.

It never waits for the store's own connection, and no run waits for it.
"""

import asyncio
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from assay.orchestrator.v1 import status_pb2
from assay.orchestrator.v1.status_pb2 import RunCount, StoreStatus

_BUSY_SECONDS: Final = 1.0
# Instructions of SQLite's machine between two looks at the clock; some milliseconds.
_STEPS: Final = 100_000


async def inspect(path: Path, seconds: float) -> StoreStatus:
    """Look at the store's file in at most `seconds`. Whatever fails is told in the status."""
    try:
        async with asyncio.timeout(seconds):
            # The thread ends by its own deadline, unless the disk itself does not answer.
            return await asyncio.to_thread(look, path, time.monotonic() + seconds * 0.8)
    except TimeoutError:
        return StoreStatus(location=str(path), problem=f"its disk does not answer within {seconds:.1f} s")


def look(path: Path, deadline: float) -> StoreStatus:
    """Look at the store's file until an instant of the monotonic clock."""
    status = StoreStatus(location=str(path))
    try:
        # What is not yet merged lies beside the file.
        parts = (path, path.with_name(path.name + "-wal"))
        status.size_bytes = sum(part.stat().st_size for part in parts if part.exists())
        status.free_bytes = shutil.disk_usage(path.parent).free
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS)) as database:
            database.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            _read(database, status)
    except (OSError, sqlite3.Error) as error:
        status.problem = f"it cannot be looked at: {error}"
    return status


def _read(database: sqlite3.Connection, status: StoreStatus) -> None:
    try:
        (status.schema_version,) = database.execute("PRAGMA user_version").fetchone()
        counted = database.execute(
            "SELECT status, COUNT(*) FROM diagnosis_run GROUP BY status ORDER BY status"
        )
        status.runs.extend(RunCount(status=run_status, count=count) for run_status, count in counted)
        (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if found == "ok":
            status.integrity = status_pb2.INTEGRITY_SOUND
        else:
            status.integrity, status.problem = status_pb2.INTEGRITY_DAMAGED, f"it is damaged: {found}"
    except sqlite3.DatabaseError as error:
        match getattr(error, "sqlite_errorcode", 0) & 0xFF:
            case sqlite3.SQLITE_INTERRUPT:
                status.integrity = status_pb2.INTEGRITY_NOT_FINISHED
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
                status.integrity, status.problem = status_pb2.INTEGRITY_DAMAGED, f"it is damaged: {error}"
            case _:
                raise
