"""A model's plan becomes steps of the contract, or is refused as a whole."""

import json
from typing import Any

import pytest
from assay.common.v1 import tool_pb2
from assay.planner.v1 import planner_pb2
from hypothesis import given
from hypothesis import strategies as st

from services.common.llm.failures import FAILURES
from services.common.llm.port import Kind
from services.planner.domain import Planner, is_plan
from services.planner.offline.adapter import OfflineReasoner
from services.planner.openai.reasoner import OpenAIReasoner
from tests.fakes import plan_requests as made
from tests.fakes.reasoned import plenty
from tests.fakes.scripted_model import ScriptedModel, saying

TOKENS = 32_000
COMPLETED = planner_pb2.PLANNER_STATUS_COMPLETED
INVALID = planner_pb2.PLANNER_STATUS_INVALID_OUTPUT
GAPS = made.gaps_only(made.gap("cause-1", "The pool was full.", "db"), made.gap("symptom-1", "It fails.", ""))


def step(tool: str = "logs_search", args: Any = '{"source": "logs/api.log"}', **more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"goal": "see what fails", "tool": tool, "args": args, "gap": "", **more}


async def planned(
    model: ScriptedModel, request: planner_pb2.PlanRequest | None = None, *, falls_back: bool = False
) -> planner_pb2.PlanResponse:
    instead = OfflineReasoner() if falls_back else None
    return await Planner(OpenAIReasoner(model, TOKENS, instead)).plan(request or made.full(), plenty)


async def test_a_plan_within_the_window() -> None:
    steps = [step("topology_get", '{"source": "topology.json"}'), step(args={"source": "logs/api.log"})]
    answer = await planned(saying({"steps": steps}))
    assert answer.status == COMPLETED
    assert [(found.tool_name, json.loads(found.arguments_json)) for found in answer.steps] == [
        ("topology_get", {"source": "topology.json"}),
        (
            "logs_search",
            {"source": "logs/api.log", "start": "2026-11-30T09:00:00Z", "end": "2026-11-30T09:10:00Z"},
        ),
    ]
    assert {found.goal for found in answer.steps} == {"see what fails"}
    assert (answer.reasoning.reasoner, answer.reasoning.prompt_name) == ("openai", "planner_openai")
    assert len(answer.reasoning.model_calls) == 1


async def test_bounds_that_the_model_gives_stay_and_no_call_is_made_twice() -> None:
    own = step(args='{"source": "logs/api.log", "start": "2026-11-30T09:05:00Z"}')
    answer = await planned(saying({"steps": [own, step(), own]}))
    starts = [json.loads(found.arguments_json)["start"] for found in answer.steps]
    assert starts == ["2026-11-30T09:05:00Z", "2026-11-30T09:00:00Z"]


async def test_each_step_of_the_second_cycle_serves_a_gap() -> None:
    answer = await planned(saying({"steps": [step(gap="g2"), step("metrics_list", gap="g1")]}), GAPS)
    assert [found.gap_claim_id for found in answer.steps] == ["symptom-1", "cause-1"]


async def test_a_gap_that_a_first_plan_names_is_nothing() -> None:
    answer = await planned(saying({"steps": [step(gap="g1")]}))
    assert [found.gap_claim_id for found in answer.steps] == [""]


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [step("run_shell")],
        [step(), step("kubectl_delete", "{}")],
        [step(args="logs/api.log")],
        [step(args="[]")],
        [step(args='{"source": "a", "source": "b"}')],
        [step(args='{"source": "\\ud800"}')],
        [step(args="\ud800")],
        [step(args="{}")],
        [step(args='{"source": "logs/api.log", "command": "rm -rf /"}')],
    ],
)
async def test_a_plan_that_breaks_a_rule_is_no_plan(steps: list[dict[str, Any]]) -> None:
    answer = await planned(saying({"steps": steps}))
    assert (answer.status, answer.reasoning.model_failure) == (INVALID, "broke_rules")
    assert not answer.steps


