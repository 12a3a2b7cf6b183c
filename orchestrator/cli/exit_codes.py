"""The exit codes of `assay`, and which end of a run or of a call has which."""

from enum import IntEnum

import grpc
from assay.common.v1 import context_pb2, evidence_pb2
from assay.orchestrator.v1 import run_pb2


class ExitCode(IntEnum):
    """What a script may rely on."""

    ANSWERED = 0  # SUCCEEDED with PASS and, for a cause question, at least one suspect.
    ERROR = 1  # Something of Assay failed.
    USAGE = 2  # Wrong usage, input or settings.
    UNPROVEN = 3  # Every other ended answer.
    CANCELLED = 4  # Cancelled or out of time.


_CALLERS_FAULT = frozenset(
    {
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.ALREADY_EXISTS,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.OUT_OF_RANGE,
    }
)
_OUT_OF_TIME = frozenset({grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED})


def of_run(run: run_pb2.Run) -> ExitCode:
    """Return the exit code of a run as it stands."""
    match run.status:
        case run_pb2.RUN_STATUS_SUCCEEDED:
            return ExitCode.ANSWERED if _is_answered(run) else ExitCode.UNPROVEN
        case run_pb2.RUN_STATUS_DEGRADED:
            return ExitCode.UNPROVEN
        case run_pb2.RUN_STATUS_CANCELLED:
            return ExitCode.CANCELLED
        case _:
            return ExitCode.ERROR


def of_status(code: grpc.StatusCode) -> ExitCode:
    """Return the exit code of a call that failed."""
    if code in _CALLERS_FAULT:
        return ExitCode.USAGE
    return ExitCode.CANCELLED if code in _OUT_OF_TIME else ExitCode.ERROR


def _is_answered(run: run_pb2.Run) -> bool:
    if run.effective_verdict != evidence_pb2.VERDICT_PASS:
        return False
    return run.context.intent == context_pb2.INTENT_LOOKUP or len(run.suspects) > 0
