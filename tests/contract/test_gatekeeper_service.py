"""The gatekeeper over its real server, as its process puts it together."""

from collections.abc import AsyncIterator

import grpc
import grpc.aio
import pytest
from assay.common.v1 import evidence_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc

from services.common.rpc.channels import call_metadata, open_channel
from services.common.rpc.health import is_serving
from services.common.rpc.service import serving
from services.gatekeeper.__main__ import NAME, build
from services.gatekeeper.settings import GatekeeperSettings
from tests.fakes.documents import a_binding, a_claim, a_document
from tests.fakes.gate import a_record, a_request


@pytest.fixture
async def channel() -> AsyncIterator[grpc.aio.Channel]:
    settings = GatekeeperSettings()
    async with (
        serving(settings, await build(settings)) as address,
        open_channel(address, settings.max_message_bytes) as opened,
    ):
        yield opened


async def check(
    channel: grpc.aio.Channel, request: gatekeeper_pb2.CheckRequest
) -> gatekeeper_pb2.CheckResponse:
    stub = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
    return await stub.Check(request, timeout=60, metadata=call_metadata("run-1"))


async def test_a_proven_document_passes(channel: grpc.aio.Channel) -> None:
    response = await check(channel, a_request(a_document(a_claim())))
    assert response.status == gatekeeper_pb2.GATEKEEPER_STATUS_PASS
    assert response.result.severity == evidence_pb2.SEVERITY_NONE
    assert response.verified_binding_count == 1


async def test_an_invented_quotation_is_rejected(channel: grpc.aio.Channel) -> None:
    claim = a_claim(evidence_bindings=[a_binding(matched_text="disk full")])
    response = await check(channel, a_request(a_document(claim)))
    assert response.status == gatekeeper_pb2.GATEKEEPER_STATUS_REJECT
    assert list(response.result.failed_rules) == ["evidence.matched_text"]


async def test_a_document_that_is_no_json_is_an_answer(channel: grpc.aio.Channel) -> None:
    response = await check(channel, a_request(b"{"))
    assert response.status == gatekeeper_pb2.GATEKEEPER_STATUS_REJECT


async def test_an_empty_message_is_rejected_and_not_passed(channel: grpc.aio.Channel) -> None:
    response = await check(channel, gatekeeper_pb2.CheckRequest())
    assert response.status == gatekeeper_pb2.GATEKEEPER_STATUS_REJECT


async def test_a_request_that_describes_no_run_is_an_invalid_argument(channel: grpc.aio.Channel) -> None:
    with pytest.raises(grpc.aio.AioRpcError, match="one id") as caught:
        await check(channel, a_request(a_document(), a_record(), a_record()))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_document_and_outputs_of_allowed_size_fit_into_a_message(channel: grpc.aio.Channel) -> None:
    outputs = {f"inv-{number}": b'"' + b"x" * (8 << 20) + b'"' for number in (1, 2, 3)}
    records = [a_record(invocation_id) for invocation_id in outputs]
    claim = a_claim(evidence_bindings=[a_binding(raw_path="", matched_text="xxxx")])
    response = await check(channel, a_request(a_document(claim), *records, outputs=outputs))
    assert response.status == gatekeeper_pb2.GATEKEEPER_STATUS_PASS


async def test_the_service_is_ready(channel: grpc.aio.Channel) -> None:
    assert await is_serving(channel, name=NAME, timeout_seconds=60)
