"""Folders that are no bundle, and bundles that hold what nobody wants to read."""

import asyncio
import contextlib
import gzip
import io
import os
import sqlite3
import stat
import threading
import zipfile
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.bad_input.command import (
    LOG,
    QUESTION,
    Files,
    assay,
    diagnosing,
    remote,
    unprivileged,
    with_files,
)
from tests.bad_input.table import Place, Row, Seen
from tests.fakes.bundles import write
from tests.fakes.command_line import ASSAY

_ANSWERED: Final = "NO CAUSE FOUND (LOW_CONFID)"
_UNREADABLE: Final = "no readable source"
_HOSTILE_NAME: Final = "a\nb\x1b[2J\u202e.d"
_CANARY: Final = "2026-11-30T09:00:00Z ERROR canary-of-another-folder\n"

# The data, and what is said of it.
_HOSTILE_JSON: Final[dict[str, tuple[bytes, str]]] = {
    "NaN": (b'[{"time":"2026-11-30T09:00:00Z","value":NaN}]', "NaN is not a JSON number"),
    "duplicate keys": (b'[{"time":1,"time":2}]', "duplicate key"),
    "100,000 levels": (b"[" * 100_000, "deep"),
    "5,000 digits": (b'[{"time":' + b"9" * 5000 + b',"summary":"x"}]', "number of more than 512 characters"),
    "a lone surrogate": (b'[{"time":"2026-11-30T09:00:00Z","summary":"\\ud800"}]', "surrogate"),
    "no UTF-8": (b'[{"time":"\xff\xfe"}]', "UTF-8"),
    "its end cut off": (b'{"services":[{"name":"api"', "not JSON at line 1"),
    "50,000 elements": (b"[" + b'{"a":1},' * 50_000 + b"{}]", "of no kind that a tool reads"),
}
_ROLES: Final = ("metrics/cpu.json", "alerts.json", "events.json", "topology.json")


def _sound(row: str, files: Files, says: str) -> Row:
    """A row whose bundle has a sound log beside the bad file: the run goes on, and says what became of it."""
    return Row(f"bundle: {row}", with_files({"app.log": LOG, **files}), says, "3", "SUCCEEDED")


def _nothing_readable(row: str, files: Files, prepare: Callable[[Path], None] | None = None) -> Row:
    return Row(f"bundle: {row}", with_files(files, prepare=prepare), _UNREADABLE, "2")


def _made(make: Callable[[Path], object]) -> Callable[[Place], Awaitable[Seen]]:
    """Return a runner that makes something called `it` and takes it for a bundle."""

    async def runner(place: Place) -> Seen:
        await asyncio.to_thread(make, place.folder / "it")
        return await diagnosing("it")(place)

    return runner


def _socket(path: Path) -> None:
    # Not bound: the names of bound sockets are short.
    os.mknod(path, stat.S_IFSOCK | 0o600)


def _path(path: str) -> Callable[[Place], Awaitable[Seen]]:
    async def runner(place: Place) -> Seen:
        return await assay(place, "diagnose", QUESTION, "--bundle", path)

    return runner


def _named(name: str) -> Callable[[Place], Awaitable[Seen]]:
    async def runner(place: Place) -> Seen:
        return await remote(place, name)

    return runner


async def _out_of_the_root(place: Place) -> Seen:
    (place.folder / "secret").mkdir()
    (place.folder / "secret" / "app.log").write_text(_CANARY)
    link = place.shared.root / f"link-{place.folder.name}"
    link.symlink_to(place.folder / "secret")
    return await remote(place, link.name)


async def _unreadable_file(place: Place) -> Seen:
    bundle = write(place.folder / "bundle", {"app.log": LOG, "b.log": LOG})
    (bundle / "b.log").chmod(0)
    return await unprivileged(place, ASSAY, "diagnose", QUESTION, "--bundle", str(bundle))


async def _unreadable_folder(place: Place) -> Seen:
    folder = place.folder / "closed"
    folder.mkdir()
    (folder / "app.log").write_text(LOG)
    folder.chmod(0)
    try:
        return await unprivileged(place, ASSAY, "diagnose", QUESTION, "--bundle", str(folder))
    finally:
        folder.chmod(0o700)


async def _swapped(place: Place) -> Seen:
    """Swap a file for a link out of the bundle and back, as fast as possible, while the bundle is read."""
    secret = place.folder / "secret.log"
    secret.write_text(_CANARY)
    bundle = place.shared.root / f"swapped-{place.folder.name}"
    bundle.mkdir()
    (bundle / "app.log").write_text(LOG)
    enough = threading.Event()
    spinning = asyncio.create_task(asyncio.to_thread(_spin, bundle / "other.log", secret, enough))
    try:
        told = await remote(place, bundle.name)
    finally:
        enough.set()
        await spinning
    with closing(sqlite3.connect(place.shared.database)) as database:
        found = database.execute("SELECT output FROM tool_invocation WHERE output LIKE '%canary%'").fetchall()
    return replace(told, line=f"{told.line} The other folder's text is stored {len(found)} times.")


