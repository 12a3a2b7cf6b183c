"""An investigation without processes: the real tools on a bundle, and the analyst as the executor asks it."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assay.common.v1 import context_pb2, tool_pb2
from assay.planner.v1 import planner_pb2

from services.common.evidence import strict_json
from services.common.evidence.document import Claim, ExecutorEvidence
from services.executor.analyst.analyst import Analyst
from services.executor.catalog import catalog_of
from services.executor.recorded import RecordedCall, ToolRequest, parts_by_pointer
from services.executor.sources import kinds
from services.executor.sources.bundle import Bundle, Limits
from services.executor.sources.folder import Folder, SourceError
from services.executor.sources.stop import Stop
from services.executor.tools.outsiders import outsider_spans
from services.executor.tools.registry import tools
from services.planner.offline.reasoner import plan

MAX_ROUNDS = 4
MAX_CALLS = 64
_MAX_BYTES = 8 << 20
# Nothing is out of time.
_STOP = Stop(lambda: 0.0, 1.0)
_TOOL_OF_KIND = {
    kinds.LOG: "logs_templates",
    kinds.ALERT: "alerts_list",
    kinds.CHANGE_EVENT: "change_events_list",
    kinds.TOPOLOGY: "topology_get",
}


@dataclass(frozen=True)
class Investigation:
    """What was recorded and what was concluded."""

    calls: list[RecordedCall]
    evidence: ExecutorEvidence

    def of_type(self, claim_type: str) -> list[Claim]:
        """Return the claims of a type."""
        return [claim for claim in self.evidence.claims if claim.claim_type == claim_type]

    @property
    def suspects(self) -> list[tuple[str, str, str]]:
        """Return component, fault and status of each cause."""
        return [(claim.component, claim.fault, claim.status) for claim in self.of_type("cause")]


def investigate(
    folder: Path,
    question: str,
    without: frozenset[str] = frozenset(),
    window: tuple[datetime, datetime] | None = None,
) -> Investigation:
    """Run a plan over every source but those left out, then the analyst's rounds, then its conclusion."""
    bundle = Bundle(Folder(folder.parent, folder.name), Limits(_MAX_BYTES, _MAX_BYTES), _STOP)
    context = _context(question, context_pb2.INTENT_CAUSE, window)
    return _concluded(bundle, context, _plan(bundle, without, context))


def look_up(folder: Path, question: str, window: tuple[datetime, datetime] | None = None) -> Investigation:
    """Answer a question for a fact: the offline plan, then the analyst's rounds, then its conclusion."""
    bundle = Bundle(Folder(folder.parent, folder.name), Limits(_MAX_BYTES, _MAX_BYTES), _STOP)
    context = _context(question, context_pb2.INTENT_LOOKUP, window)
    catalog = catalog_of(tools(_MAX_BYTES, 60.0), bundle.sources)
    asked = planner_pb2.PlanRequest(context=context, catalog=catalog, mode=planner_pb2.PLAN_MODE_FULL)
    requests = [_request(step) for step in plan(asked)]
    return _concluded(bundle, context, requests)


def _request(step: tool_pb2.PlanStep) -> ToolRequest:
    arguments = strict_json.loads(step.arguments_json)
    assert isinstance(arguments, dict)
    return ToolRequest(step.tool_name, arguments)


def _context(
    question: str, intent: context_pb2.Intent.ValueType, window: tuple[datetime, datetime] | None
) -> context_pb2.DiagnosisContext:
    context = context_pb2.DiagnosisContext(question=question, intent=intent)
    if window is not None:
        context.window.start.FromDatetime(window[0])
        context.window.end.FromDatetime(window[1])
    return context


def _concluded(
    bundle: Bundle, context: context_pb2.DiagnosisContext, requests: list[ToolRequest]
) -> Investigation:
    """Make calls, and those that the analyst wants then, until it wants none; conclude."""
    analyst = Analyst()
    calls: list[RecordedCall] = []
    for _ in range(MAX_ROUNDS + 1):
        calls += [
            recorded_call(bundle, request, f"call-{len(calls) + number}")
            for number, request in enumerate(requests)
        ]
        requests = analyst.follow_up(context, calls)
        if not requests:
            break
    assert not requests, "the analyst never stops asking"
    assert len(calls) <= MAX_CALLS
    return Investigation(calls, analyst.conclude(context, calls, []))


def _plan(
    bundle: Bundle, without: frozenset[str], context: context_pb2.DiagnosisContext
) -> list[ToolRequest]:
    bounds = {
        side: getattr(context.window, side).ToJsonString()
        for side in ("start", "end")
        if context.window.HasField(side)
    }
    read = [
        ToolRequest(
            _TOOL_OF_KIND[source.kind],
            {"source": source.name} | (bounds if source.kind == kinds.LOG else {}),
        )
        for source in bundle.sources
        if source.available and source.kind in _TOOL_OF_KIND and source.name not in without
    ]
    if any(source.kind == kinds.KUBERNETES for source in bundle.sources):
        read.append(ToolRequest("kubernetes_findings", {}))
    return [*read, ToolRequest("metrics_change_points", bounds), ToolRequest("metrics_saturation", bounds)]


def recorded_call(bundle: Bundle, request: ToolRequest, invocation_id: str) -> RecordedCall:
    """Run one tool, whose source may fail."""
    tool = tools(_MAX_BYTES, 60.0)[request.tool_name]
    arguments = dict(request.arguments)
    try:
        output = tool.run(bundle, tool.arguments.model_validate_json(strict_json.dumps(arguments)), _STOP)
    except SourceError as error:
        status = tool_pb2.INVOCATION_STATUS_ERROR
        return RecordedCall(invocation_id, request.tool_name, arguments, status, {"error": str(error)})
    document = strict_json.loads(strict_json.dumps(output.document), max_bytes=_MAX_BYTES)
    return RecordedCall(
        invocation_id,
        request.tool_name,
        arguments,
        tool_pb2.INVOCATION_STATUS_OK,
        document,
        parts_by_pointer(outsider_spans(document)),
    )
