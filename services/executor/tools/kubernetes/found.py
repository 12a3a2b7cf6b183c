"""What a rule found: a fault of an object, with the excerpts that state it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from services.executor.tools.kubernetes.cluster import Said, Subject


@dataclass(frozen=True, slots=True)
class Found:
    """A fault and what states it. `counts` are numbers that the tool counted itself, by what they count."""

    rule: str
    fault: str
    subject: Subject
    said: Sequence[Said]
    counts: Mapping[str, int] = field(default_factory=dict)


def told(*said: Said | None) -> list[Said]:
    """Return the excerpts that are there, each once."""
    return list(dict.fromkeys(each for each in said if each is not None))
