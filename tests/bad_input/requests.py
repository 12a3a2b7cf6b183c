"""Requests as no client of ours sends them, to the real service."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import grpc.aio
from assay.orchestrator.v1 import diagnosis_pb2
from assay.orchestrator.v1.diagnosis_pb2 import (
    CancelRunRequest,
    DiagnoseRequest,
    GetInvocationRequest,
    GetRunRequest,
    ListRunsRequest,
    PruneRunsRequest,
    RecordEvaluationRequest,
    SubmitDiagnosisRequest,
    SubmitDiagnosisResponse,
    WatchRunRequest,
)
from google.protobuf.message import Message

from tests.bad_input.command import LOG, QUESTION
from tests.bad_input.table import Place, Row, Seen
from tests.fakes.bundles import write

_SERVICE: Final = diagnosis_pb2.DESCRIPTOR.services_by_name["DiagnosisService"].full_name
_TIMEOUT_SECONDS: Final = 30.0
# Field 1000 of no message, a text.
_UNKNOWN_FIELD: Final = b"\xc2\x3e\x03abc"
_OVER_32_MIB: Final = b"x" * (33 << 20)

Metadata = Sequence[tuple[str, str]]
Runner = Callable[[Place], Awaitable[Seen]]


async def _called(
    place: Place, method: str, data: bytes, seconds: float | None = _TIMEOUT_SECONDS, metadata: Metadata = ()
) -> tuple[Seen, bytes]:
    """Send bytes to a method; return what its caller sees, and the last message, if there is one."""
    path = method if "/" in method else f"/{_SERVICE}/{method}"
    last: Any = b""
    try:
        call: Any = place.shared.channel.unary_stream(path)
        async for message in call(data, timeout=seconds, metadata=tuple(metadata)):
            last = message
    except grpc.aio.AioRpcError as error:
        details = error.details() or ""
        return Seen(details, error.code().name, f"{details} {error.trailing_metadata()}"), last
    return Seen("", "OK", ""), last


def _sent(method: str, request: Message | bytes, *values: Any) -> Runner:  # noqa: ANN401 - as `_called` takes
    data = request if isinstance(request, bytes) else request.SerializeToString()

    async def runner(place: Place) -> Seen:
        return (await _called(place, method, data, *values))[0]

    return runner


def _asked(question: str = QUESTION, bundle: str = "x") -> DiagnoseRequest:
    request = DiagnoseRequest(question=question)
    request.scope.bundle = bundle
    return request


def _bundle(bundle: str) -> Runner:
    return _sent("Diagnose", _asked(bundle=bundle))


def _question(question: str) -> Runner:
    return _sent("Diagnose", _asked(question))


def _window(start: int, end: int, nanos: int = 0) -> Runner:
    request = _asked()
    request.window.start.seconds, request.window.start.nanos = start, nanos
    request.window.end.seconds = end
    return _sent("Diagnose", request)


def _number(message: type[Message], field: str, number: int) -> bytes:
    """Return a field of a small number, as any other client may write it."""
    return bytes([message.DESCRIPTOR.fields_by_name[field].number << 3, number])


def _sound(place: Place) -> DiagnoseRequest:
    return _asked(bundle=write(place.shared.root / place.folder.name, {"app.log": LOG}).name)


async def _unknown_field(place: Place) -> Seen:
    return (await _called(place, "Diagnose", _sound(place).SerializeToString() + _UNKNOWN_FIELD))[0]


async def _same_key(place: Place) -> Seen:
    """Submit, follow to the end, and submit something else under the same key."""
    request = SubmitDiagnosisRequest(idempotency_key="a key", diagnosis=_sound(place))
    first, answer = await _called(place, "SubmitDiagnosis", request.SerializeToString())
    assert first.ends == "OK", first
    watching = WatchRunRequest(run_id=SubmitDiagnosisResponse.FromString(answer).run_id)
    await _called(place, "WatchRun", watching.SerializeToString())
    request.diagnosis.question = "Another question?"
    return (await _called(place, "SubmitDiagnosis", request.SerializeToString()))[0]


_INVALID: Final = "INVALID_ARGUMENT"
_MISSING: Final = "NOT_FOUND"
_INTENT: Final = _asked().SerializeToString() + _number(DiagnoseRequest, "intent", 99)
_STATUS: Final = _number(ListRunsRequest, "statuses", 99)
_TOKEN: Final = ListRunsRequest(page_token="no!")  # noqa: S106 - no password
_KEY: Final = SubmitDiagnosisRequest(idempotency_key="k" * 257, diagnosis=_asked())
_VALUE: Final = RecordEvaluationRequest(run_id="no-such-run", channel="a", value_json=b"[NaN]")
_CALL: Final = GetInvocationRequest(run_id="no-such-run", invocation_id="x")
_RUN_ID: Final = (("assay-run-id", "no id!"),)
_CANCEL: Final = CancelRunRequest(run_id="no-such-run")
_BACKWARDS: Final = WatchRunRequest(run_id="no-such-run", after_sequence=-1)
_NO_RUN: Final = "there is no run no-such-run"

ROWS = (
    Row("request: no deadline", _sent("Diagnose", _asked(), None), "the call has no deadline", _INVALID),
    Row("request: no bytes at all", _sent("Diagnose", b""), "question is empty", _INVALID),
    Row("request: no message", _sent("Diagnose", b"\xff" * 99), "the request is not a message", _INVALID),
    Row("request: 33 MiB", _sent("Diagnose", _OVER_32_MIB), "", "RESOURCE_EXHAUSTED"),
    Row("request: a method that is none", _sent("Guess", b""), "Method not found", "UNIMPLEMENTED"),
    Row("request: another service", _sent("/x.Y/Z", b""), "Method not found", "UNIMPLEMENTED"),
    Row("request: a field of the future", _unknown_field, "", "OK", "SUCCEEDED"),
    Row("request: a run id that is none", _sent("ListRuns", b"", 30, _RUN_ID), "assay-run-id is", _INVALID),
    Row("request: question blank", _question(" \n"), "question is empty", _INVALID),
    Row("request: question of 100 KB", _question("x" * 100_000), "question has 100000", _INVALID),
    Row("request: intent 99", _sent("Diagnose", _INTENT), "intent is not one of", _INVALID),
    Row("request: window backwards", _window(2, 1), "the window ends before it starts", _INVALID),
    Row("request: window before year 1", _window(-(1 << 40), 1), "outside the years 1 to 9999", _INVALID),
    Row("request: window after year 9999", _window(0, 1 << 40), "outside the years 1 to 9999", _INVALID),
    Row("request: window with nanos below 0", _window(0, 1, -1), "outside the years 1 to 9999", _INVALID),
    Row("request: bundle empty", _bundle(""), "scope.bundle is empty", _INVALID),
    Row("request: bundle ..", _bundle("../x"), "a name is relative", _INVALID),
    Row("request: bundle /etc", _bundle("/etc"), "a name is relative", _INVALID),
    Row("request: bundle %2e%2e", _bundle("%2e%2e/%2e%2e/etc"), "does not exist", _MISSING),
    Row("request: bundle with NUL", _bundle("a\0b"), "a name is relative", _INVALID),
    Row("request: bundle of 4 KB", _bundle("x" * 4096), "scope.bundle has 4096", _INVALID),
    Row("request: bundle with a name too long", _bundle("x" * 300), "cannot be resolved", _INVALID),
    Row("request: bundle with newline, ANSI, bidi", _bundle("a\n\x1b[2J\u202e"), "does not exist", _MISSING),
    Row("request: key of 257 characters", _sent("SubmitDiagnosis", _KEY), "idempotency_key has", _INVALID),
    Row("request: key used before", _same_key, "came with another diagnosis", "ALREADY_EXISTS", "SUCCEEDED"),
    Row(
        "request: status 99",
        _sent("ListRuns", _STATUS),
        "statuses is not one of",
        _INVALID,
    ),
    Row("request: page of -1", _sent("ListRuns", ListRunsRequest(page_size=-1)), "negative", _INVALID),
    Row("request: token that is none", _sent("ListRuns", _TOKEN), "page_token was not", _INVALID),
    Row("request: run unknown", _sent("GetRun", GetRunRequest(run_id="no-such-run")), _NO_RUN, _MISSING),
    Row("request: run of 4 KB", _sent("GetRun", GetRunRequest(run_id="x" * 4096)), "run_id has", _INVALID),
    Row("request: call unknown", _sent("GetInvocation", _CALL), "no-such-run", _MISSING),
    Row(
        "request: cancel unknown",
        _sent("CancelRun", _CANCEL),
        _NO_RUN,
        _MISSING,
    ),
    Row(
        "request: after event -1",
        _sent("WatchRun", _BACKWARDS),
        "negative",
        _INVALID,
    ),
    Row("request: evaluation NaN", _sent("RecordEvaluation", _VALUE), "NaN", _INVALID),
    Row(
        "request: prune, nothing said",
        _sent("PruneRuns", PruneRunsRequest()),
        "exactly one of keep",
        _INVALID,
    ),
    Row("request: prune, keep -1", _sent("PruneRuns", PruneRunsRequest(keep=-1)), "negative", _INVALID),
)
