"""A process of an older version in the way of two of today: it hands on only what the old contracts know.

`older_contracts.binpb` holds the contracts as they were at an earlier commit, made in a copy of it by
`buf build --as-file-descriptor-set --exclude-source-info -o older_contracts.binpb`.
"""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc
import grpc.aio
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor

from services.common.rpc.channels import open_channel

_FILE: Final = Path(__file__).with_name("older_contracts.binpb")
_MAX_BYTES: Final = 1 << 26
_SIZES: Final = [
    ("grpc.max_receive_message_length", _MAX_BYTES),
    ("grpc.max_send_message_length", _MAX_BYTES),
]
# What is no contract of this project is handed on as it is.
_STANDARD: Final = "/grpc."


class Contracts:
    """The old contracts."""

    def __init__(self) -> None:
        self._pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(_FILE.read_bytes()).file:
            self._pool.Add(file)

    def has(self, path: str) -> bool:
        """Tell whether a method was there."""
        try:
            self._method(path)
        except KeyError:
            return False
        return True

    def request(self, path: str, data: bytes) -> bytes:
        """Return a request as an old process sends or understands it."""
        return _known(self._method(path).input_type, data)

    def response(self, path: str, data: bytes) -> bytes:
        """Return a response as an old process sends or understands it."""
        return _known(self._method(path).output_type, data)

    def _method(self, path: str) -> Any:  # noqa: ANN401 - descriptors of two languages have no common type
        _, service, method = path.split("/")
        return self._pool.FindServiceByName(service).methods_by_name[method]


def _known(kind: Descriptor, data: bytes) -> bytes:
    message = message_factory.GetMessageClass(kind).FromString(data)
    message.DiscardUnknownFields()
    return message.SerializeToString()


@dataclass
class Older:
    """Stands before an agent and takes from requests, responses or both what the old contracts lack."""

    requests: bool
    responses: bool
    contracts: Contracts = field(default_factory=Contracts)
    # Bytes that were taken away, by the method and the direction.
    taken: Counter[tuple[str, str]] = field(default_factory=Counter)

    @asynccontextmanager
    async def before(self, address: str) -> AsyncIterator[str]:
        """Stand before the agent at an address; yields the address to call instead."""
        server = grpc.aio.server(options=_SIZES)
        async with open_channel(address, _MAX_BYTES) as channel:
            server.add_generic_rpc_handlers((_HandedOn(self, channel),))
            port = server.add_insecure_port("127.0.0.1:0")
            await server.start()
            try:
                yield f"127.0.0.1:{port}"
            finally:
                await server.stop(None)

    def asked(self, path: str, data: bytes) -> bytes:
        """Return a request as it goes on."""
        return self._taken(path, "request", data, self.contracts.request) if self.requests else data

    def answered(self, path: str, data: bytes) -> bytes:
        """Return a response as it goes back."""
        return self._taken(path, "response", data, self.contracts.response) if self.responses else data

    def _taken(self, path: str, which: str, data: bytes, known: Callable[[str, bytes], bytes]) -> bytes:
        if path.startswith(_STANDARD):
            return data
        kept = known(path, data)
        self.taken[path, which] += len(data) - len(kept)
        return kept


class _HandedOn(grpc.GenericRpcHandler):
    """Takes every method that the old contracts have."""

    def __init__(self, older: Older, channel: Any) -> None:  # noqa: ANN401 - without serializers it takes bytes
        self._older = older
        self._channel = channel

    def service(self, handler_call_details: Any) -> Any:  # noqa: ANN401 - gRPC's own, untyped here
        """Return what handles a call; None, which is UNIMPLEMENTED, for a method that is newer."""
        path: str = handler_call_details.method
        older, channel = self._older, self._channel
        if not path.startswith(_STANDARD) and not older.contracts.has(path):
            return None

        async def unary(data: bytes, context: Any) -> bytes:  # noqa: ANN401 - gRPC's own
            call = channel.unary_unary(path)(older.asked(path, data), **_options(context))
            try:
                return older.answered(path, await call)
            except grpc.aio.AioRpcError as error:
                await context.abort(error.code(), error.details() or "")
                raise

        async def stream(data: bytes, context: Any) -> AsyncIterator[bytes]:  # noqa: ANN401 - gRPC's own
            try:
                async for message in channel.unary_stream(path)(older.asked(path, data), **_options(context)):
                    yield older.answered(path, message)
            except grpc.aio.AioRpcError as error:
                await context.abort(error.code(), error.details() or "")

        if path.endswith("/Execute"):
            return grpc.unary_stream_rpc_method_handler(stream)
        return grpc.unary_unary_rpc_method_handler(unary)


def _options(context: Any) -> dict[str, Any]:  # noqa: ANN401 - gRPC's own
    mine = [(key, value) for key, value in context.invocation_metadata() if key.startswith("assay-")]
    return {"timeout": context.time_remaining(), "metadata": mine}
