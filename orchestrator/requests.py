"""What a caller may ask: checked and turned into what the orchestrator works with. Pure."""

import hashlib

from assay.common.v1.context_pb2 import DiagnosisContext, Intent, Scope
from assay.orchestrator.v1.diagnosis_pb2 import (
    DiagnoseRequest,
    ListToolsRequest,
    PruneRunsRequest,
    RecordEvaluationRequest,
    SubmitDiagnosisRequest,
    WatchRunRequest,
)

from orchestrator.intent import intent_of
from orchestrator.store.port import CHANNEL_FORM, OWN_CHANNEL, Retention, Submission
from services.common.bounds import MAX_BUNDLE_CHARS, MAX_ID_CHARS, MAX_QUESTION_CHARS
from services.common.errors import InvalidArgumentError
from services.common.evidence import strict_json
from services.common.redaction.redactor import Redactor
from services.common.validation import (
    legal_instant,
    legal_window,
    required_text,
    specified,
)

MAX_KEY_CHARS = 256
MAX_EVALUATION_BYTES = 64 * 1024


def context_of(request: DiagnoseRequest, redactor: Redactor) -> DiagnosisContext:
    """Return the context that a request asks for, its question without the secrets in it.

    Raises InvalidArgumentError with the field to blame.
    """
    required_text(request.question, "question", MAX_QUESTION_CHARS)
    question = redactor.text(request.question).text
    # What stands for a secret may be longer than the secret.
    required_text(question, "question", MAX_QUESTION_CHARS)
    required_text(request.scope.bundle, "scope.bundle", MAX_BUNDLE_CHARS)
    context = DiagnosisContext(question=question, intent=request.intent, scope=request.scope)
    if request.intent:
        specified(request.intent, Intent.DESCRIPTOR, "intent")
    else:
        context.intent = intent_of(question)
    if request.HasField("window"):
        legal_window(request.window, "window")
        context.window.CopyFrom(request.window)
    return context


def required_id(value: str, field: str) -> str:
    """Return an id that is not blank."""
    return required_text(value, field, MAX_ID_CHARS)


def submission_of(request: SubmitDiagnosisRequest) -> Submission:
    """Return what tells one submission from another."""
    required_text(request.idempotency_key, "idempotency_key", MAX_KEY_CHARS)
    body = request.diagnosis.SerializeToString(deterministic=True)
    return Submission(request.idempotency_key, hashlib.sha256(body).digest())


def sequence_of(request: WatchRunRequest) -> int:
    """Return the sequence after which a run is followed."""
    if request.after_sequence < 0:
        raise InvalidArgumentError("after_sequence is negative", field="after_sequence")
    return request.after_sequence


def retention_of(request: PruneRunsRequest) -> Retention:
    """Return which ended runs go; forgetting them all must be said, never left out."""
    if request.HasField("keep") == request.HasField("created_before"):
        raise InvalidArgumentError(
            "exactly one of keep and created_before is needed; keep = 0 forgets every ended run", field="keep"
        )
    if request.HasField("created_before"):
        legal_instant(request.created_before, "created_before")
        return Retention(created_before=request.created_before)
    if request.keep < 0:
        raise InvalidArgumentError("keep is negative", field="keep")
    return Retention(request.keep)


def listed_scope(request: ListToolsRequest) -> Scope | None:
    """Return the scope whose sources are to be listed, None for the tools alone."""
    if not request.HasField("scope"):
        return None
    required_text(request.scope.bundle, "scope.bundle", MAX_BUNDLE_CHARS)
    return request.scope


def evaluation_of(request: RecordEvaluationRequest, redactor: Redactor) -> tuple[str, str]:
    """Return the channel to write and its value as JSON text, without the secrets in it."""
    if not CHANNEL_FORM.fullmatch(request.channel):
        raise InvalidArgumentError(
            "channel is not 1 to 64 lower-case letters and '_' that begin with a letter", field="channel"
        )
    if request.channel == OWN_CHANNEL:
        raise InvalidArgumentError(f"{OWN_CHANNEL} is written by the orchestrator alone", field="channel")
    try:
        value = strict_json.loads(request.value_json, max_bytes=MAX_EVALUATION_BYTES)
    except strict_json.StrictJsonError as error:
        raise InvalidArgumentError(f"value_json is wrong: {error}", field="value_json") from None
    return request.channel, strict_json.dumps(redactor.document(value).document).decode("utf-8")
