"""Runs one tool call and records it: id, arguments, status, output, hash, times."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from assay.common.v1 import tool_pb2

from services.common.evidence import strict_json
from services.executor import domain
from services.executor.recorded import RecordedCall
from services.executor.sources.bundle import Bundle
from services.executor.sources.folder import SourceError
from services.executor.sources.stop import Stop, StoppedError
from services.executor.tools.tool import Tool, ToolError
from services.executor.workers import Workers

_OK: Final = tool_pb2.INVOCATION_STATUS_OK
_ERROR: Final = tool_pb2.INVOCATION_STATUS_ERROR
_BLOCKED: Final = tool_pb2.INVOCATION_STATUS_BLOCKED
_TIMEOUT: Final = tool_pb2.INVOCATION_STATUS_TIMEOUT
_MAX_NAME_CHARS: Final = 128


@dataclass(frozen=True, slots=True)
class Clocks:
    """`now` is the wall clock in UTC, `monotonic` counts seconds."""

    now: Callable[[], datetime]
    monotonic: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Finished:
    """A call as it travels, and as a reasoner sees it."""

    invocation: tool_pb2.Invocation
    call: RecordedCall


@dataclass(frozen=True, slots=True)
class _Outcome:
    status: "tool_pb2.InvocationStatus.ValueType"
    output: bytes
    truncated: bool = False


class Runtime:
    """Runs tools on a bundle. `new_id` makes invocation ids, unique within a run."""

    def __init__(
        self, tools: dict[str, Tool], workers: Workers, clocks: Clocks, new_id: Callable[[], str]
    ) -> None:
        self._tools = tools
        self._workers = workers
        self._clocks = clocks
        self._new_id = new_id

    async def call(self, bundle: Bundle, tool_name: str, arguments_json: bytes, seconds: float) -> Finished:
        """Run one call, in at most `seconds` and the tool's deadline; its failure is recorded, not raised."""
        start, begun = self._clocks.now(), self._clocks.monotonic()
        admitted = domain.admit(self._tools, tool_name, arguments_json)
        if isinstance(admitted, domain.Refused):
            outcome = _Outcome(_BLOCKED, _error(admitted.reason))
            plain, kind = {}, tool_pb2.DOCUMENT_KIND_RAW
        else:
            outcome = await self._run(bundle, admitted, seconds)
            plain, kind = admitted.plain, admitted.tool.kind
        invocation = tool_pb2.Invocation(
            id=self._new_id(),
            tool_name=tool_name[:_MAX_NAME_CHARS],
            arguments_json=strict_json.dumps(plain),
            status=outcome.status,
            kind=kind,
            output=outcome.output,
            output_sha256=hashlib.sha256(outcome.output).hexdigest(),
            truncated=outcome.truncated,
        )
        invocation.start_time.FromDatetime(start)
        invocation.duration.FromTimedelta(timedelta(seconds=self._clocks.monotonic() - begun))
        call = RecordedCall(
            invocation.id, invocation.tool_name, plain, outcome.status, strict_json.loads(outcome.output)
        )
        return Finished(invocation, call)

    async def _run(self, bundle: Bundle, admitted: domain.Admitted, seconds: float) -> _Outcome:
        limit = min(seconds, admitted.tool.deadline_seconds)
        try:
            return await self._workers.run(partial(_produce, bundle, admitted), limit)
        except StoppedError:
            return _Outcome(_TIMEOUT, _error(f"the tool did not answer within {limit:g} s; narrow the call"))
        except (ToolError, SourceError) as error:
            return _Outcome(_ERROR, _error(str(error)))
        except OSError as error:
            return _Outcome(_ERROR, _error(f"the source cannot be read: {error.strerror}"))


def _produce(bundle: Bundle, admitted: domain.Admitted, stop: Stop) -> _Outcome:
    tool = admitted.tool
    made = tool.run(bundle, admitted.arguments, stop)
    output = strict_json.dumps(made.document)
    if len(output) > tool.max_bytes:
        return _Outcome(
            _ERROR,
            _error(
                f"the answer is too large ({len(output)} of {tool.max_bytes} bytes), narrow it: "
                "a shorter window, one source, or a smaller limit"
            ),
        )
    return _Outcome(_OK, output, made.truncated)


def _error(message: str) -> bytes:
    return strict_json.dumps({"error": message})
