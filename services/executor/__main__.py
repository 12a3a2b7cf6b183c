"""The executor process: the one place where its parts are put together."""

import time
import uuid
from datetime import UTC, datetime
from functools import partial

from assay.executor.v1 import executor_pb2, executor_pb2_grpc

from services.common.llm.parts import served_by_choice
from services.common.llm.port import Model
from services.common.redaction.redactor import Redactor
from services.common.redaction.settings import plain
from services.common.rpc.service import Service, run
from services.common.telemetry.metrics import gauge
from services.executor.bundle_root import problems_of
from services.executor.desk import Desk
from services.executor.execution import Execution
from services.executor.fallback import FallbackReasoner
from services.executor.openai.reasoner import OpenAIReasoner
from services.executor.reasoner import OfflineReasoner, Reasoner
from services.executor.runtime import Clocks, Runtime
from services.executor.servicer import ExecutorServicer
from services.executor.session import Sessions
from services.executor.settings import ExecutorSettings
from services.executor.sources.bundle import Limits
from services.executor.telemetry import WAITING, WORKERS
from services.executor.tools.registry import tools
from services.executor.tools.tool import Tool
from services.executor.workers import Workers

NAME = executor_pb2.DESCRIPTOR.services_by_name["ExecutorService"].full_name


async def build(settings: ExecutorSettings) -> Service:
    """Put the process together."""
    offered = tools(settings.max_output_bytes, settings.tool_deadline_seconds)
    redactor = Redactor(plain(settings.redact_patterns))
    offline: Reasoner = OfflineReasoner()
    return served_by_choice(settings, offline, _asking, partial(compose, settings, offered, redactor))


def _asking(model: Model, context_tokens: int, instead: Reasoner | None) -> Reasoner:
    asking = OpenAIReasoner(model, context_tokens)
    return FallbackReasoner(asking, instead) if instead else asking


def compose(
    settings: ExecutorSettings, offered: dict[str, Tool], redactor: Redactor, reasoner: Reasoner
) -> Service:
    """Put an executor with the given tools together; they and the redactor are pickled for its workers."""
    limits = Limits(settings.max_structured_bytes, settings.max_log_bytes)
    desk = partial(Desk, offered, settings.bundle_root, limits, redactor)
    workers, spare = Workers(settings.workers, desk, Desk.clear), Workers(1, desk, Desk.clear)
    gauge(WORKERS, lambda: settings.workers - workers.idle, state="leased")
    gauge(WORKERS, lambda: workers.idle, state="idle")
    gauge(WAITING, lambda: workers.waiting)
    sessions = Sessions(workers, spare, settings.inventory_deadline_seconds)
    clocks = Clocks(now=lambda: datetime.now(UTC), monotonic=time.monotonic)
    runtime = Runtime(offered, clocks, _new_id, redactor)
    execution = Execution(sessions, runtime, reasoner, settings.analysis_deadline_seconds)
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
