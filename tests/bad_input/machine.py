"""What a machine may lack or hold: settings, ports, homes, disks, databases."""

import fcntl
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from orchestrator.store.sqlite import open_store
from tests.bad_input.command import (
    LOG,
    QUESTION,
    assay,
    logged,
    run,
    seen,
    unprivileged,
)
from tests.bad_input.table import CannotHappenError, Place, Row, Seen
from tests.fakes.bundles import write
from tests.fakes.command_line import ASSAY

_QUICK: Final = {"ASSAY_ORCHESTRATOR_DATABASE_BUSY_SECONDS": "0.1"}
_SMALL_DISK: Final = 'mount -t tmpfs -o size=256k none "$ASSAY_HOME" && exec "$@"'


def _bundle(place: Place) -> str:
    return str(write(place.folder / "bundle", {"app.log": LOG}))


def _diagnosed(**environ: str) -> Callable[[Place], Awaitable[Seen]]:
    """Return a runner: a diagnosis of a sound bundle by a stack of its own, under these variables."""

    async def runner(place: Place) -> Seen:
        return await assay(place, "diagnose", QUESTION, "--bundle", _bundle(place), **environ)

    return runner


def _showing(make: Callable[[Path], object]) -> Callable[[Place], Awaitable[Seen]]:
    """Return a runner that shows a run, with something done to the state folder before."""

    async def runner(place: Place) -> Seen:
        place.home.mkdir()
        make(place.home)
        return await assay(place, "show", "none")

    return runner


async def _database(place: Place) -> None:
    """Make the database of the row's state folder."""
    place.home.mkdir()
    await (await open_store(place.database, busy_seconds=1, keep_runs=10)).close()


def _with_database(statement: str) -> Callable[[Place], Awaitable[Seen]]:
    """Return a runner that shows a run of a database on which a statement was executed."""

    async def runner(place: Place) -> Seen:
        await _database(place)
        with closing(sqlite3.connect(place.database)) as database, database:
            database.execute(statement)
        return await assay(place, "show", "none")

    return runner


def _with_bytes(offset: int, data: bytes) -> Callable[[Place], Awaitable[Seen]]:
    """Return a runner that shows a run of a database of which some bytes were overwritten."""

    async def runner(place: Place) -> Seen:
        await _database(place)
        _overwrite(place.database, offset, data)
        return await assay(place, "show", "none")

    return runner


