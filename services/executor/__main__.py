"""The executor process: the one place where its parts are put together."""

import time
import uuid
from datetime import UTC, datetime

from assay.executor.v1 import executor_pb2, executor_pb2_grpc

from services.common.rpc.service import Service, run
from services.executor.analyst.analyst import Analyst
from services.executor.execution import Bundles, Execution
from services.executor.reasoner import OfflineReasoner, Reasoner
from services.executor.runtime import Clocks, Runtime
from services.executor.servicer import ExecutorServicer
from services.executor.settings import ExecutorSettings
from services.executor.sources.bundle import Limits
from services.executor.tools.registry import tools
from services.executor.workers import Workers

NAME = executor_pb2.DESCRIPTOR.services_by_name["ExecutorService"].full_name


def reasoner(settings: ExecutorSettings, workers: Workers) -> Reasoner:
    """Return the reasoner that the settings name."""
    match settings.reasoner:
        case "offline":
            return OfflineReasoner(Analyst(), workers)


async def build(settings: ExecutorSettings) -> Service:
    """Put the executor together."""
    clocks = Clocks(now=lambda: datetime.now(UTC), monotonic=time.monotonic)
    workers = Workers(settings.workers, clocks.monotonic)
    limits = Limits(settings.max_structured_bytes, settings.max_log_bytes)
    offered = tools(settings.max_output_bytes, settings.tool_deadline_seconds)
    bundles = Bundles(settings.bundle_root, limits, workers, settings.inventory_deadline_seconds)
    runtime = Runtime(offered, workers, clocks, _new_id)
    execution = Execution(bundles, runtime, reasoner(settings, workers), settings.analysis_deadline_seconds)
    servicer = ExecutorServicer(offered, bundles, execution)
    return Service(
        names=(NAME,),
        register=lambda server: executor_pb2_grpc.add_ExecutorServiceServicer_to_server(servicer, server),
        close=(workers.close,),
    )


def _new_id() -> str:
    return f"inv-{uuid.uuid4().hex[:12]}"


if __name__ == "__main__":
    raise SystemExit(run(ExecutorSettings, build))
