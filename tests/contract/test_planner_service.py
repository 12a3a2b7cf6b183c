"""The planner behind a real server: its contract, code by code."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import grpc
import grpc.aio
import pytest
from assay.common.v1 import context_pb2, tool_pb2
from assay.planner.v1 import planner_pb2, planner_pb2_grpc

from services.common.reasoning import Reasoned
from services.common.rpc.channels import open_channel
from services.common.rpc.service import Service, serving
from services.planner.__main__ import NAME, build
from services.planner.domain import Planner, Reasoner
from services.planner.servicer import PlannerServicer
from services.planner.settings import PlannerSettings
from tests.fakes import plan_requests as made
from tests.fakes.reasoned import by_script

Change = Callable[[planner_pb2.PlanRequest], None]


@asynccontextmanager
async def running(
    reasoner: Reasoner | None = None, settings: PlannerSettings | None = None
) -> AsyncIterator["planner_pb2_grpc.PlannerServiceAsyncStub"]:
    settings = settings or PlannerSettings()
    service = await build(settings) if reasoner is None else with_reasoner(reasoner)
    async with serving(settings, service) as address, open_channel(address, 1 << 20) as channel:
        yield planner_pb2_grpc.PlannerServiceStub(channel)


def with_reasoner(reasoner: Reasoner) -> Service:
    def register(server: grpc.aio.Server) -> None:
        planner_pb2_grpc.add_PlannerServiceServicer_to_server(PlannerServicer(Planner(reasoner)), server)

    return Service(names=(NAME,), register=register)


async def test_both_modes() -> None:
    async with running() as planner:
        whole = await planner.Plan(made.full(), timeout=60)
        second = await planner.Plan(made.gaps_only(made.gap("symptom-1", "It fails.", "api")), timeout=60)
    assert whole.status == second.status == planner_pb2.PLANNER_STATUS_COMPLETED
    assert whole.steps
    assert {step.gap_claim_id for step in second.steps} == {"symptom-1"}


def blank_question(request: planner_pb2.PlanRequest) -> None:
    request.context.question = " \n"


def long_question(request: planner_pb2.PlanRequest) -> None:
    request.context.question = "?" * 4097


def no_intent(request: planner_pb2.PlanRequest) -> None:
    request.context.intent = context_pb2.INTENT_UNSPECIFIED


def no_mode(request: planner_pb2.PlanRequest) -> None:
    request.mode = planner_pb2.PLAN_MODE_UNSPECIFIED


def unknown_mode(request: planner_pb2.PlanRequest) -> None:
    request.MergeFromString(b"\x18\x63")


def no_tool(request: planner_pb2.PlanRequest) -> None:
    del request.catalog.tools[:]


def no_gaps(request: planner_pb2.PlanRequest) -> None:
    request.mode = planner_pb2.PLAN_MODE_EVIDENCE_GAP_ONLY


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (blank_question, "context.question is empty"),
        (long_question, "context.question has 4097 characters"),
        (no_intent, "context.intent is not one of"),
        (no_mode, "mode is not one of"),
        (unknown_mode, "mode is not one of"),
        (no_tool, "the catalog has no tool"),
        (no_gaps, "comes without gaps"),
    ],
)
async def test_a_request_that_the_contract_refuses(change: Change, named: str) -> None:
    request = made.full()
    change(request)
    async with running() as planner:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await planner.Plan(request, timeout=60)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert named in (caught.value.details() or "")


async def test_nothing_to_read_cannot_be_planned() -> None:
    request = made.full(of=made.catalog(sources=[]))
    async with running() as planner:
        response = await planner.Plan(request, timeout=60)
    assert response.status == planner_pb2.PLANNER_STATUS_NON_RETRYABLE_FAILED


class Scripted:
    """Plans what it was told to plan."""

    def __init__(self, steps: Sequence[tool_pb2.PlanStep]) -> None:
        self.steps = list(steps)

    async def plan(
        self,
        request: planner_pb2.PlanRequest,  # noqa: ARG002 - the port's
        remaining: Callable[[], float],  # noqa: ARG002 - the port's
    ) -> Reasoned[Sequence[tool_pb2.PlanStep]]:
        return by_script(self.steps)


STEP = tool_pb2.PlanStep(goal="Look.", tool_name="alerts_list", arguments_json=b'{"source": "alerts.json"}')


@pytest.mark.parametrize(
    "steps",
    [
        [STEP] * 65,
        [tool_pb2.PlanStep(goal="Look.", tool_name="shell", arguments_json=b"{}")],
        [tool_pb2.PlanStep(goal="Look.", tool_name="alerts_list", arguments_json=b"[]")],
        [tool_pb2.PlanStep(goal="Look.", tool_name="alerts_list", arguments_json=b'{"a": 1, "a": 2}')],
        [tool_pb2.PlanStep(tool_name="alerts_list", arguments_json=b"{}", gap_claim_id="nobody-asked")],
    ],
    ids=["too many steps", "foreign tool", "no object", "duplicate key", "unknown gap"],
)
async def test_what_is_no_plan_stays_inside(steps: list[tool_pb2.PlanStep]) -> None:
    async with running(Scripted(steps)) as planner:
        response = await planner.Plan(made.full(), timeout=60)
    assert response.status == planner_pb2.PLANNER_STATUS_INVALID_OUTPUT
    assert not response.steps


class Held:
    """Plans nothing until it is released."""

    def __init__(self) -> None:
        self.entered = asyncio.Event()
        self.release = asyncio.Event()

    async def plan(
        self,
        request: planner_pb2.PlanRequest,  # noqa: ARG002 - the port's
        remaining: Callable[[], float],  # noqa: ARG002 - the port's
    ) -> Reasoned[Sequence[tool_pb2.PlanStep]]:
        self.entered.set()
        await self.release.wait()
        return by_script([STEP])


async def test_a_full_service_refuses() -> None:
    held = Held()
    async with running(held, PlannerSettings(max_concurrent_rpcs=1)) as planner:
        first = asyncio.ensure_future(planner.Plan(made.full(), timeout=60))
        await held.entered.wait()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await planner.Plan(made.full(), timeout=60)
        held.release.set()
        await first
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