def _overwrite(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


async def _locked_database(place: Place) -> Seen:
    await _database(place)
    with closing(sqlite3.connect(place.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        return await assay(place, "show", "none", **_QUICK)


async def _used_database(place: Place) -> Seen:
    place.home.mkdir()
    with (place.home / "assay.sqlite3.lock").open("w") as lock:
        lock.write("4242\n")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        return await assay(place, "show", "none", **_QUICK)


async def _used_home(place: Place) -> Seen:
    place.home.mkdir()
    with (place.home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return await assay(place, "diagnose", QUESTION, "--bundle", _bundle(place), "--timeout", "1")


async def _closed_home(place: Place) -> Seen:
    """Without ASSAY_HOME, and with a home folder below one that cannot be written."""
    bundle = _bundle(place)
    (place.folder / "closed").mkdir(mode=0o555)
    home = str(place.folder / "closed" / "user")
    command = ("env", "-u", "ASSAY_HOME", "-u", "XDG_STATE_HOME", f"HOME={home}", ASSAY)
    return await unprivileged(place, *command, "diagnose", QUESTION, "--bundle", bundle)


async def _read_only_home(place: Place) -> Seen:
    place.home.mkdir(mode=0o555)
    return await unprivileged(place, ASSAY, "diagnose", QUESTION, "--bundle", _bundle(place))


async def _read_only_database(place: Place) -> Seen:
    await _database(place)
    for path in place.home.glob("assay.sqlite3*"):
        path.chmod(0o400)
    return await unprivileged(place, ASSAY, "show", "none")


async def _full_disk(place: Place) -> Seen:
    place.home.mkdir()
    mounting = ["unshare", "--user", "--map-root-user", "--mount"]
    probe = await run(place, *mounting, "sh", "-c", _SMALL_DISK, "sh", "true")
    if probe.returncode != 0:
        raise CannotHappenError("this machine does not let a test mount a small disk")
    bundle = write(place.folder / "bundle", {f"app-{number}.log": LOG * 40 for number in range(20)})
    command = ("sh", "-c", _SMALL_DISK, "sh", ASSAY, "diagnose", QUESTION, "--bundle", str(bundle))
    return seen(await run(place, *mounting, *command), logged(place))


async def _taken_port(place: Place) -> Seen:
    address = place.shared.address
    command = (sys.executable, "-P", "-m", "services.gatekeeper")
    return seen(await run(place, *command, environ={"ASSAY_GATEKEEPER_LISTEN": address}))


def _a_folder(name: str) -> Callable[[Path], object]:
    return lambda home: (home / name).mkdir()


def _a_file(name: str) -> Callable[[Path], object]:
    return lambda home: (home / name).write_text("of somebody else\n" * 100)


def _a_file_instead(home: Path) -> None:
    home.rmdir()
    home.write_text("of somebody else")


def _a_stranger_s(home: Path) -> None:
    with closing(sqlite3.connect(home / "assay.sqlite3")) as database, database:
        database.execute("CREATE TABLE patient (name TEXT)")


ROWS = (
    Row(
        "setting: misspelt",
        _diagnosed(ASSAY_VERIFIER_DRAIN_SECOND="1"),
        "did you mean ASSAY_VERIFIER_DRAIN_SECONDS?",
        "2",
    ),
    Row("setting: misspelt before its name", _diagnosed(ASSAY_VERFIER_X="1"), "no such setting", "2"),
    Row("setting: not a number", _diagnosed(ASSAY_ORCHESTRATOR_MAX_RUNS="many"), "valid integer", "2"),
    Row(
        "setting: keep no run",
        _diagnosed(ASSAY_ORCHESTRATOR_KEEP_RUNS="0"),
        "ASSAY_ORCHESTRATOR_KEEP_RUNS: Input should be greater than or equal to 1",
        "2",
    ),
    Row("setting: not an address", _diagnosed(ASSAY_EXECUTOR_MAX_LOG_BYTES="-1"), "MAX_LOG_BYTES", "2"),
    Row("a port that is taken", _taken_port, "already taken", "1"),
    Row("state folder: no home", _closed_home, "cannot be used: Permission denied; set ASSAY_HOME", "2"),
    Row("state folder: read-only", _read_only_home, "lock cannot be written: Permission denied", "2"),
    Row("state folder: a file", _showing(_a_file_instead), "it is not a folder; set ASSAY_HOME", "2"),
    Row("state folder: logs is a file", _showing(_a_file("logs")), "it is not a folder", "2"),
    Row("state folder: lock is a folder", _showing(_a_folder("lock")), "Is a directory", "2"),
    Row("state folder: used by another command", _used_home, "another assay command is still using", "1"),
    Row("database: a folder", _showing(_a_folder("assay.sqlite3")), "cannot use the database", "1"),
    Row("database: its lock is a folder", _showing(_a_folder("assay.sqlite3.lock")), "Is a dir", "1"),
    Row("database: used by another process", _used_database, "the orchestrator with process id 4242", "1"),
    Row("database: read-only", _read_only_database, "cannot be written", "1"),
    Row("database: locked by another process", _locked_database, "another process holds it", "1"),
    Row(
        "database: text",
        _showing(_a_file("assay.sqlite3")),
        "it is not a sound SQLite database",
        "1",
    ),
    Row(
        "database: somebody else's",
        _showing(lambda home: sqlite3.connect(home / "assay.sqlite3").execute("CREATE TABLE t (x)").close()),
        "it holds no runs of this program",
        "1",
    ),
    Row("database: a newer schema", _with_database("PRAGMA user_version = 99"), "has schema version 99", "1"),
    Row("database: no version", _with_database("PRAGMA user_version = 0"), "only a part of them", "1"),
    Row("database: a table is gone", _with_database("DROP TABLE run_state"), "only a part of them", "1"),
    Row("database: a damaged header", _with_bytes(0, b"\xff" * 64), "it is not a sound SQLite database", "1"),
    Row("database: a damaged first page", _with_bytes(100, b"\xff" * 900), "sound SQLite database", "1"),
    Row(
        "database: a damaged inner page", _with_bytes(4096, b"\xff" * 65536), "the run store is damaged", "1"
    ),
    Row("a disk that is full", _full_disk, "the disk of the run store is full", "1"),
)