def _spin(path: Path, secret: Path, enough: threading.Event) -> None:
    new = path.with_suffix(".new")
    while not enough.is_set():
        with contextlib.suppress(FileNotFoundError):
            new.unlink()
        new.symlink_to(secret)
        new.rename(path)
        new.write_text(LOG)
        new.rename(path)


def _zipped() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("app.log", LOG)
    return packed.getvalue()


ROWS = (
    Row("bundle: no such folder", diagnosing("missing"), "there is no folder", "2"),
    Row("bundle: a file", _made(lambda path: path.write_text("x")), "is a file", "2"),
    Row("bundle: an empty folder", _made(Path.mkdir), "is empty", "2"),
    Row("bundle: an empty name", _path(""), "--bundle is empty", "2"),
    Row("bundle: a FIFO", _made(os.mkfifo), "is a file", "2"),
    Row("bundle: a socket", _made(_socket), "is a file", "2"),
    Row("bundle: a device", _path("/dev/zero"), "is a file", "2"),
    Row("bundle: a link to itself", _made(lambda path: path.symlink_to(path)), "cannot be read", "2"),
    Row("bundle: the root of the file system", _path("/"), "root of the file system", "2"),
    Row("bundle: /proc/self", _path("/proc/self"), _UNREADABLE, "2"),
    Row("bundle: chmod 000", _unreadable_folder, "cannot be read: Permission denied", "2"),
    Row(
        "bundle: a file in it chmod 000",
        _unreadable_file,
        "b.log (it cannot be opened",
        "3",
        "SUCCEEDED",
    ),
    Row("bundle: %2e%2e", _path("%2e%2e/x"), "there is no folder or zip file %2e%2e/x", "2"),
    Row("bundle: 4 KB of name", _path("x" * 4096), "File name too long", "2"),
    Row("bundle: newline, ANSI, bidi in the name", _path(_HOSTILE_NAME), "\\x1b[2J", "2"),
    Row("bundle: a name that is no UTF-8", _path("a\udcff"), "there is no folder or zip file a\\udcff", "2"),
    Row("--target and ..", _named("../x"), "is not a bundle's name", "2"),
    Row("--target and an absolute path", _named("/etc"), "is not a bundle's name", "2"),
    Row("--target and a/../../b", _named("a/../../b"), "is not a bundle's name", "2"),
    Row("--target and %2e%2e", _named("%2e%2e/%2e%2e/etc"), "does not exist", "2"),
    Row("--target and a name of 4 KB", _named("x" * 4096), "at most 1024 characters", "2"),
    Row("--target and an unknown name", _named("unknown"), "does not exist", "2"),
    Row("bundle: a link out of the root", _out_of_the_root, "leaves the configured root", "2"),
    Row(
        "bundle: a file swapped for a link out of it while it is read",
        _swapped,
        "The other folder's text is stored 0 times.",
        "3",
        "SUCCEEDED",
    ),
    _nothing_readable("only a link out of it", {}, lambda it: (it / "a.log").symlink_to("/etc/passwd")),
    _nothing_readable("only a link to itself", {}, lambda it: (it / "a.log").symlink_to(it / "a.log")),
    _nothing_readable("only a FIFO", {}, lambda it: os.mkfifo(it / "a.log")),
    _nothing_readable("only a socket", {}, lambda it: _socket(it / "a.log")),
    _nothing_readable("only a link to a device", {}, lambda it: (it / "a.log").symlink_to("/dev/zero")),
    _nothing_readable("binary noise", {"a.log": bytes(range(256)) * 4096}),
    _nothing_readable("only a file of 0 bytes, of no name", {"notes": b""}),
    _nothing_readable("a gzip that is cut off at once", {"a.log.gz": gzip.compress(LOG.encode())[:12]}),
    _sound("a log of 0 bytes", {"empty.log": b""}, "app.log, empty.log;"),
    _sound("one line of 50 MB", {"b.log": "2026-11-30T09:00:00Z " + "x" * 50_000_000}, "app.log, b.log;"),
    _sound("a gzip of 1 GB of zeros", {"b.log.gz": gzip.compress(bytes(1 << 20)) * 1024}, "is not text"),
    _sound(
        "a gzip that is cut off", {"b.log.gz": gzip.compress(LOG.encode() * 99)[:-20]}, "app.log, b.log.gz;"
    ),
    _sound("a zip", {"b.zip": _zipped()}, "b.zip"),
    _sound("several encodings in one file", {"b.log": LOG.encode() + LOG.encode("utf-16")}, "b.log"),
    _sound("a table with ragged rows", {"m.csv": 'time,api_cpu\n1,2\n1,2,3\n"\n,,,\nx,y\n'}, "is no CSV"),
    _sound("newline, ANSI and bidi in names", {f"{_HOSTILE_NAME}/b.log": LOG}, "\\x1b[2J"),
    *(
        _sound(f"{what} in its JSON files", dict.fromkeys(_ROLES, data), says)
        for what, (data, says) in _HOSTILE_JSON.items()
    ),
)
