"""Lines that a container runtime wrapped: Docker's json-file, CRI, and the prefixes of compose and kubectl.

What is cited is the line as it stands in the file; what it says is the line that the program wrote, which may
be one of a trace.
"""

import json
import re
from typing import Final, NamedTuple

from services.executor.sources.instants import Instant, from_iso

_CRI = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T\S{8,32}) (?:stdout|stderr) [FP] ?")
_STREAM_AT: Final = (20, 42)
_PREFIX = re.compile(r"(?:[\w.-]{1,64} +\||\[pod/[^\]\s]{1,256}\]) ")
_PREFIX_REACH: Final = 72


class Wrapped(NamedTuple):
    """A program's line and the runtime's time of it, if it gives one."""

    text: str
    time: Instant | None


def unwrapped(text: str) -> Wrapped | None:
    """Return what a runtime wrapped; None for any other line, which is found out at once."""
    if text.startswith("{"):
        return _docker(text) if text.startswith('{"log":') else None
    if text.find(" std", *_STREAM_AT) > 0 and (match := _CRI.match(text)):
        time = from_iso(match.group(1))
        return Wrapped(text[match.end() :], time) if time else None
    if (text.startswith("[pod/") or " | " in text[:_PREFIX_REACH]) and (match := _PREFIX.match(text)):
        return Wrapped(text[match.end() :], None)
    return None


def _docker(text: str) -> Wrapped | None:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    line, stamp = record.get("log"), record.get("time")
    if not isinstance(line, str) or not isinstance(stamp, str):
        return None
    time = from_iso(stamp)
    return Wrapped(line.rstrip("\r\n"), time) if time else None
