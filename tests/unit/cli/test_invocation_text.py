"""The recorded tool calls of a run, as a table and as objects."""

from assay.common.v1 import tool_pb2
from assay.orchestrator.v1.diagnosis_pb2 import InvocationSummary

from orchestrator.cli.invocation_text import as_objects, as_table
from orchestrator.cli.table import Paper
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
        "redactions": 0,
        "start_time": "2026-11-30T09:11:37Z",
        "duration_seconds": 0.25,
    }
