"""The material of a run, with what only the store knows of it."""

import asyncio

from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.checked import looked_at
from orchestrator.material import Material, material_of
from orchestrator.store.port import Store


async def material_from(store: Store, run_id: str, state: RunState) -> Material:
    """Return what the answer of a run may be made of."""
    checked = await looked_at(store, run_id, state.catalog)
    arguments = {call.invocation.id: call.invocation.arguments_json for call in await store.calls(run_id)}
    # Much evidence takes long to go through: the event loop stays free for other runs.
    return await asyncio.to_thread(material_of, state, checked, arguments)
