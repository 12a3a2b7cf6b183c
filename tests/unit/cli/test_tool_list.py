"""The tools as a page, and their argument schemas in words."""

import json

import pytest
from assay.common.v1 import tool_pb2

from orchestrator.cli.layout import Layout
from orchestrator.cli.schema_words import arguments
from orchestrator.cli.tool_list import as_json, as_text

SCHEMA = {
    "properties": {
        "limit": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3, "description": "most lines"},
        "source": {"type": "string", "minLength": 1, "maxLength": 8},
        "start": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}], "default": None},
        "names": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "level": {"enum": ["warn", "error"]},
        "exact": {"type": "boolean", "default": False},
        "share": {"type": "number", "minimum": 0},
        "odd": {"$ref": "#/$defs/Odd"},
    },
    "required": ["source"],
}


def catalog() -> tool_pb2.ToolCatalog:
    tool = tool_pb2.Tool(
        name="logs_search",
        description="Finds lines.",
        kind=tool_pb2.DOCUMENT_KIND_RAW,
        arguments_schema_json=json.dumps(SCHEMA),
        source_kinds=["log"],
        max_output_bytes=512 * 1024,
    )
    tool.deadline.FromSeconds(90)
    return tool_pb2.ToolCatalog(
        tools=[tool],
        sources=[
            tool_pb2.SourceInfo(kind="log", name="b.log", available=True),
            tool_pb2.SourceInfo(kind="log", name="c\x1b.log", reason="not text"),
            tool_pb2.SourceInfo(kind="metric", reason="the bundle has none"),
        ],
    )


def test_arguments_in_words() -> None:
    assert dict(arguments(json.dumps(SCHEMA))) == {
        "source": "text (1 to 8 characters), required",
        "limit": "whole number (1 to 9), default 3: most lines",
        "start": "time, optional",
        "names": "list of text (at most 2 items), optional",
        "level": 'one of "warn", "error", optional',
        "exact": "true or false, default false",
        "share": "number (at least 0), optional",
        "odd": '{"$ref": "#/$defs/Odd"}, optional',
    }
    assert next(iter(arguments(json.dumps(SCHEMA))))[0] == "source"


@pytest.mark.parametrize(
    "schema",
    [
        "",
        "{}",
        "[]",
        "null",
        "no json",
        '{"properties": 1}',
        '{"properties": {"a": 1}}',
        '{"required": 1}',
        "[" * 9999,
        json.dumps({"properties": {"a": {"anyOf": [{"anyOf": [{"anyOf": [{"anyOf": [{"anyOf": []}]}]}]}]}}}),
    ],
)
def test_a_schema_that_is_none_is_shown_as_it_is(schema: str) -> None:
    for name, words in arguments(schema):
        assert name
        assert words


def test_the_page() -> None:
    text = as_text(catalog(), Layout(), of_bundle=True)
    assert text.startswith("logs_search (raw)\n  Finds lines.\n  - source: text")
    assert "  reads log; at most 512 KiB of output; at most 90.0s\n  could read b.log\n" in text
    assert text.endswith("\nNot available\n  - c\\x1b.log: not text\n  - metric: the bundle has none\n")


def test_without_a_bundle_nothing_is_said_of_sources() -> None:
    tools = tool_pb2.ToolCatalog(tools=catalog().tools)
    tools.tools[0].ClearField("deadline")
    text = as_text(tools, Layout(), of_bundle=False)
    assert "could read" not in text
    assert "Not available" not in text
    assert json.loads(as_json(tools))["tools"][0]["deadline_seconds"] is None


def test_the_object() -> None:
    found = json.loads(as_json(catalog()))
    (tool,) = found["tools"]
    assert tool["sources"] == ["b.log"]
    assert json.loads(tool["arguments_schema_json"]) == SCHEMA
    assert (tool["kind"], tool["deadline_seconds"], tool["max_output_bytes"]) == ("raw", 90.0, 524288)
    assert [source["available"] for source in found["sources"]] == [True, False, False]
