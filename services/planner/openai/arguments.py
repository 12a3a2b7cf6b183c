"""Whether arguments fit a tool's JSON Schema, as far as the catalog's schemas go. Pure.

Unknown keywords are taken for fulfilled: the executor has the last word on every call.
"""

from collections.abc import Callable, Mapping
from typing import Final

from services.common.evidence import strict_json
from services.common.evidence.strict_json import Json, NumberToken

_MAX_DEPTH: Final = 8
_IS_TYPE: Final[Mapping[str, Callable[[Json], bool]]] = {
    "string": lambda value: isinstance(value, str) and not isinstance(value, NumberToken),
    "integer": lambda value: isinstance(value, NumberToken) and value.lstrip("-").isdigit(),
    "number": lambda value: isinstance(value, NumberToken),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}


def schema_of(written: str) -> dict[str, Json] | None:
    """Return the schema of an arguments object; None when it is none, and its tool cannot be called."""
    try:
        schema = strict_json.loads((written or "{}").encode("utf-8", "replace"))
    except strict_json.StrictJsonError:
        return None
    return schema if isinstance(schema, dict) and schema.get("type", "object") == "object" else None


def properties_of(schema: Mapping[str, Json]) -> dict[str, Json]:
    """Return the arguments that a schema names, each with its own schema."""
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def required_of(schema: Mapping[str, Json]) -> list[str]:
    """Return the arguments that a schema demands."""
    found = schema.get("required")
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def fits(arguments: Mapping[str, Json], schema: Mapping[str, Json]) -> bool:
    """Tell whether arguments are named and typed as a schema says."""
    return _fits(dict(arguments), dict(schema), 0)


def _fits(value: Json, schema: Json, depth: int) -> bool:
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return True
    either = schema.get("anyOf")
    if isinstance(either, list) and not any(_fits(value, item, depth + 1) for item in either):
        return False
    if not _is_named_type(value, schema.get("type")):
        return False
    members = schema.get("enum")
    if isinstance(members, list) and value not in members:
        return False
    if isinstance(value, list):
        return all(_fits(item, schema.get("items"), depth + 1) for item in value)
    return not isinstance(value, dict) or _object_fits(value, schema, depth)


def _is_named_type(value: Json, named: Json) -> bool:
    names = named if isinstance(named, list) else [named]
    known = [_IS_TYPE[name] for name in names if isinstance(name, str) and name in _IS_TYPE]
    return not known or any(is_type(value) for is_type in known)


def _object_fits(value: dict[str, Json], schema: dict[str, Json], depth: int) -> bool:
    known = properties_of(schema)
    if schema.get("additionalProperties") is False and not value.keys() <= known.keys():
        return False
    return set(required_of(schema)) <= value.keys() and all(
        _fits(item, known.get(name), depth + 1) for name, item in value.items()
    )
