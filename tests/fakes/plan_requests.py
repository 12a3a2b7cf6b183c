"""Catalogs as an executor lists them, and requests to the planner."""

import json
from collections.abc import Iterable, Mapping

from assay.common.v1 import context_pb2, evidence_pb2, tool_pb2
from assay.planner.v1 import planner_pb2
from google.protobuf.timestamp_pb2 import Timestamp

# Argument names of each tool, the required one first, and the kinds of source that it reads.
TOOLS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "alerts_list": (("source",), "alert"),
    "change_events_list": (("source",), "change_event"),
    "logs_search": (("source", "contains", "start", "end", "limit"), "log"),
    "logs_templates": (("source", "start", "end", "split"), "log"),
    "metrics_change_points": (("start", "end", "sources"), "metric"),
    "metrics_list": (("source",), "metric"),
    "metrics_query_range": (("source", "start", "end"), "metric"),
    "metrics_saturation": (("start", "end", "sources"), "metric"),
    "topology_get": (("source",), "topology"),
}
SOURCES = (
    ("alert", "alerts.json", ""),
    ("change_event", "events.json", ""),
    ("log", "logs/api.log", "api"),
    ("log", "logs/db.log", "db"),
    ("log", "logs/worker.log", "worker"),
    ("metric", "metrics/db_connections.json", "db"),
    ("metric", "metrics/queue_depth.json", "worker"),
    ("topology", "topology.json", ""),
)


def tool(name: str) -> tool_pb2.Tool:
    """Return one tool with a schema like those of the catalog."""
    arguments, kind = TOOLS[name]
    schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": {argument: {} for argument in arguments},
        "required": ["source"] if "source" in arguments else [],
    }
    return tool_pb2.Tool(
        name=name,
        kind=tool_pb2.DOCUMENT_KIND_RAW,
        arguments_schema_json=json.dumps(schema),
        source_kinds=[kind],
    )


def source(kind: str, name: str, owner: str = "", *, available: bool = True) -> tool_pb2.SourceInfo:
    """Return one row of the inventory."""
    return tool_pb2.SourceInfo(
        kind=kind, name=name, owner=owner, available=available, reason="" if available else "not readable"
    )


def catalog(
    tools: Iterable[str] = TOOLS, sources: Iterable[tool_pb2.SourceInfo] | None = None
) -> tool_pb2.ToolCatalog:
    """Return a catalog, by default of everything."""
    rows = [source(*row) for row in SOURCES] if sources is None else sources
    return tool_pb2.ToolCatalog(tools=map(tool, tools), sources=rows)


def full(
    question: str = "Why is the db slow?", of: tool_pb2.ToolCatalog | None = None
) -> planner_pb2.PlanRequest:
    """Return a request for a whole plan, within a window."""
    return planner_pb2.PlanRequest(
        context=context_pb2.DiagnosisContext(
            question=question,
            intent=context_pb2.INTENT_CAUSE,
            window=context_pb2.TimeWindow(
                start=Timestamp(seconds=1796029200), end=Timestamp(seconds=1796029800)
            ),
            scope=context_pb2.Scope(bundle="incident"),
        ),
        catalog=catalog() if of is None else of,
        mode=planner_pb2.PLAN_MODE_FULL,
    )


def gap(
    claim_id: str,
    statement: str,
    component: str,
    claim_type: evidence_pb2.ClaimType.ValueType = evidence_pb2.CLAIM_TYPE_SYMPTOM,
) -> evidence_pb2.ClaimGap:
    """Return one claim that the evidence did not carry."""
    return evidence_pb2.ClaimGap(
        claim_id=claim_id,
        claim_type=claim_type,
        component=component,
        classification=evidence_pb2.CLASSIFICATION_OVERSTATED,
        statement=statement,
    )


def gaps_only(
    *gaps: evidence_pb2.ClaimGap, of: tool_pb2.ToolCatalog | None = None
) -> planner_pb2.PlanRequest:
    """Return a request of the second cycle."""
    request = full(of=of)
    request.mode = planner_pb2.PLAN_MODE_EVIDENCE_GAP_ONLY
    request.gaps.extend(gaps)
    return request
