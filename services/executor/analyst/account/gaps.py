"""What would be needed to say more. These sentences go no further than the Gatekeeper."""

from collections.abc import Sequence

from assay.common.v1 import tool_pb2

from services.executor.analyst.causes.candidates import Candidate
from services.executor.analyst.story.effects import Effects
from services.executor.analyst.story.testimony import testimonies

_EXPECTED = {
    "alerts_list": "alerts",
    "change_events_list": "change events",
    "topology_get": "topology",
    "logs_templates": "logs",
    "metrics_change_points": "metrics",
}
_UNEXPLAINED = "Nothing recorded explains the onset: no change, limit, stop, lock wait or error precedes it."
_UNPLACED = "Log lines state what failed, but not which of the known components it is about."


def evidence_gaps(effects: Effects, causes: Sequence[Candidate], unasked: Sequence[str]) -> list[str]:
    """Return what is missing, one sentence each; `unasked` says what nothing shows of what is asked about."""
    timeline = effects.timeline
    material = timeline.material
    found = [
        f"No {what} could be read."
        for tool, what in _EXPECTED.items()
        if next(material.documents(tool), None) is None
    ]
    failed = sum(1 for call in material.calls if call.status != tool_pb2.INVOCATION_STATUS_OK)
    if failed:
        found.append(f"Calls without an answer: {failed}.")
    if timeline.onset is None:
        found.append("Nothing in the recorded material leaves its usual range.")
    elif not causes and not unasked:
        found.append(_UNPLACED if testimonies(effects.failures) else _UNEXPLAINED)
    return [*unasked, *found]
