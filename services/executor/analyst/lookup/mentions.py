"""The lines that hold an id which a question for a cause names."""

from collections.abc import Iterable
from dataclasses import replace

from services.executor.analyst.lookup.answer_lines import lines
from services.executor.analyst.lookup.asked import Ask, Lookup, Refused, What
from services.executor.analyst.lookup.calls import line_calls
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.reading.material import Material
from services.executor.analyst.wording.findings import Finding
from services.executor.recorded import ToolRequest

# Whoever asks of one order wants its lines, not the log.
_SHOWN = 5


def wanted(ids: Iterable[str], material: Material) -> list[ToolRequest]:
    """Return the calls that count the lines with each id."""
    known = Known(material)
    return [call for each in ids for call in line_calls(_lookup(each), known)]


def found(ids: Iterable[str], material: Material) -> list[Finding]:
    """Return how many lines hold each id, and the first of them; where none does, beside the answer."""
    known, told = Known(material), list[Finding]()
    for each in ids:
        try:
            said = lines(_lookup(each), known)
        except Refused:
            continue
        told += said if len(said) > 1 else [replace(said[0], critical=False)]
    return told


def _lookup(text: str) -> Lookup:
    return Lookup(What.LINES, Ask.LIST, literals=(text,), limit=_SHOWN)
