"""Every row of the table, and the stack that they share."""

import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from assay.orchestrator.v1 import diagnosis_pb2, diagnosis_pb2_grpc

from orchestrator.cli.local_stack import local_stack
from services.common.rpc.channels import open_channel
from tests.bad_input import bundles, killed, machine, questions, requests, signals, targets
from tests.bad_input.command import LOG, QUESTION
from tests.bad_input.table import Place, Row, Shared
from tests.fakes.bundles import write
from tests.fakes.command_line import environment

ROWS: Sequence[Row] = (
    *questions.ROWS,
    *bundles.ROWS,
    *machine.ROWS,
    *targets.ROWS,
    *signals.ROWS,
    *requests.ROWS,
    *killed.ROWS,
)


@asynccontextmanager
async def shared_stack(folder: Path) -> AsyncIterator[Shared]:
    """Run six processes on a state folder and a bundle root below a folder, with one run stored."""
    root, home = folder / "bundles", folder / "shared-home"
    root.mkdir()
    home.mkdir()
    write(root / "sound", {"app.log": LOG})
    async with (
        local_stack(home, root, environment(home)) as stack,
        # Larger than what the service takes: a client of ours must not be what refuses.
        open_channel(stack.address, 64 << 20) as channel,
    ):
        request = diagnosis_pb2.DiagnoseRequest(question=QUESTION)
        request.scope.bundle = "sound"
        stub = diagnosis_pb2_grpc.DiagnosisServiceStub(channel)
        messages = [message async for message in stub.Diagnose(request, timeout=60)]
        yield Shared(stack.address, channel, root, home / "assay.sqlite3", messages[-1].run.run_id)


@contextmanager
def place_of(shared: Shared) -> Iterator[Place]:
    """Yield what one row may use."""
    with tempfile.TemporaryDirectory(prefix="assay-row-") as name:
        folder = Path(name)
        yield Place(folder, folder / "home", shared)
