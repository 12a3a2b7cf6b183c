"""What an execution works on inside its worker process: the open bundle and the recorded calls."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from assay.common.v1 import context_pb2, evidence_pb2, tool_pb2

from services.common.evidence import document, strict_json
from services.common.redaction.redactor import Redactor
from services.executor.analyst.analyst import Analyst
from services.executor.catalog import catalog_of, readable
from services.executor.outcome import Outcome, failed, timed_out
from services.executor.recorded import RecordedCall, parts_by_pointer
from services.executor.sources.bundle import Bundle, Limits
from services.executor.sources.folder import Folder, SourceError
from services.executor.sources.stop import Stop, StoppedError
from services.executor.tools.outsiders import outsider_spans
from services.executor.tools.tool import Arguments, Tool, ToolError

A = TypeVar("A")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Gathered:
    """All recorded calls of an execution, the tools that have something to read, and the names of that."""

    calls: Sequence[RecordedCall]
    tools: Mapping[str, Tool]
    sources: Sequence[str]


class Desk:
    """Holds one bundle at a time. `new` of an operation are the invocations that it was not told of yet.

    What the redactor finds leaves no call: neither in a document, nor in the reason why there is none.
    """

    def __init__(self, tools: Mapping[str, Tool], root: Path, limits: Limits, redactor: Redactor) -> None:
        self._tools = tools
        self._root = root
        self._limits = limits
        self._redactor = redactor
        self._analyst = Analyst()
        self._opened: Bundle | None = None
        self._calls: list[RecordedCall] = []

    def open(self, name: str, seconds: float) -> None:
        """Open a bundle and forget everything else; raises what Folder and Bundle raise."""
        self.clear()
        self._opened = Bundle(Folder(self._root, name), self._limits, _stop_after(seconds))

    def inventory(self, name: str, seconds: float) -> tool_pb2.ToolCatalog:
        """Open a bundle and return the tools and its sources."""
        self.open(name, seconds)
        return catalog_of(self._tools, self._bundle.sources)

    def clear(self) -> None:
        """Hold nothing."""
        self._opened = None
        self._calls = []

    def call(self, tool_name: str, arguments: Arguments, seconds: float) -> Outcome:
        """Run a tool; its failure is an outcome, not an error."""
        tool = self._tools[tool_name]
        try:
            made = tool.run(self._bundle, arguments, _stop_after(seconds))
        except StoppedError:
            return timed_out(seconds)
        except (ToolError, SourceError) as error:
            return self._failed(str(error))
        except OSError as error:
            return failed(f"the source cannot be read: {error.strerror}")
        # What is too large is not worth redacting, and what stands for a secret may be longer than it was.
        output, redactions, spans = strict_json.dumps(made.document), 0, []
        if len(output) <= tool.max_bytes:
            redacted = self._redactor.document(made.document)
            output, redactions = strict_json.dumps(redacted.document), redacted.count
            spans = outsider_spans(redacted.document)
        if len(output) > tool.max_bytes:
            return failed(
                f"the answer is too large ({len(output)} of {tool.max_bytes} bytes), narrow it: "
                "a shorter window, one source, or a smaller limit"
            )
        return Outcome(tool_pb2.INVOCATION_STATUS_OK, output, made.truncated, redactions, spans)

    def follow_up(
        self, new: Sequence[tool_pb2.Invocation], context: context_pb2.DiagnosisContext
    ) -> list[tool_pb2.PlanStep]:
        """Return the calls that the analyst wants, whether or not they were made before."""
        self._learn(new)
        return [
            tool_pb2.PlanStep(
                tool_name=request.tool_name, arguments_json=strict_json.dumps(dict(request.arguments))
            )
            for request in self._analyst.follow_up(context, self._calls)
        ]

    def conclude(
        self,
        new: Sequence[tool_pb2.Invocation],
        context: context_pb2.DiagnosisContext,
        gaps: Sequence[evidence_pb2.ClaimGap],
    ) -> bytes:
        """Return the analyst's document about all calls."""
        self._learn(new)
        return document.serialize(self._analyst.conclude(context, self._calls, gaps))

    def work(
        self, new: Sequence[tool_pb2.Invocation], function: Callable[[Gathered, A], T], argument: A
    ) -> T:
        """Return what a function, which is named and not sent, makes of all calls."""
        self._learn(new)
        sources = self._bundle.sources
        names = [source.name for source in sources if source.available]
        return function(Gathered(self._calls, readable(self._tools, sources), names), argument)

    def _failed(self, reason: str) -> Outcome:
        redacted = self._redactor.text(reason)
        return failed(redacted.text, redacted.count)

    @property
    def _bundle(self) -> Bundle:
        assert self._opened is not None  # noqa: S101 - a session opens before it asks; this tells the type
        return self._opened

    def _learn(self, new: Sequence[tool_pb2.Invocation]) -> None:
        self._calls += [
            RecordedCall(
                invocation.id,
                invocation.tool_name,
                _object(invocation.arguments_json),
                invocation.status,
                strict_json.loads(invocation.output),
                parts_by_pointer(invocation.outsider_spans),
            )
            for invocation in new
        ]


def _object(data: bytes) -> dict[str, strict_json.Json]:
    value = strict_json.loads(data)
    assert isinstance(value, dict)  # noqa: S101 - the runtime recorded them so; this tells the type
    return value


def _stop_after(seconds: float) -> Stop:
    return Stop(time.monotonic, time.monotonic() + seconds)
