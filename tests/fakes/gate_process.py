"""A process on the real runtime whose calls a test holds and releases: `python -m tests.fakes.gate_process`.

The document of a Check request says what it does: `wait PORT` connects to the test's own listener and ends
when that hangs up; `crash TEXT` raises an error with the text; anything else succeeds.
"""

import asyncio

from assay.gatekeeper.v1 import gatekeeper_pb2

from services.common.rpc.service import Service, run
from tests.fakes import scripted


async def check(
    request: gatekeeper_pb2.CheckRequest, context: scripted.Context
) -> gatekeeper_pb2.CheckResponse:
    verb, _, rest = request.document.decode().partition(" ")
    if verb == "crash":
        raise RuntimeError(rest)
    if verb == "wait":
        reader, writer = await asyncio.open_connection("127.0.0.1", int(rest))
        await reader.read()
        writer.close()
    return await scripted.ok(request, context)


async def build(_: scripted.ScriptedSettings) -> Service:
    return scripted.service(check)


if __name__ == "__main__":
    raise SystemExit(run(scripted.ScriptedSettings, build))
