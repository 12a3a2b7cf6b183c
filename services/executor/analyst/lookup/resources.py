"""Processor time and memory of a cluster's objects: which figure is asked for, and which is greater."""

import re
from decimal import Decimal
from typing import Final

from services.executor.analyst.lookup import vocabulary as words
from services.executor.analyst.lookup.asked import Refused
from services.executor.analyst.lookup.reader import Reader

_AMOUNT: Final = re.compile(r"(?P<number>\d{1,18}(?:\.\d{1,9})?)(?P<unit>m|[KMGTP]i?|k)?")
_UNITS: Final = {
    "": Decimal(1),
    "m": Decimal("0.001"),
    "k": Decimal(10**3),
    **{unit: Decimal(10 ** (3 * power)) for power, unit in enumerate("KMGTP", 1)},
    **{f"{unit}i": Decimal(1 << (10 * power)) for power, unit in enumerate("KMGTP", 1)},
}
# All that a container may use, or asks for.
EVERY: Final = {
    f"all_{bound}s": (("CPU ", f"cpu_{bound}"), ("memory ", f"memory_{bound}"))
    for bound in ("limit", "request")
}
# What `kubectl top` shows, and what a container states.
USED: Final = frozenset({"cpu_used", "memory_used"})
STATED: Final = frozenset(
    {"cpu_limit", "cpu_request", "memory_limit", "memory_request"} | words.PROBES | EVERY.keys()
)


def resource(reader: Reader) -> str:
    """Take the words for a resource, and return the fact that is asked for; empty for none."""
    said = {words.RESOURCES[word] for word in reader.take(words.RESOURCES)}
    if not said:
        # Requests alone are those of a protocol.
        every = reader.question.has(("limits",)) or reader.question.has(("resource", "resources"))
        told = every and reader.take(("limits", "requests"))
        reader.take(("resource", "resources") if told else ())
        return f"all_{told[0]}" if told else ""
    bounds = {words.BOUNDS_OF_RESOURCES[word] for word in reader.take(words.BOUNDS_OF_RESOURCES)}
    if len(said) > 1 or len(bounds) > 1:
        raise Refused("one fact of objects at a time is told")
    reader.take(words.USE_OF_RESOURCES)
    return f"{said.pop()}_{bounds.pop() if bounds else 'used'}"


def amount(text: str) -> Decimal | None:
    """Return what an amount such as 310m or 6Gi stands for; None where it is none."""
    match = _AMOUNT.fullmatch(text)
    return Decimal(match["number"]) * _UNITS[match["unit"] or ""] if match else None
