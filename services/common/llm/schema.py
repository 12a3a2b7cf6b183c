"""The JSON schema of an answer, within what strict endpoints take: smaller than pydantic's, and as short.

Every field is required, nothing else is allowed, and no keyword is left that only some endpoints know. What
the schema no longer says, such as a longest length, holds all the same: the answer is validated by its model.
"""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from pydantic import BaseModel

MAX_PROPERTIES: Final = 5000
MAX_DEPTH: Final = 10

# Keywords that hold one schema, a list of them, or something that is taken as it is.
_ONE: Final = ("items",)
_SEVERAL: Final = ("anyOf", "oneOf")
_VERBATIM: Final = ("type", "enum", "const", "$ref")
_NAMED: Final = ("properties", "$defs")
# What strict endpoints cannot say and what would change the meaning when it is left out.
_FREE_FORM: Final = ("prefixItems", "patternProperties", "allOf", "not", "if")


class SchemaError(TypeError):
    """A model of an answer that no strict schema describes: a defect of the program."""


@lru_cache(maxsize=64)
def schema_of(answer: type[BaseModel]) -> Mapping[str, Any]:
    """Return the strict schema of an answer; raises SchemaError."""
    made = _strict(answer.model_json_schema(mode="validation"), field=False)
    if made.get("type") != "object":
        raise SchemaError(f"{answer.__name__}: the root is no object")
    _check_limits(answer.__name__, made)
    return MappingProxyType(made)


def _strict(node: Any, *, field: bool) -> dict[str, Any]:  # noqa: ANN401 - a node of a schema
    """Return one node with what is allowed in it; `field` when it is a property, whose description stays."""
    free = [key for key in _FREE_FORM if key in node]
    if free or not isinstance(node.get("additionalProperties", False), bool):
        raise SchemaError(f"no strict schema says {free or 'additionalProperties'}")
    made = _plain(node)
    if field and "description" in node and "$ref" not in node:
        made["description"] = node["description"]
    made |= {key: _strict(node[key], field=False) for key in _ONE if key in node}
    for key in _SEVERAL:
        if key in node:
            made["anyOf"] = [_strict(item, field=False) for item in node[key]]
    for key in _NAMED:
        if key in node:
            made[key] = {name: _strict(item, field=key == "properties") for name, item in node[key].items()}
    if node.get("type") == "object":
        made.setdefault("properties", {})
        made |= {"required": list(made["properties"]), "additionalProperties": False}
    return made


def _plain(node: Any) -> dict[str, Any]:  # noqa: ANN401 - a node of a schema
    made = {key: node[key] for key in _VERBATIM if key in node}
    if "const" in node or "enum" in node:
        # The values tell the type.
        made.pop("type", None)
    return made


def _check_limits(name: str, root: Mapping[str, Any]) -> None:
    nodes = [root, *root.get("$defs", {}).values()]
    properties = 0
    for depth in range(MAX_DEPTH + 1):
        properties += sum(len(node.get("properties", ())) for node in nodes)
        nodes = [child for node in nodes for child in _children(node)]
        if not nodes:
            break
        if depth == MAX_DEPTH:
            raise SchemaError(f"{name}: nested deeper than {MAX_DEPTH}")
    if properties > MAX_PROPERTIES:
        raise SchemaError(f"{name}: more than {MAX_PROPERTIES} properties")


def _children(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    inner = [node["items"]] if "items" in node else []
    return [*node.get("properties", {}).values(), *node.get("anyOf", []), *inner]
