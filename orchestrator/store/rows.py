"""How runs look in rows: what is kept of a run where, and how time is written. Pure."""

import hashlib
from typing import TypeVar

from assay.common.v1.tool_pb2 import Invocation
from assay.orchestrator.v1.run_pb2 import Run, RunSummary
from google.protobuf.message import DecodeError, Message
from google.protobuf.timestamp_pb2 import Timestamp

from orchestrator.store.port import StoredDataError

MessageT = TypeVar("MessageT", bound=Message)


def body_of(run: Run) -> bytes:
    """Return a run without its self-evaluation, which has a column of its own."""
    bare = Run()
    bare.CopyFrom(run)
    bare.ClearField("self_evaluation_json")
    return bare.SerializeToString()


def summary_of(run: Run) -> bytes:
    """Return what a list shows of a run."""
    summary = RunSummary(
        run_id=run.run_id,
        status=run.status,
        context=run.context,
        create_time=run.create_time,
        effective_verdict=run.effective_verdict,
    )
    if run.HasField("end_time"):
        summary.end_time.CopyFrom(run.end_time)
    if run.HasField("failure"):
        summary.failure.CopyFrom(run.failure)
    if run.suspects:
        summary.first_suspect.CopyFrom(run.suspects[0])
    return summary.SerializeToString()


def time_text(time: Timestamp) -> str:
    """Return an instant as text that sorts as time does: RFC 3339 with nine digits of a second."""
    return f"{time.ToDatetime().isoformat(timespec='seconds')}.{time.nanos:09d}Z"


def parsed(kind: type[MessageT], data: bytes, run_id: str) -> MessageT:
    """Return a stored message; StoredDataError when the bytes are not one."""
    try:
        return kind.FromString(data)
    except DecodeError:
        raise StoredDataError(
            f"what is stored of run {run_id} is damaged: no {kind.__name__} can be read"
        ) from None


def recorded(body: bytes, output: bytes, run_id: str) -> Invocation:
    """Return a tool call with its output; StoredDataError when that is not what was hashed."""
    invocation = parsed(Invocation, body, run_id)
    if hashlib.sha256(output).hexdigest() != invocation.output_sha256:
        raise StoredDataError(f"invocation {invocation.id} of run {run_id} is not what was stored")
    invocation.output = output
    return invocation
