"""Where a run looked: one row per tool call, and one per source that was not there."""

from collections.abc import Iterator, Sequence

from assay.common.v1 import tool_pb2
from assay.common.v1.tool_pb2 import Checked, Invocation, ToolCatalog

from orchestrator.store.port import Store, StoredCall
from services.common.evidence import strict_json

MAX_REASON_CHARS = 512
MAX_UNREACHED = 16
UNREACHED = "it was not looked at in this run"
_MAX_ERROR_BYTES = 64 * 1024


async def looked_at(store: Store, run_id: str, catalog: ToolCatalog) -> list[Checked]:
    """Return where a run looked, tool calls first."""
    calls = await store.calls(run_id)
    made = [call.invocation for call in calls]
    return [
        *await _call_rows(store, run_id, calls),
        *absent_sources(catalog),
        *unreached_sources(catalog, made),
    ]


async def _call_rows(store: Store, run_id: str, calls: Sequence[StoredCall]) -> list[Checked]:
    failed = [call.invocation.id for call in calls if not _is_ok(call.invocation)]
    errors = await store.outputs(run_id, failed)
    return [checked_row(call.invocation, errors.get(call.invocation.id, b"")) for call in calls]


def checked_row(invocation: Invocation, output: bytes) -> Checked:
    """Return the row of a tool call; `output` is read only when the call did not end with OK."""
    return Checked(
        tool_name=invocation.tool_name,
        status=invocation.status,
        invocation_id=invocation.id,
        source=_member(invocation.arguments_json, "source"),
        reason="" if _is_ok(invocation) else _member(output, "error"),
    )


def absent_sources(catalog: ToolCatalog) -> Iterator[Checked]:
    """Yield a row for each source, or kind of source, that the scope lacks or could not open."""
    for source in catalog.sources:
        if not source.available:
            yield Checked(source=source.name or source.kind, reason=source.reason[:MAX_REASON_CHARS])


def unreached_sources(catalog: ToolCatalog, calls: Sequence[Invocation]) -> Iterator[Checked]:
    """Yield a row for each readable source that no call looked at, at most 16 and one for the others.

    A call that names no source looked at every source of its tool's kinds.
    """
    kinds = {tool.name: set(tool.source_kinds) for tool in catalog.tools}
    named = {_member(call.arguments_json, "source") for call in calls}
    whole = {
        kind
        for call in calls
        if not _member(call.arguments_json, "source")
        for kind in kinds.get(call.tool_name, set())
    }
    left = [
        source.name
        for source in catalog.sources
        if source.available and source.name not in named and source.kind not in whole
    ]
    for name in left[:MAX_UNREACHED]:
        yield Checked(source=name, reason=UNREACHED)
    if len(left) > MAX_UNREACHED:
        yield Checked(source=f"{len(left) - MAX_UNREACHED} further sources", reason=UNREACHED)


def _is_ok(invocation: Invocation) -> bool:
    return invocation.status == tool_pb2.INVOCATION_STATUS_OK


def _member(data: bytes, key: str) -> str:
    """Return a text member of a JSON object; empty when there is none."""
    try:
        value = strict_json.loads(data, max_bytes=_MAX_ERROR_BYTES)
    except strict_json.StrictJsonError:
        return ""
    member = value.get(key) if isinstance(value, dict) else None
    return member[:MAX_REASON_CHARS] if type(member) is str else ""
