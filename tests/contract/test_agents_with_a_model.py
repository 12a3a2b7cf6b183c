"""Planner, verifier and composer as real services that ask a model over real HTTP."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import grpc.aio
import pytest
from assay.composer.v1 import composer_pb2_grpc
from assay.planner.v1 import planner_pb2_grpc
from assay.verifier.v1 import verifier_pb2_grpc

from services.common.llm.schema import schema_of
from services.common.llm.settings import ReasonerSettings
from services.common.rpc.channels import open_channel
from services.common.rpc.service import Service, serving
from services.composer import __main__ as composer
from services.composer.openai.answer import Composition
from services.composer.settings import ComposerSettings
from services.planner import __main__ as planner
from services.planner.openai.answer import Plan
from services.planner.settings import PlannerSettings
from services.verifier import __main__ as verifier
from services.verifier.openai.answer import Judgement
from services.verifier.settings import VerifierSettings
from tests.fakes import compose_requests, plan_requests
from tests.fakes.claims import claim, item, request
from tests.fakes.model_endpoint import ModelEndpoint, replies, scripted
from tests.fakes.model_endpoint.server import Asked, Reply, Script
from tests.fakes.sensible_model import agent_of, sensible

# An address that nothing listens at.
NOWHERE = "http://127.0.0.1:9/v1"
ITS_WORDS = "the-endpoint-says-so"


@dataclass(frozen=True)
class Agent:
    """How an agent is built, and a call to it."""

    settings: type[ReasonerSettings]
    build: Callable[[Any], Awaitable[Service]]
    call: Callable[[grpc.aio.Channel], Awaitable[Any]]


def to_planner(channel: grpc.aio.Channel) -> Awaitable[Any]:
    return planner_pb2_grpc.PlannerServiceStub(channel).Plan(plan_requests.full(), timeout=60)


def to_verifier(channel: grpc.aio.Channel) -> Awaitable[Any]:
    asked = request([claim("too many clients")], [item("FATAL: too many clients")])
    return verifier_pb2_grpc.VerifierServiceStub(channel).Verify(asked, timeout=60)


def to_composer(channel: grpc.aio.Channel) -> Awaitable[Any]:
    return composer_pb2_grpc.ComposerServiceStub(channel).Compose(compose_requests.used_up(), timeout=60)


AGENTS = {
    "planner": Agent(PlannerSettings, planner.build, to_planner),
    "verifier": Agent(VerifierSettings, verifier.build, to_verifier),
    "composer": Agent(ComposerSettings, composer.build, to_composer),
}
every_agent = pytest.mark.parametrize("name", AGENTS)


@asynccontextmanager
async def serving_agent(name: str, base_url: str, **changed: Any) -> AsyncIterator[grpc.aio.Channel]:  # noqa: ANN401 - values of settings
    agent = AGENTS[name]
    settings = agent.settings.model_validate(
        {"reasoner": "openai", "model_base_url": base_url, "model_name": "m", "drain_seconds": 0, **changed}
    )
    service = await agent.build(settings)
    async with serving(settings, service) as address, open_channel(address, 1 << 22) as channel:
        yield channel


async def answered(name: str, script: Script, **changed: Any) -> tuple[Any, ModelEndpoint]:  # noqa: ANN401 - a response
    async with scripted(script) as endpoint, serving_agent(name, endpoint.base_url, **changed) as channel:
        return await AGENTS[name].call(channel), endpoint


def status_of(response: Any) -> str:  # noqa: ANN401 - a response
    enum = response.DESCRIPTOR.fields_by_name["status"].enum_type
    return str(enum.values_by_number[response.status].name.partition("_STATUS_")[2])


@every_agent
async def test_an_agent_asks_once_and_answers(name: str) -> None:
    response, endpoint = await answered(name, sensible)
    assert status_of(response) == "COMPLETED"
    assert response.reasoning.reasoner == "openai"
    assert [call.outcome for call in response.reasoning.model_calls] == ["ok"]
    [asked] = endpoint.completions
    assert response.reasoning.model_calls[0].request_bytes == len(asked.body)
    assert len(asked.body) / 4 <= AGENTS[name].settings.model_fields["model_context_tokens"].default


def wrapped(asked: Asked) -> Reply:
    """Answer as small models do: thoughts first, Python's words, text around."""
    value = {
        "Plan": {"steps": [{"goal": "look", "tool": "topology_get", "args": {"source": "t"}, "gap": ""}]},
        "Judgement": {
            "checks": [
                {
                    "claim": "c1",
                    "judged": "unsupported",
                    "refs": [],
                    "invented": False,
                    "why": "it's not there",
                }
            ],
            "verdict": "low_confid",
            "score": 0,
            "why": "",
        },
        "Composition": {"summary": [], "confirmed": [], "directions": []},
    }[agent_of(asked)]
    return replies.message(f"<think>{{}}</think>Sure, here it is:\n```json\n{value}\n```\nAnything else?")


