"""What `make test-llm` would notice of a run with a real model."""

from dataclasses import replace
from typing import Any

import pytest
from assay.common.v1 import answer_pb2, evidence_pb2
from assay.orchestrator.v1 import run_pb2

from dev.live_graph import AGENTS, Ended, problems, worse


def a_call(agent: str, **changed: object) -> dict[str, Any]:
    return {"service": agent, "outcome": "ok", "input_tokens": 10, "output_tokens": 2, **changed}


def a_run(verdict: "evidence_pb2.Verdict.ValueType", component: str) -> run_pb2.Run:
    return run_pb2.Run(
        status=run_pb2.RUN_STATUS_SUCCEEDED,
        effective_verdict=verdict,
        suspects=[answer_pb2.Suspect(component=component)],
        usage=run_pb2.Usage(
            agents=[
                run_pb2.AgentUsage(agent=agent, model_calls=1, input_tokens=10, output_tokens=2)
                for agent in AGENTS
            ]
        ),
    )


GOOD = Ended(0, "", a_run(evidence_pb2.VERDICT_PASS, "cart"), [a_call(agent) for agent in AGENTS], 3, [])


def test_nothing_is_wrong_with_a_good_run() -> None:
    assert [*problems(GOOD), *worse(GOOD, GOOD)] == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"code": 1}, "did not end through the graph"),
        ({"calls": []}, "no call of the model"),
        ({"calls": [a_call(agent, outcome="who knows") for agent in AGENTS]}, "outcome who knows"),
        ({"calls": [a_call(agent, input_tokens=0) for agent in AGENTS]}, "0 tokens"),
        ({"calls": [*GOOD.calls, a_call("planner")]}, "planner: the run's usage is not the sum"),
        ({"unfound": ["run call /a"]}, "a citation that is not found: run call /a"),
    ],
)
def test_what_must_not_be_is_noticed(changed: dict[str, Any], told: str) -> None:
    assert any(told in each for each in problems(replace(GOOD, **changed)))


def test_a_made_up_claim_in_the_answer_is_noticed() -> None:
    run = a_run(evidence_pb2.VERDICT_PASS, "cart")
    run.claims.add().claim.claim_id = "c1"
    run.checks.add(claim_id="c1", fabricated=True)
    assert [*problems(replace(GOOD, run=run))] == ["a made-up claim is allowed: c1"]


@pytest.mark.parametrize(
    ("verdict", "component", "told"),
    [
        (evidence_pb2.VERDICT_LOW_CONFID, "cart", "its verdict is lower"),
        (evidence_pb2.VERDICT_PASS, "stock", "it names ['stock'] first"),
    ],
)
def test_an_answer_that_is_worse_than_without_a_model_is_noticed(
    verdict: "evidence_pb2.Verdict.ValueType", component: str, told: str
) -> None:
    found = [*worse(replace(GOOD, run=a_run(verdict, component)), GOOD)]
    assert len(found) == 1
    assert told in found[0]
