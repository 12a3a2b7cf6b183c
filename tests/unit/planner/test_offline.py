"""The plan follows from what is there and what is asked."""

import json

import pytest
from assay.common.v1 import evidence_pb2, tool_pb2
from assay.planner.v1 import planner_pb2
from hypothesis import given
from hypothesis import strategies as st

from services.common.bounds import MAX_STEPS
from services.planner.domain import check_request, is_plan
from services.planner.offline import reasoner
from tests.fakes import plan_requests as made

START, END = "2026-11-30T09:00:00Z", "2026-11-30T09:10:00Z"
NAMES = st.text("ab01-_. ä", min_size=1, max_size=8)
KINDS = st.sampled_from(["log", "metric", "alert", "change_event", "topology", "other"])


def plan(request: planner_pb2.PlanRequest) -> list[tool_pb2.PlanStep]:
    check_request(request)
    steps = reasoner.plan(request)
    assert is_plan(steps, request)
    return steps


def calls(steps: list[tool_pb2.PlanStep]) -> list[tuple[str, dict[str, object]]]:
    return [(step.tool_name, json.loads(step.arguments_json)) for step in steps]


def test_a_whole_plan_reads_everything_once_and_the_named_component_first() -> None:
    window = {"start": START, "end": END}
    assert calls(plan(made.full("Why is the db? slow"))) == [
        ("topology_get", {"source": "topology.json"}),
        ("alerts_list", {"source": "alerts.json"}),
        ("change_events_list", {"source": "events.json"}),
        ("metrics_change_points", window),
        ("metrics_saturation", window),
        ("logs_templates", {**window, "source": "logs/db.log"}),
        ("logs_templates", {**window, "source": "logs/api.log"}),
        ("logs_templates", {**window, "source": "logs/worker.log"}),
    ]


def test_a_part_of_a_word_names_no_component() -> None:
    logs = [
        arguments["source"] for tool, arguments in calls(plan(made.full("Is dbus broken?"))) if "logs" in tool
    ]
    assert logs == ["logs/api.log", "logs/db.log", "logs/worker.log"]


def test_goals_are_sentences_that_name_the_source() -> None:
    goals = {json.loads(step.arguments_json).get("source"): step.goal for step in plan(made.full())}
    assert goals["logs/db.log"] == "Find what became new or more frequent in logs/db.log, written by db."
    assert all(goal.endswith(".") for goal in goals.values())


def test_what_is_not_available_is_not_planned() -> None:
    sources = [
        made.source("log", "logs/api.log", available=False),
        made.source("metric", "", available=False),
        made.source("alert", "alerts.json"),
    ]
    steps = plan(made.full(of=made.catalog(sources=sources)))
    assert calls(steps) == [("alerts_list", {"source": "alerts.json"})]


def test_a_tool_that_is_not_in_the_catalog_is_not_planned() -> None:
    steps = plan(made.full(of=made.catalog(tools=["logs_templates"])))
    assert {step.tool_name for step in steps} == {"logs_templates"}


def test_without_a_window_none_is_given() -> None:
    request = made.full()
    request.context.ClearField("window")
    assert all(not {"start", "end"} & arguments.keys() for _, arguments in calls(plan(request)))


@pytest.mark.parametrize(
    "schema", ["no JSON", "[]", '{"properties": {"source": {}}, "required": ["source", "region"]}']
)
def test_a_tool_that_asks_for_what_is_not_known_is_left_out(schema: str) -> None:
    request = made.full(of=made.catalog(tools=["alerts_list", "topology_get"]))
    request.catalog.tools[0].arguments_schema_json = schema
    assert {step.tool_name for step in plan(request)} == {"topology_get"}


def test_nothing_to_read_is_no_plan() -> None:
    request = made.full(of=made.catalog(sources=[made.source("log", "a.log", available=False)]))
    assert plan(request) == []


def test_very_many_sources_are_bounded_and_the_named_one_is_kept() -> None:
    logs = [made.source("log", f"logs/{number}.log", f"s{number}") for number in range(200)]
    alerts = [made.source("alert", f"alerts-{number}.json") for number in range(200)]
    steps = plan(made.full("What ails s199?", of=made.catalog(sources=[*alerts, *logs])))
    assert len(steps) == MAX_STEPS
    assert ("logs_templates", {"source": "logs/199.log", "start": START, "end": END}) in calls(steps)


def test_a_gap_is_looked_for_where_its_component_writes() -> None:
    request = made.gaps_only(made.gap("symptom-1", 'db logged "out of memory" 5 times.', "db"))
    window = {"start": START, "end": END}
    steps = plan(request)
    assert calls(steps) == [
        ("logs_search", {**window, "source": "logs/db.log", "contains": ["out of memory"]}),
        ("metrics_query_range", {**window, "source": "metrics/db_connections.json"}),
    ]
    assert {step.gap_claim_id for step in steps} == {"symptom-1"}


def test_a_gap_about_a_cause_looks_at_changes_and_named_series() -> None:
    statement = "api: a change came before queue_depth rose."
    request = made.gaps_only(made.gap("cause-1", statement, "api", evidence_pb2.CLAIM_TYPE_CAUSE))
    assert [(tool, arguments["source"]) for tool, arguments in calls(plan(request))] == [
        ("logs_templates", "logs/api.log"),
        ("change_events_list", "events.json"),
        ("metrics_query_range", "metrics/queue_depth.json"),
    ]


def test_a_gap_of_an_unknown_component_is_looked_for_in_every_log() -> None:
    request = made.gaps_only(made.gap("symptom-1", 'something said "no route"', "router"))
    sources = [arguments["source"] for tool, arguments in calls(plan(request)) if tool == "logs_search"]
    assert sources == ["logs/db.log", "logs/api.log", "logs/worker.log"]


def test_no_gap_crowds_out_another() -> None:
    logs = [made.source("log", f"logs/{number}.log") for number in range(200)]
    request = made.gaps_only(
        made.gap("symptom-1", 'it said "first thing"', ""),
        made.gap("symptom-2", 'it said "other thing"', ""),
        of=made.catalog(sources=logs),
    )
    served = [step.gap_claim_id for step in plan(request)]
    assert len(served) == MAX_STEPS
    assert served.count("symptom-1") == served.count("symptom-2")


@given(
    question=st.text(max_size=40).filter(str.strip),
    rows=st.lists(st.tuples(KINDS, NAMES, st.one_of(st.just(""), NAMES), st.booleans()), max_size=90),
    gaps=st.lists(st.tuples(st.text(max_size=60), NAMES), max_size=3),
    tools=st.lists(st.sampled_from(sorted(made.TOOLS)), min_size=1, unique=True),
)
def test_every_plan_is_legal(
    question: str,
    rows: list[tuple[str, str, str, bool]],
    gaps: list[tuple[str, str]],
    tools: list[str],
) -> None:
    sources = [made.source(kind, name, owner, available=available) for kind, name, owner, available in rows]
    request = made.full(question, of=made.catalog(tools, sources))
    if gaps:
        request.mode = planner_pb2.PLAN_MODE_EVIDENCE_GAP_ONLY
        request.gaps.extend(made.gap(f"c-{index}", *gap) for index, gap in enumerate(gaps))
    steps = plan(request)
    readable = {source.name for source in sources if source.available}
    assert len(steps) <= MAX_STEPS
    for tool, arguments in calls(steps):
        known, _ = made.TOOLS[tool]
        assert arguments.keys() <= set(known)
        assert ("source" in arguments) == ("source" in known)
        assert arguments.get("source", next(iter(readable))) in readable
