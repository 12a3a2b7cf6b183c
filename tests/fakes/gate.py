"""Requests to the gate, built from plain documents."""

from collections.abc import Mapping
from typing import Any

from assay.common.v1 import tool_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2

from tests.fakes.documents import encoded

OUTPUT = {
    "source": "logs/api.log",
    "owner": "api",
    "lines": [
        {"n": 7, "time": "2026-11-30T09:10:53Z", "text": "ERROR connection refused by db"},
        {"n": 8, "time": "2026-11-30T09:10:54Z", "text": "up"},
    ],
    "count": 12,
    "partial": False,
    "ended": None,
}


def a_record(
    invocation_id: str = "inv-1",
    tool_name: str = "logs_search",
    status: "tool_pb2.InvocationStatus.ValueType" = tool_pb2.INVOCATION_STATUS_OK,
    kind: "tool_pb2.DocumentKind.ValueType" = tool_pb2.DOCUMENT_KIND_RAW,
) -> gatekeeper_pb2.InvocationRecord:
    return gatekeeper_pb2.InvocationRecord(id=invocation_id, tool_name=tool_name, status=status, kind=kind)


def a_request(
    document: dict[str, Any] | bytes,
    *records: gatekeeper_pb2.InvocationRecord,
    outputs: Mapping[str, bytes] | None = None,
) -> gatekeeper_pb2.CheckRequest:
    if outputs is None:
        outputs = {"inv-1": encoded(OUTPUT)}
    return gatekeeper_pb2.CheckRequest(
        document=document if isinstance(document, bytes) else encoded(document),
        invocations=records or (a_record(),),
        outputs=[gatekeeper_pb2.InvocationOutput(id=key, output=value) for key, value in outputs.items()],
    )
