"""Strings that exist once, and the search for them in everything that a run leaves behind."""

import base64
import random
import sqlite3
import string
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

_MAX_INFLATED = 1 << 26


def canary() -> str:
    """Return a word that nothing else contains; letters alone, so that no rule takes it for an identifier."""
    return "".join(random.choices(string.ascii_lowercase, k=24))  # noqa: S311 - unlikely is enough


def forms(text: str) -> set[bytes]:
    """Return how a text can stand in bytes: as it is, in hexadecimal, and in base64 at each alignment."""
    data = text.encode()
    found = {data, data.hex().encode(), data.hex().upper().encode()}
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + data + b"\0" * 3)
        # Without the characters that also depend on the neighbours.
        first = (shift * 8 + 5) // 6
        found.add(whole[first : first + len(data) * 8 // 6 - 2])
    return found


def holds(data: bytes, text: str) -> bool:
    """Tell whether bytes hold a text in any of its forms, compressed ones included."""
    return any(form in layer for layer in _layers(data) for form in forms(text))


def where(places: Mapping[str, bytes | Iterable[bytes]], canaries: Mapping[str, str]) -> dict[str, set[str]]:
    """Return for each canary the names of the places that hold it."""
    parts = {name: [data] if isinstance(data, bytes) else list(data) for name, data in places.items()}
    return {
        name: {place for place, pieces in parts.items() if any(holds(piece, text) for piece in pieces)}
        for name, text in canaries.items()
    }


def tables(database: Path) -> dict[str, list[bytes]]:
    """Return every value of every table of a database, by table."""
    with closing(sqlite3.connect(database)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: list(_values(connection, name)) for name in names}


def files_without(database: Path, table: str) -> dict[str, bytes]:
    """Return the bytes of a database and its neighbours after the rows of a table have been removed.

    The rows are overwritten and the file is not tidied up: what lies in unused pages stays.
    """
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - a name that the test gives
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return {path.name: path.read_bytes() for path in sorted(database.parent.glob(f"{database.name}*"))}


def _values(connection: sqlite3.Connection, table: str) -> Iterator[bytes]:
    for row in connection.execute(f"SELECT * FROM {table}"):  # noqa: S608 - a name out of the file's schema
        for value in row:
            yield value if isinstance(value, bytes) else str(value).encode()


def _layers(data: bytes) -> Iterator[bytes]:
    yield data
    for window in (zlib.MAX_WBITS, zlib.MAX_WBITS | 16, -zlib.MAX_WBITS):
        try:
            inflated = zlib.decompressobj(window).decompress(data, _MAX_INFLATED)
        except zlib.error:
            continue
        if inflated:
            yield inflated
