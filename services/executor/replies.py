"""What a worker process answers, as bytes: values of a few types, errors of few classes.

A worker parses what strangers wrote. Whoever took one over through a parser could answer anything, so that an
answer is data and never unpickled: that would run what it says.
"""

import json
from base64 import b64decode, b64encode
from typing import Final, TypeAlias

from assay.common.v1 import tool_pb2
from google.protobuf.message import DecodeError, Message

from services.common.errors import AssayError, FailedPreconditionError, InvalidArgumentError, NotFoundError
from services.executor.outcome import Outcome
from services.executor.sources.stop import StoppedError

# Far above an output of 1 MiB with what outsiders wrote of it, or a document about all calls.
MAX_REPLY_BYTES: Final = 64 * 1024 * 1024

# What the operation returned, or the error that it raised.
Reply: TypeAlias = "tuple[object, Exception | None]"

_MESSAGES: Final[dict[str, type[Message]]] = {
    message.DESCRIPTOR.full_name: message for message in (tool_pb2.PlanStep, tool_pb2.ToolCatalog)
}
# What opening a bundle raises for a person.
_REFUSALS: Final[dict[str, type[AssayError]]] = {
    error.__name__: error for error in (FailedPreconditionError, InvalidArgumentError, NotFoundError)
}


class WorkerFailedError(Exception):
    """An operation raised what nobody foresaw. `frames` are its class and frames, without its message."""

    def __init__(self, frames: list[str]) -> None:
        super().__init__(frames)
        self.frames = frames


class IllegalReplyError(Exception):
    """The bytes are no reply of a worker."""


def returned(value: object) -> bytes:
    """Return the reply of an operation that ended; raises TypeError for a value of another type."""
    return _bytes(["returned", _encoded(value)])


def raised(error: AssayError | StoppedError | WorkerFailedError) -> bytes:
    """Return the reply of an operation that raised; raises TypeError for an error that does not cross."""
    match error:
        case StoppedError():
            return _bytes(["stopped"])
        case WorkerFailedError():
            return _bytes(["failed", error.frames])
        case AssayError() if type(error).__name__ in _REFUSALS:
            return _bytes(["refused", type(error).__name__, error.message, error.field])
    raise TypeError(f"a worker does not raise {type(error).__name__}")


def parsed(reply: bytes) -> Reply:
    """Return what a reply says; raises IllegalReplyError for anything that is none."""
    try:
        return _reply(json.loads(reply))
    except (ValueError, KeyError, DecodeError, RecursionError):
        raise IllegalReplyError from None


def _bytes(reply: list[object]) -> bytes:
    return json.dumps(reply).encode()


def _reply(item: object) -> Reply:
    match item:
        case ["returned", value]:
            return _decoded(value), None
        case ["stopped"]:
            return None, StoppedError()
        case ["failed", list(frames)]:
            return None, WorkerFailedError([str(frame) for frame in frames])
        case ["refused", str(name), str(message), str(field)]:
            return None, _REFUSALS[name](message, field=field)
    raise ValueError


def _encoded(value: object) -> list[object]:
    match value:
        case None:
            return ["nothing"]
        case int():
            return ["number", value]
        case str():
            return ["text", value]
        case bytes():
            return ["bytes", _base64(value)]
        case list():
            return ["list", [_encoded(item) for item in value]]
        case Outcome():
            return ["outcome", _base64(_message_of(value).SerializeToString())]
        case Message() if value.DESCRIPTOR.full_name in _MESSAGES:
            return ["message", value.DESCRIPTOR.full_name, _base64(value.SerializeToString())]
    raise TypeError(f"a worker does not answer with {type(value).__name__}")


def _decoded(item: object) -> object:
    match item:
        case ["nothing"]:
            return None
        case ["number", int(value)] | ["text", str(value)]:
            return value
        case ["bytes", str(data)]:
            return _unbase64(data)
        case ["list", list(items)]:
            return [_decoded(each) for each in items]
        case ["outcome", str(data)]:
            return _outcome_of(tool_pb2.Invocation.FromString(_unbase64(data)))
        case ["message", str(name), str(data)]:
            return _MESSAGES[name].FromString(_unbase64(data))
    raise ValueError


def _message_of(outcome: Outcome) -> tool_pb2.Invocation:
    return tool_pb2.Invocation(
        status=outcome.status,
        output=outcome.output,
        truncated=outcome.truncated,
        redactions=outcome.redactions,
        outsider_spans=outcome.outsider_spans,
    )


def _outcome_of(call: tool_pb2.Invocation) -> Outcome:
    return Outcome(call.status, call.output, call.truncated, call.redactions, call.outsider_spans)


def _base64(data: bytes) -> str:
    return b64encode(data).decode()


def _unbase64(text: str) -> bytes:
    return b64decode(text, validate=True)
