"""Names of logs: what a rotated or compressed file was called before (`app.log.2.gz` was `app.log`)."""

import re
from typing import Final

PACKED_ENDING: Final = ".gz"
_ENDINGS: Final = (".log", ".jsonl", ".ndjson", ".out", ".err")
_NAMES: Final = ("messages", "syslog")
# logrotate, Python's and Java's handlers, Docker: a number or a date, with or without a time.
_ROTATED: Final = re.compile(
    r"[._-](?:[0-9]{1,4}|[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:[T_.-]?[0-9]{2}[-_:]?[0-9]{2}(?:[-_:]?[0-9]{2})?)?|[0-9]{10})$"
)


def unpacked(name: str) -> str:
    """Return a name without the ending of a compressed file."""
    return name[: -len(PACKED_ENDING)] if name.lower().endswith(PACKED_ENDING) else name


def unrotated(name: str) -> str:
    """Return the name that a log had before it was rotated; any other name as it is, without `.gz`."""
    name = unpacked(name)
    rest = _ROTATED.sub("", name)
    return rest if _says_log(rest) else name


def is_log(name: str) -> bool:
    """Tell whether a file is a log by its name alone."""
    return _says_log(unrotated(name))


def _says_log(name: str) -> bool:
    name = name.lower()
    return name.endswith(_ENDINGS) or name.rpartition("/")[2] in _NAMES
