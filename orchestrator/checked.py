"""Where a run looked: one row per tool call, and one per source that was not there."""

from collections.abc import Iterator, Mapping, Sequence

from assay.common.v1 import tool_pb2
from assay.common.v1.tool_pb2 import Checked, Invocation, SourceInfo, ToolCatalog

from orchestrator.store.port import Store, StoredCall
from services.common.evidence import strict_json
from services.common.evidence.strict_json import Json
from services.common.evidence.template_slots import UNREACHED

MAX_REASON_CHARS = 512
MAX_UNREACHED = 16
_MAX_ERROR_BYTES = 64 * 1024


async def looked_at(store: Store, run_id: str, catalog: ToolCatalog) -> list[Checked]:
    """Return where a run looked, tool calls first."""
    calls = await store.calls(run_id)
    made = [call.invocation for call in calls]
    return [
        *await _call_rows(store, run_id, calls, catalog),
        *absent_sources(catalog),
        *unreached_sources(catalog, made),
    ]


async def _call_rows(
    store: Store, run_id: str, calls: Sequence[StoredCall], catalog: ToolCatalog
) -> list[Checked]:
    failed = [call.invocation.id for call in calls if not _is_ok(call.invocation)]
    errors = await store.outputs(run_id, failed)
    rows = [checked_row(call.invocation, errors.get(call.invocation.id, b"")) for call in calls]
    for row, call in zip(rows, calls, strict=True):
        covered = covered_sources(call.invocation, catalog)
        kinds = {source.kind for source in covered}
        row.source_kind = kinds.pop() if len(kinds) == 1 else ""
        row.source_count = 0 if row.source else len(covered)
        row.zone_assumed_count = sum(source.zone_assumed for source in covered)
    return rows


def checked_row(invocation: Invocation, output: bytes) -> Checked:
    """Return the row of a tool call; `output` is read only when the call did not end with OK."""
    return Checked(
        tool_name=invocation.tool_name,
        status=invocation.status,
        invocation_id=invocation.id,
        source=_member(invocation.arguments_json, "source"),
        reason="" if _is_ok(invocation) else _member(output, "error"),
    )


def covered_sources(invocation: Invocation, catalog: ToolCatalog) -> list[SourceInfo]:
    """Return the readable sources that a call looked at: where it names none, all of its tool's kinds."""
    readable = [source for source in catalog.sources if source.available]
    if named := _named(invocation):
        return [source for source in readable if source.name in named]
    kinds = {
        kind for tool in catalog.tools if tool.name == invocation.tool_name for kind in tool.source_kinds
    }
    return [source for source in readable if source.kind in kinds]


def _named(invocation: Invocation) -> set[str]:
    """Return the sources that the arguments of a call name: one as `source`, some as `sources`."""
    arguments = _object(invocation.arguments_json)
    several = arguments.get("sources")
    names = [arguments.get("source"), *(several if isinstance(several, list) else [])]
    return {name for name in names if type(name) is str and name}


def absent_sources(catalog: ToolCatalog) -> Iterator[Checked]:
    """Yield a row for each source, or kind of source, that the scope lacks or could not open."""
    for source in catalog.sources:
        if not source.available:
            yield Checked(
                source=source.name or source.kind,
                reason=source.reason[:MAX_REASON_CHARS],
                source_kind=source.kind,
            )


def unreached_sources(catalog: ToolCatalog, calls: Sequence[Invocation]) -> Iterator[Checked]:
    """Yield a row for each readable source that no call looked at, at most 16 and one for the others."""
    reached = {source.name for call in calls for source in covered_sources(call, catalog)}
    left = [source for source in catalog.sources if source.available and source.name not in reached]
    for source in left[:MAX_UNREACHED]:
        yield Checked(source=source.name, reason=UNREACHED, source_kind=source.kind)
    if len(left) > MAX_UNREACHED:
        more = len(left) - MAX_UNREACHED
        yield Checked(source=f"{more} further sources", reason=UNREACHED, source_count=more)


def _is_ok(invocation: Invocation) -> bool:
    return invocation.status == tool_pb2.INVOCATION_STATUS_OK


def _member(data: bytes, key: str) -> str:
    """Return a text member of a JSON object; empty when there is none."""
    member = _object(data).get(key)
    return member[:MAX_REASON_CHARS] if type(member) is str else ""


def _object(data: bytes) -> Mapping[str, Json]:
    """Return a JSON object; an empty one when the data are none."""
    try:
        value = strict_json.loads(data, max_bytes=_MAX_ERROR_BYTES)
    except strict_json.StrictJsonError:
        return {}
    return value if isinstance(value, dict) else {}
