"""What a call knows of itself: its run and its time."""

import re
import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, Final

import grpc.aio

from services.common.errors import InvalidArgumentError

RUN_ID_KEY = "assay-run-id"

# A deadline travels in three digits, rounded up: what arrives may be one per cent more than the caller waits.
_SURELY: Final = 0.99

_RUN_ID_FORM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_run_id: ContextVar[str] = ContextVar("assay_run_id", default="")


def run_id() -> str:
    """Return the run that the current task works for; empty outside a run."""
    return _run_id.get()


def bind_run_id(value: str) -> None:
    """Say which run the current task works for; tasks that it starts inherit it."""
    _run_id.set(value)


def check_run_id(value: str) -> str:
    """Return a run id as it may travel: 1 to 128 ASCII letters, digits, '.', '_', '-'."""
    if not _RUN_ID_FORM.fullmatch(value):
        raise InvalidArgumentError(
            f"{RUN_ID_KEY} is not 1 to 128 ASCII letters, digits, '.', '_' or '-'", field=RUN_ID_KEY
        )
    return value


def run_id_of(metadata: Sequence[tuple[str, str | bytes]]) -> str:
    """Return the run id in a call's metadata, empty when it has none; refuses a malformed or a second one."""
    values = [value for key, value in metadata if key == RUN_ID_KEY]
    if not values:
        return ""
    if len(values) > 1:
        raise InvalidArgumentError(f"{RUN_ID_KEY} is given {len(values)} times", field=RUN_ID_KEY)
    # A key without the suffix "-bin" carries text; anything else is not a run id.
    return check_run_id(values[0] if isinstance(values[0], str) else "")


def remaining_seconds(context: grpc.aio.ServicerContext[Any, Any]) -> float:
    """Return the time that the caller surely waits, in seconds, at least 0; refuses a call without one.

    For the beginning of a call: what it is short of the deadline shrinks with the time that is left.
    """
    remaining = context.time_remaining()
    if remaining is None:
        raise InvalidArgumentError("the call has no deadline; set one (timeout=... in Python)")
    return max(0.0, remaining * _SURELY)


def time_left(context: grpc.aio.ServicerContext[Any, Any]) -> Callable[[], float]:
    """Return what tells, from the beginning of a call to its end, how long the caller surely waits still."""
    ends = time.monotonic() + remaining_seconds(context)
    return lambda: max(0.0, ends - time.monotonic())
