"""The components that a run knows by name: who owns its sources, and whom its topology lists."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from assay.common.v1.tool_pb2 import ToolCatalog

from orchestrator.store.port import Store, StoredCall
from services.common.evidence import strict_json

TOPOLOGY_TOOL: Final = "topology_get"


async def known_components(
    store: Store, run_id: str, catalog: ToolCatalog, calls: Sequence[StoredCall]
) -> frozenset[str]:
    """Return the names, each once; what cannot be read names nobody."""
    ids = [call.invocation.id for call in calls if call.invocation.tool_name == TOPOLOGY_TOOL]
    outputs = await store.outputs(run_id, ids)
    owners = {source.owner for source in catalog.sources}
    # A topology may be large: parsing it on the event loop would hold up every other run.
    return frozenset(owners | await asyncio.to_thread(_listed, outputs.values())) - {""}


def _listed(outputs: Iterable[bytes]) -> set[str]:
    return {name for output in outputs for name in _names(output)}


def _names(output: bytes) -> Iterator[str]:
    try:
        document = strict_json.loads(output, max_bytes=len(output))
    except strict_json.StrictJsonError:
        return
    services = document.get("services") if isinstance(document, dict) else None
    for element in services if isinstance(services, list) else ():
        value = element.get("value") if isinstance(element, dict) else None
        name = value.get("name") if isinstance(value, dict) else None
        if isinstance(name, str):
            yield str(name)
