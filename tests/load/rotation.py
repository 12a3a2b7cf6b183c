"""Certificates renewed while calls run: `python -m tests.load.rotation [RENEWALS]` prints what failed.

A server and its clients share an authority. Again and again all files are written anew, one after the other,
every second time by another authority that all were told of in the time before; the calls never stop.
"""

import asyncio
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import grpc
import grpc.aio
import structlog
from assay.executor.v1 import executor_pb2, executor_pb2_grpc
from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc

from dev.authority import Authority, write_private
from services.common.rpc.callers import server_name
from services.common.rpc.channels import ClientTls, open_preferring
from services.common.rpc.service import serving
from services.common.tls_settings import TlsFiles
from tests.fakes import scripted
from tests.fakes.certificates import DOMAIN, Trust, tls_settings

SERVER: Final = "scripted"
CLIENT: Final = "orchestrator"
_CLIENTS: Final = 4
_CALLERS: Final = 4
_SECONDS: Final = 120.0


@dataclass
class Seen:
    """What the server saw of its callers, and what became of their calls."""

    certificates: Counter[bytes] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    renewals: int = 0
    wanted: bytes = b""
    showing: set[str] = field(default_factory=set)
    all_show_it: asyncio.Event = field(default_factory=asyncio.Event)

    def want(self, certificate: bytes) -> None:
        """Wait from now on for every client to show a certificate."""
        self.wanted = certificate
        self.showing.clear()
        self.all_show_it.clear()

    def note(self, context: scripted.Context) -> None:
        """Remember which certificate a call came with."""
        (shown,) = context.auth_context()["x509_pem_cert"]
        self.certificates[bytes(shown)] += 1
        if shown == self.wanted:
            client = dict(context.invocation_metadata() or ())["client"]
            self.showing.add(str(client))
            if len(self.showing) == _CLIENTS:
                self.all_show_it.set()

    @property
    def failed(self) -> int:
        """How many calls did not end well."""
        return self.ended.total() - self.ended["OK"]


@dataclass
class _Load:
    seen: Seen
    files: dict[str, TlsFiles]
    trust: Trust
    believed: list[bytes]
    over: asyncio.Event = field(default_factory=asyncio.Event)
    renewed: asyncio.Event = field(default_factory=asyncio.Event)

    async def check(
        self, request: gatekeeper_pb2.CheckRequest, context: scripted.Context
    ) -> gatekeeper_pb2.CheckResponse:
        self.seen.note(context)
        return await scripted.ok(request, context)

    async def execute(self, context: scripted.Context) -> AsyncIterator[executor_pb2.ExecuteResponse]:
        """Begin before a renewal and end after it."""
        self.seen.note(context)
        yield executor_pb2.ExecuteResponse()
        await self.renewed.wait()
        yield executor_pb2.ExecuteResponse()

    async def call(self, channel: grpc.aio.Channel, client: str) -> None:
        gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
        request = gatekeeper_pb2.CheckRequest(document=b"x" * 10_000)
        while not self.over.is_set():
            call = gate.Check(request, timeout=_SECONDS, metadata=(("client", client),))
            code = await call.code()
            # What a failure says is worth more than its code.
            self.seen.ended[code.name if code is grpc.StatusCode.OK else await call.details()] += 1

    async def follow(self, channel: grpc.aio.Channel, client: str) -> None:
        executor = executor_pb2_grpc.ExecutorServiceStub(channel)
        while not self.over.is_set():
            metadata = (("client", client),)
            call = executor.Execute(executor_pb2.ExecuteRequest(), timeout=_SECONDS, metadata=metadata)
            with suppress(grpc.aio.AioRpcError):
                count = 0
                async for _ in call:
                    count += 1
                self.seen.ended["OK" if count == 2 else f"{count} messages"] += 1
                continue
            self.seen.ended[await call.details()] += 1

    async def renew(self, coming: Authority) -> None:
        """Write every file anew and wait until every client shows its new certificate."""
        self.renewed.clear()
        self.believed = [*self.believed[-2:], coming.certificate]
        issued = {name: self.trust.service(name) for name in self.files}
        self.seen.want(issued[CLIENT].certificate)
        # The server's first: it looks at them at each new connection, so that a client's new one shows both.
        for name, files in self.files.items():
            write_private(files.authorities, b"".join(self.believed))
            write_private(files.certificate, issued[name].certificate)
            # Between the two, they do not fit together.
            await asyncio.to_thread(write_private, files.key, issued[name].key)
        async with asyncio.timeout(_SECONDS):
            await self.seen.all_show_it.wait()
        self.seen.renewals += 1
        self.renewed.set()


async def measure(folder: Path, renewals: int) -> Seen:
    """Renew so often while calls run, and tell what became of these."""
    trust = Trust(folder)
    load = _Load(
        Seen(), {name: trust.files(name) for name in (SERVER, CLIENT)}, trust, [trust.authority.certificate]
    )
    settings = scripted.ScriptedSettings(
        **tls_settings(load.files[SERVER]), max_connection_age_seconds=1, max_calls_per_second=1e6
    )
    tls = ClientTls(load.files[CLIENT], server_name(SERVER, DOMAIN))
    async with AsyncExitStack() as stack:
        service = scripted.service(load.check, load.execute)
        address = await stack.enter_async_context(serving(settings, service))
        channels = [
            await stack.enter_async_context(open_preferring(address, 1 << 20, tls)) for _ in range(_CLIENTS)
        ]
        async with asyncio.TaskGroup() as group:
            for number, channel in enumerate(channels):
                for _ in range(_CALLERS):
                    group.create_task(load.call(channel, str(number)))
                group.create_task(load.follow(channel, str(number)))
            for number in range(renewals):
                # Whoever still shows the one before is believed until all show the next.
                coming = trust.authority if number % 2 else Authority(f"authority {number}")
                await load.renew(coming)
                trust.authority = coming
            load.over.set()
    return load.seen


def told(seen: Seen) -> str:
    """Return the figures, one line each."""
    return (
        f"renewals                 {seen.renewals}\n"
        f"certificates of callers  {len(seen.certificates)}\n"
        f"calls                    {seen.ended.total()}\n"
        f"failed calls             {seen.failed}\n"
        + "".join(f"  {count} x {how}\n" for how, count in seen.ended.items() if how != "OK")
    )


if __name__ == "__main__":
    # Thousands of lines about calls would hide the figures.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with tempfile.TemporaryDirectory() as place:
        result = asyncio.run(measure(Path(place), int(sys.argv[1]) if len(sys.argv) > 1 else 10))
    sys.stdout.write(told(result))
    raise SystemExit(1 if result.failed else 0)
