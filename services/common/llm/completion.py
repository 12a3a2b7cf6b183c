"""A chat completion as an endpoint sends it, read without trust: pure."""

from dataclasses import dataclass
from typing import Final

from services.common.evidence.strict_json import Json, NumberToken, StrictJsonError, loads
from services.common.llm.port import Kind

_MAX_TOKENS: Final = 1 << 40


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the endpoint counted them; None where it does not tell, or tells nonsense."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """The text of the answer with its usage; or the kind of failure, when there is no whole text."""

    text: str
    failure: Kind | None
    usage: Usage


def read_completion(body: bytes) -> Completion:
    """Read the body of a response with status 200. Whatever it holds, there is a result."""
    try:
        root = loads(body, max_bytes=len(body))
    except StrictJsonError:
        return Completion("", Kind.NO_COMPLETION, Usage())
    usage = _usage(_member(root, "usage"))
    choices = _member(root, "choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = _member(choice, "message")
    text = _text(message)
    return Completion(text, _failure(choice, message, text), usage)


def _failure(choice: Json, message: Json, text: str) -> Kind | None:
    reason = _member(choice, "finish_reason")
    if reason == "content_filter":
        return Kind.CONTENT_FILTERED
    if _member(message, "refusal"):
        return Kind.REFUSAL
    if reason == "length":
        return Kind.CUT_OFF
    return None if text.strip() else Kind.EMPTY


def _text(message: Json) -> str:
    content = _member(message, "content")
    parts = [_member(part, "text") for part in content] if isinstance(content, list) else [content]
    text = "".join(_string(part) for part in parts)
    return text if text.strip() else _arguments(_member(message, "tool_calls"))


def _arguments(calls: Json) -> str:
    """Return the arguments of the only tool call: some endpoints take an answer in JSON for one."""
    if not isinstance(calls, list) or len(calls) != 1:
        return ""
    return _string(_member(_member(calls[0], "function"), "arguments"))


def _string(value: Json) -> str:
    # A number is a kind of string here.
    return value if isinstance(value, str) and not isinstance(value, NumberToken) else ""


def _usage(told: Json) -> Usage:
    return Usage(_count(_member(told, "prompt_tokens")), _count(_member(told, "completion_tokens")))


def _count(value: Json) -> int | None:
    if not isinstance(value, NumberToken) or not value.isdigit():
        return None
    count = int(value)
    return count if count < _MAX_TOKENS else None


def _member(value: Json, name: str) -> Json:
    return value.get(name) if isinstance(value, dict) else None
