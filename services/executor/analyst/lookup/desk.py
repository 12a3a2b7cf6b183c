"""One lookup from its question to its answer: what to read, and what was found or why it is refused."""

from collections.abc import Callable

from services.common.evidence.refusals import gap_of
from services.executor.analyst.lookup.answer_entries import alerts, calls, changes, components
from services.executor.analyst.lookup.answer_lines import lines
from services.executor.analyst.lookup.answer_metric import metric
from services.executor.analyst.lookup.answer_objects import events, objects
from services.executor.analyst.lookup.answer_requests import requests
from services.executor.analyst.lookup.asked import Lookup, Refused, What
from services.executor.analyst.lookup.calls import calls_for, overviews
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.lookup.looked_at import looked_at
from services.executor.analyst.lookup.question import parse
from services.executor.analyst.lookup.resolve import resolve
from services.executor.analyst.reading.material import Material
from services.executor.analyst.wording.findings import Finding
from services.executor.recorded import ToolRequest

_ANSWERS: dict[What, Callable[[Lookup, Known], list[Finding]]] = {
    What.LINES: lines,
    What.REQUESTS: requests,
    What.ALERTS: alerts,
    What.CHANGES: changes,
    What.COMPONENTS: components,
    What.CALLS: calls,
    What.OBJECTS: objects,
    What.EVENTS: events,
    What.METRIC: metric,
}


def wanted(question: str, material: Material) -> list[ToolRequest]:
    """Return the calls that a lookup needs: those that tell what exists, then those of what is meant."""
    known = Known(material)
    try:
        parsed = parse(question)
        missing = [
            call
            for call in overviews(parsed, known)
            if known.document(call) is None and not material.was_called_with(call)
        ]
        return missing or calls_for(resolve(parsed, known), known)
    except Refused:
        return []


def found(question: str, material: Material) -> tuple[list[Finding], list[str]]:
    """Return the answer; or, where it is refused, what was looked at, and why in a sentence."""
    known = Known(material)
    try:
        lookup = resolve(parse(question), known)
        return _ANSWERS[lookup.what](lookup, known), []
    except Refused as refusal:
        return looked_at(known), [gap_of(str(refusal))]
