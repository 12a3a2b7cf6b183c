"""The forms in which an answer can be asked for, and a request's body in each: pure.

Four modes, the strictest first. Below the first the schema stands in the text, too: not every endpoint that
takes a schema keeps to it. Two dialects: newer models of OpenAI refuse `max_tokens` and any temperature.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from pydantic import BaseModel

from services.common.llm.schema import schema_of


class Mode(Enum):
    """How the shape of an answer is asked for; the value is the `mode` of a call's record."""

    JSON_SCHEMA = "json_schema"
    # An extension of llama-cpp-python and others.
    JSON_OBJECT_WITH_SCHEMA = "json_object_with_schema"
    JSON_OBJECT = "json_object"
    TEXT = "text"


class Dialect(Enum):
    """How the bound of an answer is named; only the first also asks for the likeliest answer."""

    CLASSIC = "max_tokens"
    NEWER = "max_completion_tokens"


MODES: Final = tuple(Mode)


@dataclass(frozen=True, slots=True)
class Form:
    """One way to ask."""

    mode: Mode
    dialect: Dialect

    def lower(self) -> "Form":
        """Return the form of the next mode; the last one has none below."""
        return Form(MODES[min(MODES.index(self.mode) + 1, len(MODES) - 1)], self.dialect)


STRICTEST: Final = Form(Mode.JSON_SCHEMA, Dialect.CLASSIC)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a body is made of: the model's name, both texts, the answer's model and its bound of tokens."""

    model: str
    instructions: str
    material: str
    answer: type[BaseModel]
    max_tokens: int


def body_of(asked: Asked, form: Form) -> dict[str, Any]:
    """Return the body of a chat completion, as JSON."""
    schema = dict(schema_of(asked.answer))
    instructions = asked.instructions
    if form.mode is not Mode.JSON_SCHEMA:
        instructions += (
            f"\n\nAnswer with one JSON object of this JSON Schema and nothing else:\n{_compact(schema)}"
        )
    body: dict[str, Any] = {
        "model": asked.model,
        "messages": [
            {"role": "system", "content": _sendable(instructions)},
            {"role": "user", "content": _sendable(asked.material)},
        ],
        form.dialect.value: asked.max_tokens,
    }
    if form.dialect is Dialect.CLASSIC:
        body["temperature"] = 0
    if form.mode is not Mode.TEXT:
        body["response_format"] = _response_format(form.mode, asked.answer.__name__, schema)
    return body


def size_of(body: Mapping[str, Any]) -> int:
    """Return how many bytes a body is on the wire."""
    return len(_compact(body).encode("utf-8"))


def _response_format(mode: Mode, name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    match mode:
        case Mode.JSON_SCHEMA:
            described = {"name": name, "strict": True, "schema": schema}
            return {"type": "json_schema", "json_schema": described}
        case Mode.JSON_OBJECT_WITH_SCHEMA:
            return {"type": "json_object", "schema": schema}
        case _:
            return {"type": "json_object"}


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _sendable(text: str) -> str:
    """Return a text that UTF-8 can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")
