"""Arguments are held against the tool's schema."""

import json

import pytest

from services.common.evidence import strict_json
from services.executor.tools.registry import tools
from services.planner.openai.arguments import fits, schema_of

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["source"],
    "properties": {
        "source": {"type": "string"},
        "limit": {"type": "integer"},
        "share": {"type": "number"},
        "deep": {"type": "boolean"},
        "contains": {"type": "array", "items": {"type": "string"}},
        "split": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]},
        "level": {"enum": ["info", "error"]},
        "either": {"type": ["string", "integer"]},
        "odd": {"$ref": "#/nowhere"},
        "any": True,
    },
}


def fitting(arguments: str) -> bool:
    given = strict_json.loads(arguments.encode())
    schema = schema_of(json.dumps(SCHEMA))
    assert isinstance(given, dict)
    assert schema is not None
    return fits(given, schema)


@pytest.mark.parametrize(
    "arguments",
    [
        '{"source": "a"}',
        '{"source": "a", "limit": 5, "share": 0.5, "deep": true, "contains": ["x", "y"]}',
        '{"source": "a", "split": null, "level": "info", "either": 3, "odd": {"x": []}, "any": 1}',
        '{"source": "a", "split": "2026-11-30T09:10:53Z", "contains": [], "share": 5}',
    ],
)
def test_what_fits(arguments: str) -> None:
    assert fitting(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        "{}",
        '{"source": null}',
        '{"source": 3}',
        '{"source": "a", "command": "rm"}',
        '{"source": "a", "limit": "5"}',
        '{"source": "a", "limit": 5.5}',
        '{"source": "a", "share": true}',
        '{"source": "a", "deep": 1}',
        '{"source": "a", "contains": "x"}',
        '{"source": "a", "contains": ["x", 3]}',
        '{"source": "a", "split": 5}',
        '{"source": "a", "level": "debug"}',
        '{"source": "a", "either": []}',
        '{"source": {"source": "a"}}',
    ],
)
def test_what_does_not(arguments: str) -> None:
    assert not fitting(arguments)


@pytest.mark.parametrize("written", ["[]", "{", '"x"', '{"type": "string"}', "\ud800"])
def test_what_is_no_schema(written: str) -> None:
    assert schema_of(written) is None


def test_every_tool_of_the_executor_has_a_schema() -> None:
    for tool in tools(1 << 20, 10.0).values():
        assert schema_of(json.dumps(tool.arguments.model_json_schema())) is not None
