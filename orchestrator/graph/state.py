"""State keys, their strategies, and how updates are applied. A state is never changed in place."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, TypeAlias

from assay.orchestrator.v1.state_pb2 import RunState
from google.protobuf.message import Message

StateValue: TypeAlias = Message | Sequence[Message] | bytes | int | None
Updates: TypeAlias = Mapping[str, StateValue]


class Strategy(Enum):
    """What writing a key does to what it held."""

    REPLACE = "replace"
    APPEND = "append"


EVENTS_KEY: Final = "orchestration_events"
# Written for a node, like its event: who thought in the attempt.
REASONINGS_KEY: Final = "reasonings"

KEYS: Final[dict[str, Strategy]] = {
    "context": Strategy.REPLACE,
    "catalog": Strategy.REPLACE,
    "plan": Strategy.REPLACE,
    "executor_result": Strategy.REPLACE,
    "gate": Strategy.REPLACE,
    "verified_input": Strategy.REPLACE,
    "verification": Strategy.REPLACE,
    "effective_verdict": Strategy.REPLACE,
    "answer": Strategy.REPLACE,
    "planner_retry_count": Strategy.REPLACE,
    "verifier_retry_count": Strategy.REPLACE,
    "composer_retry_count": Strategy.REPLACE,
    "evidence_retry_count": Strategy.REPLACE,
    "gaps": Strategy.REPLACE,
    "first_verification": Strategy.REPLACE,
    "failure": Strategy.REPLACE,
    REASONINGS_KEY: Strategy.REPLACE,
    EVENTS_KEY: Strategy.APPEND,
}


def apply(state: RunState, updates: Updates) -> RunState:
    """Return a new state with the updates applied; None clears a key.

    Raises KeyError for a key that is not declared.
    """
    result = RunState()
    result.CopyFrom(state)
    for key, value in updates.items():
        if KEYS[key] is Strategy.REPLACE:
            result.ClearField(key)  # type: ignore[arg-type] # the key is a declared field
        if value is not None:
            _write(result, key, value)
    return result


def _write(state: RunState, key: str, value: StateValue) -> None:
    if RunState.DESCRIPTOR.fields_by_name[key].is_repeated:
        getattr(state, key).extend(value)
    elif isinstance(value, Message):
        getattr(state, key).CopyFrom(value)
        # An empty message that was written is present, not absent.
        getattr(state, key).SetInParent()
    else:
        setattr(state, key, value)
