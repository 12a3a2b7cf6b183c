"""The real connections of stores, and what befalls the file beneath one."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import aiosqlite
import pytest


def kept_connections(monkeypatch: pytest.MonkeyPatch) -> list[aiosqlite.Connection]:
    """Return a list to which every connection is added when it opens."""
    found: list[aiosqlite.Connection] = []
    connect = aiosqlite.connect

    async def kept(*values: Any, **options: Any) -> aiosqlite.Connection:  # noqa: ANN401 - as connect takes them
        found.append(await connect(*values, **options))
        return found[-1]

    monkeypatch.setattr(aiosqlite, "connect", kept)
    return found


def failure(code: int) -> sqlite3.Error:
    """Return the error of a SQLite result code; 0 is a defect of the program."""
    if code == 0:
        return sqlite3.ProgrammingError("canary of a defect")
    error = sqlite3.OperationalError("canary of SQLite")
    error.sqlite_errorcode = code
    return error


@contextmanager
def failing(connection: aiosqlite.Connection, error: Exception, only: str = "") -> Iterator[None]:
    """Let every statement inside the block fail, or those that begin with a text."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("execute", "execute_fetchall"):
            _replace(patch, connection, name, only, error)
        yield


@contextmanager
def held(connection: aiosqlite.Connection) -> Iterator[None]:
    """Let every statement wait until the block ends."""
    released = asyncio.Event()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("execute", "execute_fetchall"):
            _replace(patch, connection, name, "", released)
        yield
    released.set()


def _replace(
    patch: pytest.MonkeyPatch,
    connection: aiosqlite.Connection,
    name: str,
    only: str,
    what: Exception | asyncio.Event,
) -> None:
    original = getattr(connection, name)

    async def replaced(statement: str, *values: Any) -> Any:  # noqa: ANN401 - as the connection takes them
        if statement.startswith(only):
            if isinstance(what, Exception):
                raise what
            await what.wait()
        return await original(statement, *values)

    patch.setattr(connection, name, replaced)
