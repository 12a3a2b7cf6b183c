"""The composer behind a real server: its contract, code by code."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import grpc
import grpc.aio
import pytest
from assay.common.v1 import answer_pb2, context_pb2, evidence_pb2
from assay.composer.v1 import composer_pb2, composer_pb2_grpc

from services.common.reasoning import Reasoned
from services.common.rpc.channels import open_channel
from services.common.rpc.service import Service, serving
from services.composer.__main__ import NAME, build
from services.composer.domain import Composer, Reasoner
from services.composer.servicer import ComposerServicer
from services.composer.settings import ComposerSettings
from tests.fakes import compose_requests as made
from tests.fakes.reasoned import by_script

Change = Callable[[composer_pb2.ComposeRequest], None]


@asynccontextmanager
async def running(
    reasoner: Reasoner | None = None, settings: ComposerSettings | None = None
) -> AsyncIterator["composer_pb2_grpc.ComposerServiceAsyncStub"]:
    settings = settings or ComposerSettings()
    service = await build(settings) if reasoner is None else with_reasoner(reasoner)
    async with serving(settings, service) as address, open_channel(address, 1 << 20) as channel:
        yield composer_pb2_grpc.ComposerServiceStub(channel)


def with_reasoner(reasoner: Reasoner) -> Service:
    def register(server: grpc.aio.Server) -> None:
        servicer = ComposerServicer(Composer(reasoner, asyncio.to_thread))
        composer_pb2_grpc.add_ComposerServiceServicer_to_server(servicer, server)

    return Service(names=(NAME,), register=register)


@pytest.mark.parametrize("request_of", made.ALL)
async def test_an_answer(request_of: Callable[[], composer_pb2.ComposeRequest]) -> None:
    async with running() as composer:
        response = await composer.Compose(request_of(), timeout=60)
    assert response.status == composer_pb2.COMPOSER_STATUS_COMPLETED
    assert response.answer.summary


def blank_question(request: composer_pb2.ComposeRequest) -> None:
    request.question = " \t"


def long_question(request: composer_pb2.ComposeRequest) -> None:
    request.question = "?" * 4097


def no_intent(request: composer_pb2.ComposeRequest) -> None:
    request.intent = context_pb2.INTENT_UNSPECIFIED


def no_verdict(request: composer_pb2.ComposeRequest) -> None:
    request.effective_verdict = evidence_pb2.VERDICT_UNSPECIFIED


def unknown_verdict(request: composer_pb2.ComposeRequest) -> None:
    request.MergeFromString(b"\x18\x63")


def reject_with_claims(request: composer_pb2.ComposeRequest) -> None:
    request.effective_verdict = evidence_pb2.VERDICT_REJECT


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (blank_question, "question is empty"),
        (long_question, "question has 4097 characters"),
        (no_intent, "intent is not one of"),
        (no_verdict, "effective_verdict is not one of"),
        (unknown_verdict, "effective_verdict is not one of"),
        (reject_with_claims, "a REJECT comes with claims"),
    ],
)
async def test_a_request_that_the_contract_refuses(change: Change, named: str) -> None:
    request = made.used_up()
    change(request)
    async with running() as composer:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await composer.Compose(request, timeout=60)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert named in (caught.value.details() or "")


class Inventor:
    """Writes what no evidence holds."""

    async def compose(
        self,
        request: composer_pb2.ComposeRequest,
        remaining: Callable[[], float],  # noqa: ARG002 - the port's
    ) -> Reasoned[answer_pb2.Answer]:
        return by_script(
            answer_pb2.Answer(
                summary=[answer_pb2.Sentence(text="The disk is 99 % full.", claim_ids=["cause-1"])],
                confirmed=[answer_pb2.Sentence(text=request.question)],
            )
        )


async def test_an_answer_that_breaks_the_rules_stays_inside() -> None:
    async with running(Inventor()) as composer:
        response = await composer.Compose(made.used_up(), timeout=60)
    assert response.status == composer_pb2.COMPOSER_STATUS_INVALID_OUTPUT
    assert not response.HasField("answer")


async def test_under_reject_no_reasoner_is_asked() -> None:
    async with running(Inventor()) as composer:
        response = await composer.Compose(made.rejected(), timeout=60)
    assert response.answer.summary[0].template_id == "reject.no_conclusion"


class Held:
    """Writes nothing until it is released."""

    def __init__(self) -> None:
        self.entered = asyncio.Event()
        self.release = asyncio.Event()

    async def compose(
        self,
        request: composer_pb2.ComposeRequest,  # noqa: ARG002 - the port's
        remaining: Callable[[], float],  # noqa: ARG002 - the port's
    ) -> Reasoned[answer_pb2.Answer]:
        self.entered.set()
        await self.release.wait()
        return by_script(answer_pb2.Answer())


async def test_a_full_service_refuses() -> None:
    held = Held()
    async with running(held, ComposerSettings(max_concurrent_rpcs=1)) as composer:
        first = asyncio.ensure_future(composer.Compose(made.used_up(), timeout=60))
        await held.entered.wait()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await composer.Compose(made.used_up(), timeout=60)
        held.release.set()
        await first
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
