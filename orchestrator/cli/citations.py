"""Where the material of some claims stands, in one line: `file:line`, few of them, the others counted."""

from collections.abc import Iterable, Sequence
from typing import Final

from assay.common.v1 import answer_pb2, evidence_pb2

from services.common.evidence.places import MAX_PLACES as MAX_PER_BINDING

_MAX_SHOWN: Final = 3
# A single one more takes no more room than its count.
_MAX_WITHOUT_COUNT: Final = 4
# A place: a file and a line; line 0 is the file as a whole.
_Place = tuple[str, int]


def cited(claims: Sequence[answer_pb2.AllowedClaim]) -> str:
    """Return the places of the claims, each once, a place of every file first; empty when there are none."""
    bindings = [item.evidence for claim in claims for item in claim.evidence]
    by_file = _by_file(place for binding in bindings for place in binding.places)
    firsts = [(file, lines[0]) for file, lines in by_file.items()]
    others = [(file, line) for file, lines in by_file.items() for line in lines[1:]]
    places = [*firsts, *others]
    limit = _MAX_SHOWN if len(places) > _MAX_WITHOUT_COUNT else len(places)
    shown = set(places[:limit])
    # Shown in the order of the evidence, one file's lines together.
    in_order = [(file, line) for file, lines in by_file.items() for line in lines if (file, line) in shown]
    files = max(0, len(firsts) - limit)
    cut = any(len(binding.places) >= MAX_PER_BINDING for binding in bindings)
    return ", ".join(map(_written, in_order)) + _hidden(files, len(places) - limit - files, cut=cut)


def _by_file(places: Iterable[evidence_pb2.Place]) -> dict[str, list[int]]:
    """Return the lines that are cited of each file, in their order; 0 where only the whole file is."""
    found: dict[str, dict[int, None]] = {}
    for place in places:
        found.setdefault(place.source, {})[place.first_line] = None
    return {file: _telling(file, list(lines)) for file, lines in found.items()}


def _telling(file: str, lines: list[int]) -> list[int]:
    """Leave out what tells nothing: the file beside a line of it, line 1 of JSON that is all on one line."""
    numbered = [line for line in lines if line]
    if not numbered or (numbered == [1] and file.endswith(".json")):
        return [0]
    return numbered


def _hidden(files: int, lines: int, *, cut: bool) -> str:
    """Count what is not shown. `cut` says that a binding may come from more places than it lists."""
    counted = [
        f"{number} more {noun if number == 1 else noun + 's'}"
        for number, noun in ((files, "file"), (lines, "line"))
        if number
    ]
    if not counted:
        return " (and possibly more)" if cut else ""
    return f" (and {'at least ' if cut else ''}{' and '.join(counted)})"


def _written(place: _Place) -> str:
    file, line = place
    return f"{file}:{line}" if line else file
