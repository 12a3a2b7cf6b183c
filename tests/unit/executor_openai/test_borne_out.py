"""A fault that a model names is kept where its citations show that fault, and nowhere else."""

import pytest
from assay.common.v1 import tool_pb2

from services.common.evidence.document import EvidenceBinding
from services.common.evidence.strict_json import Json
from services.executor.openai.borne_out import is_borne_out
from services.executor.recorded import RecordedCall

OK = tool_pb2.INVOCATION_STATUS_OK
ALL = (
    "config.changed", "release.deployed", "connections.exhausted", "memory.exhausted", "pod.oom_killed",
    "dependency.unreachable", "code.exception", "load.increased", "dependency.slow",
)  # fmt: skip


def shown(tool: str, document: Json, raw_path: str, outsiders: tuple[tuple[int, int], ...] = ()) -> set[str]:
    """Return which faults one citation bears out."""
    call = RecordedCall("inv-1", tool, {}, OK, document, {raw_path: outsiders} if outsiders else {})
    binding = EvidenceBinding(
        source_invocation_id="inv-1", tool_name=tool, raw_path=raw_path, matched_text="what was cited"
    )
    return {fault for fault in ALL if is_borne_out(fault, [binding], [call])}


def line(text: str) -> dict[str, Json]:
    return {"lines": [{"text": text}]}


def change(kind: str, summary: str) -> Json:
    return {"elements": [{"value": {"type": kind, "summary": summary}}]}


@pytest.mark.parametrize(
    ("tool", "document", "raw_path", "faults"),
    [
        (
            "change_events_list",
            change("config", "pool 20 -> 200"),
            "/elements/0/value/summary",
            {"config.changed"},
        ),
        (
            "change_events_list",
            change("", "api 3.1 deployed"),
            "/elements/0/value/summary",
            {"release.deployed"},
        ),
        (
            "logs_search",
            line("FATAL: too many clients"),
            "/lines/0/text",
            {"connections.exhausted"},
        ),
        (
            "logs_search",
            line("connect() failed: connection refused"),
            "/lines/0/text",
            {"dependency.unreachable"},
        ),
        ("logs_search", line("KeyError: 'sku'"), "/lines/0/text", {"code.exception"}),
        ("logs_search", line("served in 3 ms"), "/lines/0/text", set()),
        (
            "metrics_saturation",
            {"pairs": [{"limit_name": "pg_max_connections", "usage_name": "pg_connections", "limit": "80"}]},
            "/pairs/0/limit",
            {"connections.exhausted"},
        ),
        (
            "kubernetes_findings",
            {"findings": [{"fault": "pod.oom_killed", "kind": "Pod", "excerpts": {"name": {"text": "a"}}}]},
            "/findings/0/excerpts/name/text",
            {"pod.oom_killed"},
        ),
    ],
)
def test_what_a_citation_shows(tool: str, document: Json, raw_path: str, faults: set[str]) -> None:
    assert shown(tool, document, raw_path) == faults


def test_what_an_outsider_wrote_shows_nothing() -> None:
    text = 'GET / 404 "out of memory"'
    assert shown("logs_search", line(text), "/lines/0/text") == {"memory.exhausted"}
    assert shown("logs_search", line(text), "/lines/0/text", ((11, len(text) - 1),)) == set()


@pytest.mark.parametrize("raw_path", ["/lines/7/text", "lines", "/lines/0/text/~2"])
def test_a_citation_that_leads_nowhere_shows_nothing(raw_path: str) -> None:
    assert shown("logs_search", line("out of memory"), raw_path) == set()
