"""A run as far as it has come, and its tool calls."""

from assay.common.v1.tool_pb2 import ToolCatalog
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.diagnosis_pb2 import InvocationSummary, ListInvocationsResponse
from assay.orchestrator.v1.run_pb2 import Run

from orchestrator.checked import looked_at
from orchestrator.result import usage_of
from orchestrator.store.port import Store


async def run_so_far(store: Store, run_id: str) -> Run:
    """Return a stored run; one that is under way shows the tool calls and the cost until now."""
    run = await store.run(run_id)
    if run.status == run_pb2.RUN_STATUS_RUNNING:
        history = await store.history(run_id)
        run.checked.extend(await looked_at(store, run_id, ToolCatalog()))
        run.usage.CopyFrom(usage_of(len(history.events), await store.calls(run_id)))
    return run


async def invocations_of(store: Store, run_id: str) -> ListInvocationsResponse:
    """Return the stored tool calls of a run; NotFoundError when there is no such run."""
    calls = await store.calls(run_id)
    if not calls:
        # No call and no run look alike.
        await store.history(run_id)
    return ListInvocationsResponse(
        invocations=[
            InvocationSummary(invocation=call.invocation, output_bytes=call.output_bytes) for call in calls
        ]
    )
