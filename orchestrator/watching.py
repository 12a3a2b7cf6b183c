"""What somebody sees who begins to follow a run late: what is stored of it, then what still comes. Pure."""

from collections.abc import AsyncIterator, Iterable

from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseResponse, RunStarted
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent


async def watched_messages(
    run_id: str,
    after: int,
    stored: Iterable[OrchestrationEvent],
    coming: AsyncIterator[DiagnoseResponse],
) -> AsyncIterator[DiagnoseResponse]:
    """Yield `started`, each event after a sequence once and in order, and everything else that comes."""
    yield DiagnoseResponse(started=RunStarted(run_id=run_id))
    seen = after
    for event in stored:
        if event.sequence > seen:
            seen = event.sequence
            yield DiagnoseResponse(event=event)
    async for message in coming:
        # What came between the begin of following and the reading of the store is known from there.
        if message.HasField("started") or (message.HasField("event") and message.event.sequence <= seen):
            continue
        yield message
