"""Recorded tool calls and their outputs, as a person checks them."""

import json

from assay.common.v1 import tool_pb2
from assay.orchestrator.v1.diagnosis_pb2 import InvocationSummary
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.cli.invocation_text import as_objects, as_table, described, leaves, scalar
from orchestrator.cli.table import Paper
from services.common.evidence import pointer, strict_json
from tests.fakes.runs import instant

CALL = tool_pb2.Invocation(
    id="inv-1",
    tool_name="logs_search",
    arguments_json=b'{"source": "a\\u001b.log"}',
    status=tool_pb2.INVOCATION_STATUS_OK,
    kind=tool_pb2.DOCUMENT_KIND_RAW,
    truncated=True,
    output_sha256="ab",
    start_time=instant("2026-11-30T09:11:37Z"),
)
CALL.duration.FromMilliseconds(250)


def test_the_list_says_what_was_called_and_what_came() -> None:
    _, line = as_table([InvocationSummary(invocation=CALL, output_bytes=2048)], Paper()).splitlines()
    assert line.split(maxsplit=6) == [
        "inv-1",
        "logs_search",
        "OK",
        "2048",
        "yes",
        "250ms",
        '{"source": "a\\u001b.log"}',
    ]


def test_the_objects_hold_the_arguments_as_they_were_recorded() -> None:
    (found,) = as_objects([InvocationSummary(invocation=CALL, output_bytes=2048)])
    assert found == {
        "id": "inv-1",
        "tool_name": "logs_search",
        "arguments_json": '{"source": "a\\u001b.log"}',
        "status": "OK",
        "kind": "raw",
        "output_bytes": 2048,
        "output_sha256": "ab",
        "truncated": True,
        "start_time": "2026-11-30T09:11:37Z",
        "duration_seconds": 0.25,
    }


def test_one_call_says_that_its_source_held_more() -> None:
    assert "cut: the source held more" in described(CALL)


def test_every_value_stands_with_its_pointer() -> None:
    document = strict_json.loads(b'{"a/b": [1.50, "x\\u001b", {}, []], "c": null}')
    assert "".join(leaves(document)).splitlines() == [
        "/a~1b/0  1.50",
        '/a~1b/1  "x\\u001b"',
        "/a~1b/2  {}",
        "/a~1b/3  []",
        "/c  null",
    ]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(_JSON)
def test_a_pointer_that_is_shown_leads_to_the_value_that_is_shown(value: object) -> None:
    document = strict_json.loads(json.dumps(value).encode())
    for line in leaves(document):
        assert line.count("\n") == 1
        at, separator, text = line[:-1].partition("  ")
        # A member's name may hold two spaces or be shown escaped; then the line is not for a program.
        if separator and "\\" not in at and "  " not in text:
            found = pointer.resolve(document, at)
            assert isinstance(found, dict | list) or "\\" in text or strict_json.dumps(found).decode() == text


def test_a_scalar_stands_as_a_citation_quotes_it() -> None:
    for data, shown in ((b'"a b"', "a b"), (b"1.50", "1.50"), (b"true", "true"), (b"null", "null")):
        assert scalar(strict_json.loads(data)) == shown
    assert scalar(strict_json.loads(b"[1]")) is None
