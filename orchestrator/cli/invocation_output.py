"""One recorded tool output, so that a person can check a citation: the place of every value, or the bytes."""

import hashlib
from collections.abc import Iterator
from typing import Final

from assay.common.v1 import tool_pb2

from orchestrator.cli import options
from orchestrator.cli.errors import CommandError, wrong_input
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.invocation_text import kind_of, status_of, text_of
from services.common.evidence import pointer, strict_json
from services.common.evidence.strict_json import Json, NumberToken
from services.common.visible import visible

_MAX_BYTES: Final = 64 << 20


def check(call: tool_pb2.Invocation) -> None:
    """Raise CommandError unless the output is what was recorded: checked here, where nothing comes after."""
    if hashlib.sha256(call.output).hexdigest() != call.output_sha256:
        raise CommandError(
            f"the output of {call.id} is not what was recorded: its SHA-256 differs", ExitCode.ERROR
        )


def described(call: tool_pb2.Invocation) -> str:
    """Return one line on a call that was checked: what was called, how it ended, what its output is."""
    cut = "cut: the source held more" if call.truncated else "whole"
    taken_out = f"{call.redactions} secrets taken out, " if call.redactions else ""
    return (
        f"{call.id} {call.tool_name} {text_of(call.arguments_json)}: {status_of(call)}, "
        f"{kind_of(call)}, {len(call.output)} bytes, {cut}, {taken_out}SHA-256 {call.output_sha256} (checked)"
    )


def raw(call: tool_pb2.Invocation, at: str | None) -> bytes:
    """Return the bytes of the output; at a place the text of a scalar as UTF-8, or a container as JSON."""
    if at is None:
        return call.output
    value = _at(call, at)
    text = _scalar(value)
    return strict_json.dumps(value) if text is None else text.encode()


def readable(call: tool_pb2.Invocation, at: str | None) -> str:
    """Return every value at or below a place, a line each; a scalar alone as a citation quotes it."""
    place = (at or "").strip()
    value = _at(call, place)
    text = _scalar(value)
    return "".join(_leaves(value, place)) if text is None else visible(text) + "\n"


def _leaves(value: Json, at: str) -> Iterator[str]:
    """Yield the pointer and the JSON text of every scalar and empty container."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, at + pointer.build(key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from _leaves(item, at + pointer.build(index))
    else:
        yield visible(f"{at}  {strict_json.dumps(value).decode()}") + "\n"


def _scalar(value: Json) -> str | None:
    if isinstance(value, dict | list):
        return None
    if isinstance(value, str) and not isinstance(value, NumberToken):
        return value
    return strict_json.dumps(value).decode()


def _at(call: tool_pb2.Invocation, at: str) -> Json:
    try:
        return pointer.resolve(strict_json.loads(call.output, max_bytes=_MAX_BYTES), at.strip())
    except pointer.PointerError as error:
        raise wrong_input(f"--pointer: {options.shown(at)}: {error}") from None
    except strict_json.StrictJsonError as error:
        raise CommandError(f"the output of {call.id} is {error}; --raw prints it", ExitCode.ERROR) from None
