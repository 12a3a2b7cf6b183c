"""The verifier over a real server with the production interceptors."""

import asyncio
from collections.abc import AsyncIterator, Callable

import grpc.aio
import pytest
from assay.common.v1 import evidence_pb2
from assay.verifier.v1 import verifier_pb2, verifier_pb2_grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from services.common.reasoning import Reasoned
from services.common.rpc.channels import call_metadata, open_channel
from services.common.rpc.service import Service, serving
from services.verifier.__main__ import NAME, build
from services.verifier.servicer import VerifierServicer
from services.verifier.settings import VerifierSettings
from tests.fakes.claims import claim, item, request
from tests.fakes.reasoned import by_script

SECONDS = 60.0
MAX_BYTES = 1 << 22


@pytest.fixture
async def address() -> AsyncIterator[str]:
    settings = VerifierSettings()
    async with serving(settings, await build(settings)) as bound:
        yield bound


def asked() -> verifier_pb2.VerifyRequest:
    return request([claim("count is 12", component="db")], [item("count=12")])


async def verify(bound: str, message: verifier_pb2.VerifyRequest) -> verifier_pb2.VerifyResponse:
    async with open_channel(bound, MAX_BYTES) as channel:
        stub: verifier_pb2_grpc.VerifierServiceAsyncStub = verifier_pb2_grpc.VerifierServiceStub(channel)
        return await stub.Verify(message, timeout=SECONDS, metadata=call_metadata("run-1"))


async def test_a_verification_completes_with_everything_in_it(address: str) -> None:
    response = await verify(address, asked())
    assert response.status == verifier_pb2.VERIFIER_STATUS_COMPLETED
    result = response.verification
    assert result.model_verdict == evidence_pb2.VERDICT_LOW_CONFID
    assert result.HasField("groundedness_score")
    assert result.rationale
    assert [check.claim_id for check in result.claim_checks] == ["c1"]
    assert [fact.fact_class for fact in result.facts_checked] == [evidence_pb2.FACT_CLASS_DIRECT_EVIDENCE]


async def test_the_same_request_gives_the_same_bytes(address: str) -> None:
    first, second = await verify(address, asked()), await verify(address, asked())
    assert first.SerializeToString() == second.SerializeToString()


def _blank_question(message: verifier_pb2.VerifyRequest) -> None:
    message.diagnosis_context.question = ""


def _no_claim(message: verifier_pb2.VerifyRequest) -> None:
    del message.verified_executor_output.claims[:]


def _foreign_evidence(message: verifier_pb2.VerifyRequest) -> None:
    message.verified_evidence[0].claim_id = "c9"


def _wrong_ceiling(message: verifier_pb2.VerifyRequest) -> None:
    message.verdict_ceiling = evidence_pb2.VERDICT_REJECT


@pytest.mark.parametrize("spoil", [_blank_question, _no_claim, _foreign_evidence, _wrong_ceiling])
async def test_what_cannot_be_judged_is_an_invalid_argument(
    address: str, spoil: Callable[[verifier_pb2.VerifyRequest], None]
) -> None:
    message = asked()
    spoil(message)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await verify(address, message)
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT


async def test_a_call_over_the_limit_is_refused_at_once() -> None:
    entered, leave = asyncio.Event(), asyncio.Event()

    class Waiting:
        """Judges when it is let."""

        async def judge(
            self,
            request: verifier_pb2.VerifyRequest,  # noqa: ARG002 - the port's
            remaining: Callable[[], float],  # noqa: ARG002 - the port's
        ) -> Reasoned[evidence_pb2.Verification]:
            entered.set()
            await leave.wait()
            return by_script(evidence_pb2.Verification())

    servicer = VerifierServicer(Waiting())
    service = Service(
        names=(NAME,),
        register=lambda server: verifier_pb2_grpc.add_VerifierServiceServicer_to_server(servicer, server),
    )
    async with serving(VerifierSettings(max_concurrent_rpcs=1), service) as bound:
        running = asyncio.create_task(verify(bound, asked()))
        await asyncio.wait_for(entered.wait(), SECONDS)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await verify(bound, asked())
        assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        leave.set()
        assert (await running).status == verifier_pb2.VERIFIER_STATUS_INVALID_OUTPUT


async def test_health_names_the_service(address: str) -> None:
    async with open_channel(address, MAX_BYTES) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        reply = await stub.Check(health_pb2.HealthCheckRequest(service=NAME), timeout=SECONDS)
    assert reply.status == health_pb2.HealthCheckResponse.SERVING
