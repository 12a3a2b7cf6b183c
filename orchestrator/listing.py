"""Lists of runs: what may be asked for, and the token that names a place in a list. Pure."""

import base64
import binascii
import hashlib
import json
from typing import Final

from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.diagnosis_pb2 import ListRunsRequest
from assay.orchestrator.v1.run_pb2 import RunSummary
from google.protobuf.timestamp_pb2 import Timestamp

from orchestrator.store.port import Cursor, Selection
from services.common.errors import InvalidArgumentError
from services.common.validation import legal_window, specified

DEFAULT_PAGE_SIZE: Final = 50
MAX_PAGE_SIZE: Final = 100
MAX_TOKEN_CHARS: Final = 1024


def page_size_of(request: ListRunsRequest) -> int:
    """Return how many runs a page holds."""
    if request.page_size < 0:
        raise InvalidArgumentError("page_size is negative", field="page_size")
    return min(request.page_size or DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)


def selection_of(request: ListRunsRequest) -> Selection:
    """Return which runs are asked for."""
    for status in request.statuses:
        specified(status, run_pb2.RunStatus.DESCRIPTOR, "statuses")
    legal_window(request.create_time, "create_time")
    return Selection(frozenset(request.statuses), request.create_time)


def cursor_of(request: ListRunsRequest) -> Cursor | None:
    """Return the place that a page token names; None for the first page."""
    if not request.page_token:
        return None
    try:
        if len(request.page_token) > MAX_TOKEN_CHARS:
            raise ValueError("too long")
        seconds, nanos, run_id, filters = json.loads(
            base64.b64decode(request.page_token, b"-_", validate=True)
        )
        if filters != _digest(selection_of(request)):
            raise ValueError("of another list")
        # A Timestamp checks its types, and is checked to be one that can be written.
        time = Timestamp(seconds=seconds, nanos=nanos)
        time.ToJsonString()
        return Cursor(time, run_id.encode().decode())
    except (ValueError, TypeError, AttributeError, RecursionError, binascii.Error):
        raise InvalidArgumentError(
            "page_token was not returned by a call with the same filters", field="page_token"
        ) from None


def token_after(last: RunSummary, selection: Selection) -> str:
    """Return the token of the page that begins after a run."""
    parts = [last.create_time.seconds, last.create_time.nanos, last.run_id, _digest(selection)]
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode()


def _digest(selection: Selection) -> str:
    window = selection.create_time.SerializeToString(deterministic=True)
    return hashlib.sha256(repr((sorted(selection.statuses), window)).encode()).hexdigest()[:16]
