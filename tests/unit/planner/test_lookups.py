"""The plan of a question for a fact: what tells of what there is, and not what a cause is found by."""

import json

import pytest
from assay.common.v1 import context_pb2, tool_pb2
from assay.planner.v1 import planner_pb2

from services.executor.catalog import tools_of
from services.executor.tools.registry import tools
from services.planner.offline.reasoner import plan
from tests.fakes import plan_requests as made

SMALL = ["topology_get", "alerts_list", "change_events_list"]


def planned(question: str, *sources: tool_pb2.SourceInfo) -> list[tuple[str, object]]:
    return planned_alone(question, *made.full(question).catalog.sources, *sources)


def planned_alone(question: str, *sources: tool_pb2.SourceInfo) -> list[tuple[str, object]]:
    request = made.full(question)
    del request.catalog.sources[:]
    request.context.intent = context_pb2.INTENT_LOOKUP
    request.mode = planner_pb2.PLAN_MODE_FULL
    del request.catalog.tools[:]
    request.catalog.tools.extend(tools_of(tools(1, 1.0)).tools)
    request.catalog.sources.extend(sources)
    return [(step.tool_name, json.loads(step.arguments_json)) for step in plan(request)]


@pytest.mark.parametrize(
    "question",
    ['How often does api log "lost"?', "How many 502s?", "Was there any OOM kill?", "List the errors"],
)
def test_what_only_logs_answer_begins_with_all_of_them(question: str) -> None:
    plan = planned(question)
    assert [tool for tool, _ in plan] == [*SMALL, "logs_count"]
    assert "sources" not in str(plan[-1][1])


@pytest.mark.parametrize("question", ["Which alerts fire?", "What changed?", "Who calls api?"])
def test_what_small_sources_answer_reads_no_log(question: str) -> None:
    assert [tool for tool, _ in planned(question)] == SMALL


def test_a_cluster_is_listed_where_there_is_one() -> None:
    plan = planned("How many pods run?", made.source("kubernetes", "pods.txt"))
    assert plan[-1] == ("kubernetes_inventory", {})


@pytest.mark.parametrize(
    ("kind", "name", "tool"),
    [("log", "api.log", "logs_count"), ("metric", "m.csv", "metrics_list")],
)
def test_words_that_lead_nowhere_still_begin_with_what_there_is(kind: str, name: str, tool: str) -> None:
    assert [step for step, _ in planned_alone("Did anyone restart api?", made.source(kind, name))] == [tool]
