"""Going on without the model: what it did not give, the offline reasoner makes, and the record says so."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from services.common.reasoning import Reasoned, ReasoningFailedError

T = TypeVar("T")


async def or_instead(
    thought: Awaitable[Reasoned[T]], instead: Callable[[], Awaitable[Reasoned[T]]] | None
) -> Reasoned[T]:
    """Return what a model thought, else what `instead` makes of the same request.

    The record of the latter keeps the calls that were made of the model, and why they gave nothing. Raises
    ReasoningFailedError where there is no `instead`.
    """
    try:
        return await thought
    except ReasoningFailedError as error:
        if instead is None:
            raise
        failed = error.reasoning
    made = await instead()
    made.reasoning.model_calls.extend(failed.model_calls)
    made.reasoning.model_failure = failed.model_failure
    return made
