"""The executor process: the one place where its parts are put together."""

import time
import uuid
from datetime import UTC, datetime
from functools import partial

from assay.executor.v1 import executor_pb2, executor_pb2_grpc

from services.common.errors import FailedPreconditionError
from services.common.redaction.redactor import Redactor
from services.common.redaction.settings import plain
from services.common.rpc.service import Service, run
from services.executor.bundle_root import problems_of
from services.executor.desk import Desk
from services.executor.execution import Execution
from services.executor.reasoner import OfflineReasoner, Reasoner
from services.executor.runtime import Clocks, Runtime
from services.executor.servicer import ExecutorServicer
from services.executor.session import Sessions
from services.executor.settings import ExecutorSettings
from services.executor.sources.bundle import Limits
from services.executor.tools.registry import tools
from services.executor.tools.tool import Tool
from services.executor.workers import Workers

NAME = executor_pb2.DESCRIPTOR.services_by_name["ExecutorService"].full_name


def reasoner(settings: ExecutorSettings) -> Reasoner:
    """Return the reasoner that the settings name."""
    match settings.reasoner:
        case "offline":
            return OfflineReasoner()
        case "openai":
            raise FailedPreconditionError("this executor cannot ask a model yet; set its reasoner to offline")


async def build(settings: ExecutorSettings) -> Service:
    """Put the executor together."""
    offered = tools(settings.max_output_bytes, settings.tool_deadline_seconds)
    return compose(settings, offered, Redactor(plain(settings.redact_patterns)))


def compose(settings: ExecutorSettings, offered: dict[str, Tool], redactor: Redactor) -> Service:
    """Put an executor with the given tools together; they and the redactor are pickled for its workers."""
    limits = Limits(settings.max_structured_bytes, settings.max_log_bytes)
    desk = partial(Desk, offered, settings.bundle_root, limits, redactor)
    workers, spare = Workers(settings.workers, desk, Desk.clear), Workers(1, desk, Desk.clear)
    sessions = Sessions(workers, spare, settings.inventory_deadline_seconds)
    clocks = Clocks(now=lambda: datetime.now(UTC), monotonic=time.monotonic)
    runtime = Runtime(offered, clocks, _new_id, redactor)
    execution = Execution(sessions, runtime, reasoner(settings), settings.analysis_deadline_seconds)
    servicer = ExecutorServicer(offered, sessions, execution)
    return Service(
        names=(NAME,),
        register=lambda server: executor_pb2_grpc.add_ExecutorServiceServicer_to_server(servicer, server),
        problems=partial(problems_of, settings.bundle_root),
        close=(workers.close, spare.close),
    )


def _new_id() -> str:
    return f"inv-{uuid.uuid4().hex[:12]}"


if __name__ == "__main__":
    raise SystemExit(run(ExecutorSettings, build))
