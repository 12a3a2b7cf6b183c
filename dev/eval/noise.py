"""Ten times as much of what has nothing to do with an incident.

A log gets ten more lines for each of its routine lines, at the same instant; a table of metrics ten times its
columns, of components that nobody calls, each the course of an old one with its samples in another order.
"""

import csv
import io
import random
import re
from pathlib import Path
from typing import Final

TIMES: Final = 10
_TIMED = re.compile(r'(?P<json>\{"\w+":")?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\s"]*(?(json)")')
_COMPONENT = re.compile(r'(?<==")[^"]+(?=")')
_SEED: Final = 11


def with_noise(path: Path, text: str) -> str:
    """Return the text of a file with its noise; of a file that is neither log nor table the text."""
    if path.suffix == ".csv":
        return _more_columns(text)
    return _more_lines(text) if path.suffix == ".log" else text


def _more_lines(text: str) -> str:
    found = []
    for number, line in enumerate(text.splitlines(keepends=True)):
        found.append(line)
        # Only records that begin with a whole instant can be told apart from what belongs to them.
        if made := _TIMED.match(line):
            beats = (number * TIMES + index for index in range(TIMES))
            found += [
                f"{made.group()}{_rest(made)}heartbeat {beat} of the idle loop{_end(made)}\n"
                for beat in beats
            ]
    return "".join(found)


def _rest(made: re.Match[str]) -> str:
    return ',"level":"DEBUG","msg":"' if made["json"] else " DEBUG [idle] "


def _end(made: re.Match[str]) -> str:
    return '"}' if made["json"] else ""


def _more_columns(text: str) -> str:
    generator = random.Random(_SEED)  # noqa: S311 - repeatable, not a secret
    rows = list(csv.reader(io.StringIO(text)))
    if len(rows) < 2:
        return text
    columns = list(zip(*rows, strict=True))
    added = []
    for copy in range(TIMES):
        for head, *values in columns[1:]:
            shuffled = generator.sample(values, len(values))
            added.append((_COMPONENT.sub(f"idle-{copy}", head, count=1), *shuffled))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(zip(*columns, *added, strict=True))
    return out.getvalue()
