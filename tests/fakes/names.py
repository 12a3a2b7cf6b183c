"""A name server on this machine: one name, whose addresses a test changes while it runs."""

import asyncio
import ipaddress
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

NAME: Final = "pods.assay.test"
_A: Final = 1
_HEADER_BYTES: Final = 12
# An answer; recursion was wanted and is available; nothing is wrong.
_ANSWER: Final = 0x8180
# The name stands at the beginning of the question.
_SAME_NAME: Final = 0xC00C


@dataclass
class NameServer(asyncio.DatagramProtocol):
    """Answers every question with the addresses that it has now; they may be kept for no time at all."""

    addresses: list[str] = field(default_factory=list)
    port: int = 0
    _transport: Any = None

    def target(self, port: int) -> str:
        """Return what a channel is opened to."""
        return f"dns://127.0.0.1:{self.port}/{NAME}:{port}"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str | int, int]) -> None:
        self._transport.sendto(answer(data, self.addresses), addr)


def answer(query: bytes, addresses: list[str]) -> bytes:
    """Return the answer to a query of one question; of IPv6 there is nothing."""
    end = query.index(b"\0", _HEADER_BYTES) + 5
    question = query[_HEADER_BYTES:end]
    (kind,) = struct.unpack(">H", question[-4:-2])
    found = addresses if kind == _A else []
    records = b"".join(
        struct.pack(">HHHIH", _SAME_NAME, _A, 1, 0, 4) + ipaddress.IPv4Address(address).packed
        for address in found
    )
    return query[:2] + struct.pack(">HHHHH", _ANSWER, 1, len(found), 0, 0) + question + records


@asynccontextmanager
async def name_server() -> AsyncIterator[NameServer]:
    """Serve inside the block."""
    transport, server = await asyncio.get_running_loop().create_datagram_endpoint(
        NameServer, local_addr=("127.0.0.1", 0)
    )
    server.port = transport.get_extra_info("sockname")[1]
    try:
        yield server
    finally:
        transport.close()
