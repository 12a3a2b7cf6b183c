"""Whether what a model calls a fault is one that rules see in what its claim cites. Pure.

A fault is told in a sentence of its own, which no citation stands behind. So a model only picks among those
that its citations show anyway.
"""

from collections.abc import Iterator, Sequence

from services.common.evidence import pointer
from services.common.evidence.document import EvidenceBinding
from services.common.evidence.template_slots import CHANGE_TOOL, SATURATION_TOOL
from services.executor.analyst.reading.changed import change_fault
from services.executor.analyst.reading.signs import tells_exception
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.stated import stated_by
from services.executor.analyst.reading.words import resource_fault
from services.executor.recorded import RecordedCall
from services.executor.tools.kubernetes import container_log, signs


def is_borne_out(fault: str, bindings: Sequence[EvidenceBinding], calls: Sequence[RecordedCall]) -> bool:
    """Tell whether a citation, or the recorded element that it lies in, states a fault."""
    made = {call.invocation_id: call for call in calls}
    return any(
        fault in (*_of_element(spot), *_of_text(spot))
        for binding in bindings
        if (call := made.get(binding.source_invocation_id)) is not None
        for spot in _spots(call, binding.raw_path)
    )


def _spots(call: RecordedCall, raw_path: str) -> Iterator[Spot]:
    """Yield the cited place; nothing for a citation that leads nowhere."""
    try:
        yield Spot(call, tuple(pointer.tokens(raw_path)))
    except pointer.PointerError:
        return


def _of_element(spot: Spot) -> Iterator[str]:
    """Yield what the element of a list, in which a place lies, is as a whole."""
    index = next((position for position, part in enumerate(spot.path) if str(part).isdigit()), None)
    if index is None:
        return
    element = Spot(spot.call, spot.path[: index + 1])
    if spot.call.tool_name == CHANGE_TOOL:
        yield change_fault(element.at("value", "type").text, element.at("value", "summary").text)
    elif spot.call.tool_name == SATURATION_TOOL:
        yield resource_fault(f"{element.at('limit_name').text} {element.at('usage_name').text}")
    else:
        yield element.at("fault").text
        yield signs.fault_of(element.at("kind").text, spot.told, spot.told)


def _of_text(spot: Spot) -> Iterator[str]:
    """Yield what a text states, without the parts of it that an outsider can write."""
    told = spot.told
    if stated := stated_by(told):
        yield stated.fault
    yield container_log.fault_of_line(told)
    if tells_exception(told):
        yield "code.exception"
