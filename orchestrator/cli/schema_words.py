"""The JSON Schema of a tool's arguments in words. What it does not know, it shows as it is written."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

_MAX_DEPTH: Final = 4
_NUMBERS: Final = {"integer": "whole number", "number": "number"}


def arguments(schema_json: str) -> Iterator[tuple[str, str]]:
    """Yield each argument of a tool: its name, and in words its type, default, limits and meaning."""
    try:
        schema = json.loads(schema_json or "{}")
        properties = dict(schema.get("properties", {}))
        required = frozenset(schema.get("required", ()))
    except (ValueError, TypeError, AttributeError, RecursionError):
        yield "arguments", schema_json
        return
    for name, argument in sorted(properties.items(), key=lambda item: item[0] not in required):
        yield str(name), _argument(argument, name in required)


def _argument(argument: Any, required: bool) -> str:  # noqa: ANN401 - JSON of anybody
    described = argument if isinstance(argument, dict) else {}
    if required:
        default = "required"
    elif described.get("default") is None:
        default = "optional"
    else:
        default = f"default {json.dumps(described['default'])}"
    meaning = described.get("description")
    return f"{_words(argument, 0)}, {default}" + (f": {meaning}" if meaning else "")


def _words(schema: Any, depth: int) -> str:  # noqa: ANN401 - JSON of anybody
    if isinstance(schema, dict) and depth < _MAX_DEPTH:
        if isinstance(schema.get("enum"), list):
            return "one of " + ", ".join(map(json.dumps, schema["enum"]))
        if isinstance(schema.get("anyOf"), list):
            choices = [choice for choice in schema["anyOf"] if choice != {"type": "null"}]
            return " or ".join(_words(choice, depth + 1) for choice in choices)
        if (words := _typed(schema, depth)) is not None:
            return words
    return json.dumps(schema)


def _typed(schema: Mapping[str, Any], depth: int) -> str | None:
    match schema.get("type"):
        case "string" if schema.get("format") == "date-time":
            return "time"
        case "string":
            return "text" + _limits(schema, "minLength", "maxLength", " characters")
        case "integer" | "number" as kind:
            return _NUMBERS[kind] + _limits(schema, "minimum", "maximum", "")
        case "boolean":
            return "true or false"
        case "array" if "items" in schema:
            return (
                "list of "
                + _words(schema["items"], depth + 1)
                + _limits(schema, "minItems", "maxItems", " items")
            )
        case _:
            return None


def _limits(schema: Mapping[str, Any], least: str, most: str, unit: str) -> str:
    low, high = schema.get(least), schema.get(most)
    if low is not None and high is not None:
        return f" ({low} to {high}{unit})"
    if high is not None:
        return f" (at most {high}{unit})"
    return f" (at least {low}{unit})" if low is not None else ""
