"""The analyst on little, broken or hostile material: it says less, and never fails."""

import pytest
from assay.common.v1 import context_pb2, tool_pb2
from hypothesis import given, settings
from hypothesis import strategies as st

from services.common.evidence.strict_json import Json, NumberToken
from services.executor.analyst.analyst import Analyst
from services.executor.analyst.reading.topology import Topology
from services.executor.recorded import RecordedCall

CONTEXT = context_pb2.DiagnosisContext(question="Why is it slow?", intent=context_pb2.INTENT_CAUSE)
TOOLS = (
    "alerts_list",
    "change_events_list",
    "logs_search",
    "logs_templates",
    "metrics_change_points",
    "metrics_query_range",
    "metrics_saturation",
    "topology_get",
)
KEYS = (
    "source", "owner", "elements", "services", "calls", "series", "pairs", "templates", "first",
    "text", "time", "value", "labels", "onset", "name", "before", "count_after", "durations",
    "silence", "metric", "values", "lines", "state", "severity",
)  # fmt: skip
FAILED = tool_pb2.INVOCATION_STATUS_ERROR


def call(
    tool: str,
    document: Json,
    status: "tool_pb2.InvocationStatus.ValueType" = tool_pb2.INVOCATION_STATUS_OK,
) -> RecordedCall:
    return RecordedCall(f"id-{tool}", tool, {}, status, document)


def test_it_asks_for_what_the_plan_left_out_and_for_nothing_twice() -> None:
    asked = Analyst().follow_up(CONTEXT, [])
    assert {request.tool_name for request in asked} == {"metrics_change_points", "metrics_saturation"}

    failed = [call(request.tool_name, {"error": "no metrics"}, status=FAILED) for request in asked]
    assert Analyst().follow_up(CONTEXT, failed) == []


def test_it_reads_the_logs_of_the_topology() -> None:
    topology = call(
        "topology_get",
        {"source": "t", "calls": [], "services": [{"value": {"name": "a", "logs": ["logs/a.log"]}}]},
    )
    metrics = [
        call(tool, {"error": "x"}, status=FAILED) for tool in ("metrics_change_points", "metrics_saturation")
    ]

    asked = Analyst().follow_up(CONTEXT, [topology, *metrics])

    assert [(request.tool_name, dict(request.arguments)) for request in asked] == [
        ("logs_templates", {"source": "logs/a.log"})
    ]


def test_nothing_recorded_is_a_legal_document_that_says_what_is_missing() -> None:
    evidence = Analyst().conclude(CONTEXT, [], [])

    assert evidence.claims == []
    assert "No logs could be read." in evidence.evidence_gaps


def test_a_lookup_names_no_cause() -> None:
    context = context_pb2.DiagnosisContext(question="How many?", intent=context_pb2.INTENT_LOOKUP)

    assert [
        claim for claim in Analyst().conclude(context, [], []).claims if claim.claim_type == "cause"
    ] == []


_SCALARS: st.SearchStrategy[Json] = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(["", "x", "2026-11-30T09:00:00Z", "ERROR", "rise", "firing", '{a="b"}', "-1", "nan"]),
    st.integers(-5, 10**6).map(lambda number: NumberToken(str(number))),
)
_DOCUMENTS: st.SearchStrategy[Json] = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)
    ),
    max_leaves=30,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(TOOLS), _DOCUMENTS), max_size=6))
def test_no_document_makes_it_fail(documents: list[tuple[str, Json]]) -> None:
    calls = [call(tool, document) for tool, document in documents]

    Analyst().follow_up(CONTEXT, calls)
    evidence = Analyst().conclude(CONTEXT, calls, [])

    assert all(claim.evidence_bindings for claim in evidence.claims if claim.status == "confirmed")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("node service", "service"), ("Node.js worker", "service"), ("worker node", "node"), ("node", "node")],
)
def test_a_program_is_no_machine_because_its_runtime_is_called_like_one(kind: str, expected: str) -> None:
    assert Topology({"web": kind}).kind_of("web") == expected
