"""Makes every call of the matrix on real servers with certificates, and writes down what came of each."""

from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Final

import grpc
import grpc.aio
from assay.common.v1 import process_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from services.common.processes import SERVICES
from services.common.rpc.callers import server_name
from tests.fakes.certificates import DOMAIN, Trust
from tests.fuzz.servers import METHODS, Servers
from tests.matrix.callers import KINDS, CallerKind, Decision, decision, wanted

_SECONDS: Final = 20.0
# What every process serves beside its own service.
_EVERYWHERE: Final = (
    *process_pb2.DESCRIPTOR.services_by_name["ProcessService"].methods,
    *health_pb2.DESCRIPTOR.services_by_name["Health"].methods,
    *reflection_pb2.DESCRIPTOR.services_by_name["ServerReflection"].methods,
)


@dataclass(frozen=True)
class Row:
    """One method of one process."""

    process: str
    path: str
    streams_out: bool


@dataclass(frozen=True)
class Made:
    """One call: who made it, what had to come of it and what did."""

    row: Row
    kind: CallerKind
    wanted: Decision
    found: Decision

    @property
    def is_wrong(self) -> bool:
        """Whether it must not have ended so."""
        return self.wanted is not self.found


def rows(processes: Sequence[str] = SERVICES) -> Iterator[Row]:
    """Yield every method that each process serves."""
    for process in processes:
        own = [item.descriptor for item in METHODS.values() if item.service == process]
        for method in dict.fromkeys((*own, *_EVERYWHERE)):
            yield Row(
                process,
                f"/{method.containing_service.full_name}/{method.name}",
                method.server_streaming,
            )


async def made(
    running: Servers, trust: Trust, kinds: Sequence[CallerKind] = KINDS, processes: Sequence[str] = SERVICES
) -> list[Made]:
    """Make each call that each kind of caller can make, and tell how it was decided."""
    found = []
    async with AsyncExitStack() as stack:
        for kind in kinds:
            channels = {
                name: await stack.enter_async_context(_channel(kind, trust, name, running.addresses[name]))
                for name in processes
            }
            for row in rows(processes):
                code = await _code(channels[row.process], row, kind)
                found.append(Made(row, kind, wanted(row.path, kind), decision(code)))
    return found


def _channel(kind: CallerKind, trust: Trust, service: str, address: str) -> grpc.aio.Channel:
    shown = kind.shows(trust)
    credentials = grpc.ssl_channel_credentials(
        trust.authority.certificate, shown.key if shown else None, shown.certificate if shown else None
    )
    options = [
        ("grpc.ssl_target_name_override", server_name(service, DOMAIN)),
        ("grpc.use_local_subchannel_pool", 1),
    ]
    return grpc.aio.secure_channel(address, credentials, options=options)


async def _code(channel: Any, row: Row, kind: CallerKind) -> grpc.StatusCode:  # noqa: ANN401 - it takes bytes
    options: dict[str, Any] = {"timeout": _SECONDS, "metadata": kind.metadata}
    try:
        if row.streams_out:
            # A watch of health never ends by itself. What a talk sends goes out with its beginning: where it
            # followed a refusal, the client would tell INTERNAL and lose what the server said.
            await channel.unary_stream(row.path)(b"", **options).read()
        else:
            await channel.unary_unary(row.path)(b"", **options)
    except grpc.aio.AioRpcError as error:
        return error.code()
    return grpc.StatusCode.OK


def as_table(calls: Sequence[Made]) -> str:
    """Return the table of methods and callers, and how many decisions were wrong."""
    kinds = list(dict.fromkeys(call.kind.name for call in calls))
    lines = [f"{letter}  {name}" for letter, name in zip(_LETTERS, kinds, strict=False)]
    signs = ", ".join(f"{item.value} {item.name.lower().replace('_', ' ')}" for item in Decision)
    lines += ["", f"{signs}; ! before a wrong one", ""]
    lines.append(f"{'':76}{''.join(f'{letter:>5}' for letter in _LETTERS[: len(kinds)])}")
    for row in dict.fromkeys(call.row for call in calls):
        cells = [f"{'!' if call.is_wrong else ''}{call.found}" for call in calls if call.row == row]
        lines.append(f"{row.process + ' ' + row.path:76}{''.join(f'{cell:>5}' for cell in cells)}")
    wrong = sum(call.is_wrong for call in calls)
    count = len(dict.fromkeys(call.row for call in calls))
    lines += ["", f"{count} methods x {len(kinds)} callers, {len(calls)} decisions, wrong decisions {wrong}"]
    return "\n".join(lines) + "\n"


_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