@every_agent
async def test_what_small_models_write_is_repaired_without_a_second_call(name: str) -> None:
    response, endpoint = await answered(name, wrapped)
    assert status_of(response) == "COMPLETED"
    assert len(endpoint.completions) == 1


FAILED = {
    "unauthorized": (replies.failed("401 Unauthorized", ITS_WORDS), "NON_RETRYABLE_FAILED"),
    "overloaded": (replies.failed("503 Service Unavailable", ITS_WORDS), "RETRYABLE_FAILED"),
    "rate_limited": (replies.failed("429 Too Many Requests", ITS_WORDS), "RETRYABLE_FAILED"),
    "not_json": (replies.message(ITS_WORDS), "INVALID_OUTPUT"),
    "wrong_shape": (replies.answer({"words": ITS_WORDS}), "INVALID_OUTPUT"),
}


@every_agent
@pytest.mark.parametrize("failure", FAILED)
async def test_a_failure_is_what_the_table_says_and_quotes_nobody(name: str, failure: str) -> None:
    reply, status = FAILED[failure]
    response, endpoint = await answered(name, replies.always(reply))
    assert (status_of(response), response.reasoning.model_failure) == (status, failure)
    assert ITS_WORDS not in str(response)
    assert len(endpoint.completions) == 1


def against_the_rules(asked: Asked) -> Reply:
    """Answer in the right shape what the agent itself has to refuse."""
    value = {
        "Plan": {"steps": [{"goal": "", "tool": "run_shell", "args": "{}", "gap": ""}]},
        "Judgement": {"checks": [], "verdict": "pass", "score": 1, "why": ""},
        "Composition": {"summary": [], "confirmed": [{"text": "", "claims": ["c99"]}], "directions": []},
    }[agent_of(asked)]
    return replies.answer(value)


@every_agent
async def test_an_answer_against_the_rules_is_invalid_output(name: str) -> None:
    response, _ = await answered(name, against_the_rules)
    assert (status_of(response), response.reasoning.model_failure) == ("INVALID_OUTPUT", "broke_rules")


@every_agent
@pytest.mark.parametrize("script", [against_the_rules, replies.always(replies.reset())])
async def test_with_a_fallback_the_offline_reasoner_goes_on_and_says_so(name: str, script: Script) -> None:
    response, _ = await answered(name, script, fallback_reasoner="offline")
    assert status_of(response) == "COMPLETED"
    assert response.reasoning.reasoner == "offline"
    assert response.reasoning.model_failure in ("broke_rules", "unreachable")
    assert len(response.reasoning.model_calls) == 1


@every_agent
async def test_an_endpoint_that_is_not_there_is_worth_another_try(name: str) -> None:
    async with serving_agent(name, NOWHERE) as channel:
        response = await AGENTS[name].call(channel)
    assert (status_of(response), response.reasoning.model_failure) == ("RETRYABLE_FAILED", "unreachable")


@every_agent
async def test_a_bound_that_nothing_fits_sends_nothing(name: str) -> None:
    response, endpoint = await answered(name, sensible, model_context_tokens=512)
    assert (status_of(response), response.reasoning.model_failure) == ("NON_RETRYABLE_FAILED", "over_budget")
    assert endpoint.completions == []


def test_the_schemas_are_small() -> None:
    sizes = {
        answer.__name__: len(json.dumps(dict(schema_of(answer)), separators=(",", ":")))
        for answer in (Plan, Judgement, Composition)
    }
    assert all(size < 900 for size in sizes.values()), sizes