async def test_more_steps_than_a_plan_has_are_of_another_shape() -> None:
    steps = [step(args={"source": f"logs/{number}.log"}) for number in range(65)]
    assert (await planned(saying({"steps": steps[:64]}))).status == COMPLETED
    answer = await planned(saying({"steps": steps}))
    assert (answer.status, answer.reasoning.model_failure) == (INVALID, "wrong_shape")


@pytest.mark.parametrize("gap", ["", "g3", "cause-1", "g0"])
async def test_a_step_for_no_gap_is_no_plan(gap: str) -> None:
    answer = await planned(saying({"steps": [step(gap=gap)]}), GAPS)
    assert answer.status == INVALID


async def test_without_anything_to_read_nobody_is_asked() -> None:
    model = saying({"steps": [step()]})
    nothing = made.full(of=made.catalog(sources=[made.source("log", "logs/api.log", available=False)]))
    answer = await planned(model, nothing)
    assert answer.status == planner_pb2.PLANNER_STATUS_NON_RETRYABLE_FAILED
    assert model.asked == []


@pytest.mark.parametrize("kind", Kind)
async def test_a_failed_call_is_what_the_table_says(kind: Kind) -> None:
    answer = await planned(saying(kind))
    expected = planner_pb2.PlannerStatus.Value(f"PLANNER_STATUS_{FAILURES[kind].failed_as.value}")
    assert (answer.status, answer.reasoning.model_failure) == (expected, kind.value)


@pytest.mark.parametrize("said", [Kind.UNREACHABLE, {"steps": [step("run_shell")]}])
async def test_with_another_reasoner_it_goes_on_and_says_so(said: dict[str, Any] | Kind) -> None:
    answer = await planned(saying(said), falls_back=True)
    alone = await Planner(OfflineReasoner()).plan(made.full(), plenty)
    assert (answer.status, answer.steps) == (COMPLETED, alone.steps)
    assert (answer.reasoning.reasoner, answer.reasoning.prompt_name) == ("offline", "planner_offline_rules")
    assert answer.reasoning.model_failure in ("unreachable", "broke_rules")
    assert len(answer.reasoning.model_calls) == 1


async def test_the_request_keeps_to_its_bound() -> None:
    model = saying({"steps": [step()]})
    rows = [made.source("log", f"logs/{number}.log") for number in range(5000)]
    request = made.full(of=made.catalog(sources=rows))
    await Planner(OpenAIReasoner(model, 2000, None)).plan(request, plenty)
    [asked] = model.asked
    assert len(asked.instructions.encode()) + len(asked.material.encode()) <= 2000 * 4


NAMES = st.sampled_from([*made.TOOLS, "run_shell", ""])
VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.sampled_from(["logs/api.log"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
ARGUMENTS = st.one_of(
    st.text(max_size=20),
    st.dictionaries(st.sampled_from(["source", "start", "contains", "limit", "x"]), VALUES, max_size=4),
    st.just('{"source": "logs/api.log"}'),
)
STEPS = st.lists(
    st.fixed_dictionaries(
        {
            "goal": st.text(max_size=20),
            "tool": NAMES,
            "args": ARGUMENTS,
            "gap": st.sampled_from(["", "g1", "g2", "g9"]),
        }
    ),
    max_size=4,
)


@given(STEPS, st.booleans())
async def test_whatever_the_model_says_the_response_is_legal(
    steps: list[dict[str, Any]], second: bool
) -> None:
    request = GAPS if second else made.full()
    answer = await planned(saying({"steps": steps}), request)
    assert answer.status in (COMPLETED, INVALID)
    assert bool(answer.steps) == (answer.status == COMPLETED)
    assert is_plan(answer.steps, request)
    assert all(shown_as_one_line(found) for found in answer.steps)


def shown_as_one_line(found: tool_pb2.PlanStep) -> bool:
    return found.goal.isprintable() or not found.goal
