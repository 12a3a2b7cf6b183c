"""Runs one tool call and records it: id, arguments, status, output, hash, times."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from assay.common.v1 import tool_pb2

from services.common.evidence import strict_json
from services.common.redaction.redactor import Redactor
from services.executor import domain
from services.executor.desk import Desk
from services.executor.outcome import Outcome, blocked, failed, timed_out
from services.executor.session import GRACE_SECONDS, Session
from services.executor.telemetry import REFUSED, tool_observed
from services.executor.tools.tool import Tool
from services.executor.workers import OverrunError, WorkerEndedError

_MAX_NAME_CHARS: Final = 128


@dataclass(frozen=True, slots=True)
class Clocks:
    """`now` is the wall clock in UTC, `monotonic` counts seconds."""

    now: Callable[[], datetime]
    monotonic: Callable[[], float]


class Runtime:
    """Runs tools in a session's worker. `new_id` makes invocation ids, unique within a run.

    A call is made with its arguments as they are, and recorded without the secrets in them.
    """

    def __init__(
        self, tools: dict[str, Tool], clocks: Clocks, new_id: Callable[[], str], redactor: Redactor
    ) -> None:
        self._tools = tools
        self._clocks = clocks
        self._new_id = new_id
        self._redactor = redactor

    async def call(self, session: Session, step: tool_pb2.PlanStep) -> tool_pb2.Invocation:
        """Run one call, in at most the tool's deadline, and add it to the session.

        Its failure is recorded, not raised; but what opening the bundle again raises is.
        """
        admitted = domain.admit(self._tools, step.tool_name, step.arguments_json)
        name = REFUSED if isinstance(admitted, domain.Refused) else admitted.tool.name
        with tool_observed(name) as ended:
            invocation = await self._called(session, step, admitted)
            ended(invocation)
        session.invocations.append(invocation)
        return invocation

    async def _called(
        self, session: Session, step: tool_pb2.PlanStep, admitted: domain.Admitted | domain.Refused
    ) -> tool_pb2.Invocation:
        start, begun = self._clocks.now(), self._clocks.monotonic()
        if isinstance(admitted, domain.Refused):
            outcome = blocked(admitted.reason)
            plain, kind = {}, tool_pb2.DOCUMENT_KIND_RAW
        else:
            outcome = await _run(session, admitted)
            plain, kind = admitted.plain, admitted.tool.kind
        arguments = self._redactor.document(plain)
        invocation = tool_pb2.Invocation(
            id=self._new_id(),
            tool_name=self._redactor.text(step.tool_name[:_MAX_NAME_CHARS]).text,
            arguments_json=strict_json.dumps(arguments.document),
            status=outcome.status,
            kind=kind,
            output=outcome.output,
            output_sha256=hashlib.sha256(outcome.output).hexdigest(),
            truncated=outcome.truncated,
            redactions=arguments.count + outcome.redactions,
            outsider_spans=outcome.outsider_spans,
        )
        invocation.start_time.FromDatetime(start)
        invocation.duration.FromTimedelta(timedelta(seconds=self._clocks.monotonic() - begun))
        return invocation


# What is kept back of the caller's time, so that what the calls recorded is still concluded from.
_SHARE_KEPT: Final = 0.1
_MOST_KEPT_SECONDS: Final = 15.0


async def _run(session: Session, admitted: domain.Admitted) -> Outcome:
    tool, left = admitted.tool, session.remaining()
    seconds = min(left - min(_MOST_KEPT_SECONDS, _SHARE_KEPT * left), tool.deadline_seconds)
    try:
        return await session.run(seconds + GRACE_SECONDS, Desk.call, tool.name, admitted.arguments, seconds)
    except OverrunError:
        return timed_out(seconds)
    except WorkerEndedError as error:
        return failed(
            f"the process of this call ended ({error}), perhaps for want of memory; narrow the call"
        )
