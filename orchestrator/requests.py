"""What a caller may ask: checked and turned into the context of a run."""

from assay.common.v1.context_pb2 import DiagnosisContext, Intent, TimeWindow
from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseRequest
from google.protobuf.timestamp_pb2 import Timestamp

from orchestrator.intent import intent_of
from services.common.errors import InvalidArgumentError
from services.common.validation import MAX_QUESTION_CHARS, required_text, specified

MAX_BUNDLE_CHARS = 1024
MAX_ID_CHARS = 256
# What a Timestamp may hold: 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
MIN_SECONDS = -62_135_596_800
MAX_SECONDS = 253_402_300_799


def context_of(request: DiagnoseRequest) -> DiagnosisContext:
    """Return the context that a request asks for; raises InvalidArgumentError with the field to blame."""
    required_text(request.question, "question", MAX_QUESTION_CHARS)
    required_text(request.scope.bundle, "scope.bundle", MAX_BUNDLE_CHARS)
    context = DiagnosisContext(question=request.question, intent=request.intent, scope=request.scope)
    if request.intent:
        specified(request.intent, Intent.DESCRIPTOR, "intent")
    else:
        context.intent = intent_of(request.question)
    if request.HasField("window"):
        _require_window(request.window)
        context.window.CopyFrom(request.window)
    return context


def required_id(value: str, field: str) -> str:
    """Return an id that is not blank."""
    return required_text(value, field, MAX_ID_CHARS)


def _require_window(window: TimeWindow) -> None:
    for side in ("start", "end"):
        if window.HasField(side) and not _is_instant(getattr(window, side)):
            raise InvalidArgumentError(
                f"window.{side} lies outside the years 1 to 9999", field=f"window.{side}"
            )
    bounded = window.HasField("start") and window.HasField("end")
    if bounded and window.end.ToNanoseconds() <= window.start.ToNanoseconds():
        raise InvalidArgumentError("the window ends before it starts", field="window.end")


def _is_instant(time: Timestamp) -> bool:
    return MIN_SECONDS <= time.seconds <= MAX_SECONDS and 0 <= time.nanos < 1_000_000_000
