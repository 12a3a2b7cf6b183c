"""The configuration file: one TOML file for all processes, a table for each, and one that some share.

`ASSAY_CONFIG` names it; empty means that none is read. Without that variable it is `assay/config.toml` in
`$XDG_CONFIG_HOME` or `~/.config`, where it may be absent.
"""

import os
import re
import stat
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from services.common.errors import AssayError
from services.common.processes import COMMAND_LINE, MODEL, SERVICES

CONFIG_VARIABLE: Final = "ASSAY_CONFIG"
TABLES: Final = (COMMAND_LINE, *SERVICES, MODEL)
MAX_CONFIG_BYTES: Final = 64 * 1024
_MAX_TRIED_LINES: Final = 50
# What the parser's messages end with.
_PARSER_PLACE: Final = re.compile(r" \(at line (\d+), column \d+\)$")


class ConfigFileError(AssayError):
    """The configuration file cannot be used; the message is one line that names it."""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file that was read: its text and what it says. Without a path there is none, and it says nothing."""

    path: Path | None = None
    text: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    def table(self, name: str) -> Mapping[str, Any]:
        """Return the table of one process; empty when the file has none."""
        table = self.values.get(name)
        return table if isinstance(table, dict) else {}

    def place(self, *keys: str) -> str:
        """Return `file:line` of a key, the file alone when its line cannot be told."""
        line = _line_of(self.text, keys)
        return f"{self.path}:{line}" if line else str(self.path)


def read_config(environ: Mapping[str, str]) -> ConfigFile:
    """Read the file that an environment leads to; raises ConfigFileError."""
    named = environ.get(CONFIG_VARIABLE)
    path = Path(named) if named else _users_own(environ) if named is None else None
    if path is None:
        return ConfigFile()
    try:
        data = _read(path)
    except FileNotFoundError:
        if named is None:
            return ConfigFile()
        raise ConfigFileError(
            f"{path}: there is no such file; {CONFIG_VARIABLE} or --config names it"
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigFileError(f"{path}: cannot be read: {reason}") from None
    text = _decoded(path, data)
    return ConfigFile(path, text, _parsed(path, text))


def _users_own(environ: Mapping[str, str]) -> Path | None:
    if folder := environ.get("XDG_CONFIG_HOME"):
        return Path(folder) / "assay" / "config.toml"
    if home := environ.get("HOME"):
        return Path(home) / ".config" / "assay" / "config.toml"
    return None


def _read(path: Path) -> bytes:
    # Without O_NONBLOCK, opening a FIFO would wait for somebody who writes.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
            raise ConfigFileError(f"{path}: is {kind}; settings stand in a TOML file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(MAX_CONFIG_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > MAX_CONFIG_BYTES:
        raise ConfigFileError(f"{path}: is larger than {MAX_CONFIG_BYTES >> 10} KiB, the most that is read")
    return data


def _decoded(path: Path, data: bytes) -> str:
    try:
        # Some editors begin a file with a byte order mark.
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigFileError(f"{path}:{line}: is not UTF-8 text; save the file as UTF-8") from None


def _parsed(path: Path, text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PARSER_PLACE.search(str(error))
        message = _PARSER_PLACE.sub("", str(error))
        where = f"{path}:{found[1]}" if found else str(path)
        raise ConfigFileError(f"{where}: is not TOML: {message[:1].lower()}{message[1:]}") from None
    except (ValueError, RecursionError):
        # Numbers of thousands of digits, lists in lists in lists.
        raise ConfigFileError(f"{path}: holds a value that no setting can have") from None


def _line_of(text: str, keys: Sequence[str]) -> int:
    """Return the first line after which the text above says something of a key; 0 when it cannot be told.

    The parser of the standard library tells no places. So the lines that hold the key's name are tried.
    """
    lines = text.split("\n")
    named = [n for n, line in enumerate(lines, 1) if keys[-1] in line and not line.lstrip().startswith("#")]
    tried = named[:_MAX_TRIED_LINES]
    whole = [number for number in tried if _says("\n".join(lines[:number]), keys)]
    return next(iter(whole or tried), 0)


def _says(text: str, keys: Sequence[str]) -> bool:
    try:
        value: Any = tomllib.loads(text)
    except ValueError:
        return False
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True
