"""The schema of an answer keeps to what strict endpoints take."""

from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, create_model

from services.common.llm.schema import MAX_DEPTH, MAX_PROPERTIES, SchemaError, schema_of

KEYWORDS = {
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "description",
    "enum",
    "items",
    "properties",
    "required",
    "type",
}


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Part(BaseModel):
    """A part."""

    title: str
    children: list["Part"] = []


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


class Answer(BaseModel):
    """For readers of the code."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field("x", max_length=5, pattern="^a", description="what it is called")
    size: float | None = Field(None, ge=0, le=1)
    colour: Colour
    parts: list[Part] = Field(default_factory=list, max_length=3)
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    default: int = 1


def nodes(schema: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - a schema
    """Return every node of a schema, not the maps of names."""
    found = [schema]
    named = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    for child in [*named, *schema.get("anyOf", []), *([schema["items"]] if "items" in schema else [])]:
        found += nodes(child)
    return found


def test_no_keyword_is_left_that_only_some_endpoints_know() -> None:
    for node in nodes(dict(schema_of(Answer))):
        assert node.keys() <= KEYWORDS
        if "$ref" in node:
            assert node.keys() == {"$ref"}


def test_every_field_is_required_and_nothing_else_allowed() -> None:
    objects = [node for node in nodes(dict(schema_of(Answer))) if node.get("type") == "object"]
    assert len(objects) == 4
    for node in objects:
        assert node["additionalProperties"] is False
        assert node["required"] == list(node["properties"])


def test_the_schema_says_what_is_wanted_in_few_words() -> None:
    schema = schema_of(Answer)
    assert schema["properties"] == {
        "name": {"type": "string", "description": "what it is called"},
        "size": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "colour": {"$ref": "#/$defs/Colour"},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
        "pet": {"anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]},
        "default": {"type": "integer"},
    }
    assert schema["$defs"]["Colour"] == {"enum": ["red", "blue"]}
    # A field may be called as a keyword is.
    assert schema["$defs"]["Part"]["properties"]["title"] == {"type": "string"}
    assert "description" not in schema


class FreeForm(BaseModel):
    labels: dict[str, str]


class Pair(BaseModel):
    pair: tuple[int, str]


class Several(RootModel[list[int]]):
    pass


def nested(depth: int) -> type[BaseModel]:
    kind: Any = list[int]
    for _ in range(depth):
        kind = list[kind]
    return create_model("Nested", field=(kind, ...))


def wide(count: int) -> type[BaseModel]:
    fields: dict[str, Any] = {f"f{index}": (int, ...) for index in range(count)}
    return create_model("Wide", **fields)


@pytest.mark.parametrize("answer", [FreeForm, Pair, Several, nested(MAX_DEPTH), wide(MAX_PROPERTIES + 1)])
def test_what_no_strict_schema_says_is_a_defect_of_the_program(answer: type[BaseModel]) -> None:
    with pytest.raises(SchemaError):
        schema_of(answer)


@pytest.mark.parametrize("answer", [nested(MAX_DEPTH - 2), wide(MAX_PROPERTIES)])
def test_up_to_the_limits_it_is_said(answer: type[BaseModel]) -> None:
    assert schema_of(answer)["type"] == "object"
