"""What the lines of a log call the component that writes them, where they are fields with names."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

_KEYS: Final = ("service", "component", "app")
_LOGFMT = re.compile(r"(?<!\S)(?P<key>service|component|app)=(?P<mark>\"?)(?P<value>[\w.-]+)(?P=mark)(?!\S)")
_VALUE = re.compile(r"[A-Za-z][\w.-]{0,127}")


def constant_component(lines: Iterable[str]) -> str:
    """Return the one component that lines name, each by the first of the keys that it has; else empty."""
    named = Counter(_named(line) for line in lines if line.strip())
    values = [value for value in named if value]
    if len(values) != 1 or named[values[0]] < named[""]:
        return ""
    return values[0]


def _named(line: str) -> str:
    if line.lstrip().startswith("{"):
        return _json_named(line)
    found = {match["key"]: match["value"] for match in _LOGFMT.finditer(line)}
    return next((found[key] for key in _KEYS if _VALUE.fullmatch(found.get(key, ""))), "")


def _json_named(line: str) -> str:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    values = [record.get(key) for key in _KEYS] if isinstance(record, dict) else []
    return next((value for value in values if isinstance(value, str) and _VALUE.fullmatch(value)), "")
