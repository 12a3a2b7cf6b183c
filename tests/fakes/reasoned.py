"""Results of scripted reasoners."""

from typing import TypeVar

from services.common.reasoning import PromptId, Reasoned, offline

T = TypeVar("T")

PROMPT = PromptId("scripted", "1")


def by_script(value: T) -> Reasoned[T]:
    """Return a result that a test made."""
    return Reasoned(value, offline(PROMPT))


def plenty() -> float:
    """Return the seconds that nobody waits for in a test."""
    return 60.0
