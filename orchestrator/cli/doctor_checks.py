"""What `assay doctor` concludes: one check from each thing that was looked at."""

import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import grpc
from assay.common.v1.tool_pb2 import SourceInfo
from assay.orchestrator.v1 import run_pb2, status_pb2
from assay.orchestrator.v1.status_pb2 import AgentStatus, SourcesStatus, StoreStatus
from google.protobuf.timestamp_pb2 import Timestamp

from services.common.evidence.names import short_name
from services.common.rpc.process import own_version
from services.common.settings_report import Report

MIN_FREE_BYTES: Final = 100 << 20
MAX_SKEW_SECONDS: Final = 2.0


@dataclass(frozen=True)
class Check:
    """One finding. `ok` is None for what is only told; `facts` are the same for a program."""

    group: str
    name: str
    ok: bool | None
    detail: str
    facts: Mapping[str, Any] = field(default_factory=dict)


def command_line() -> Check:
    """Tell what this command is."""
    facts = {
        "version": own_version(),
        "python_version": platform.python_version(),
        "grpc_version": grpc.__version__,
    }
    return Check("command", "assay", None, _versions(**facts), facts)


def settings(told: Report) -> Iterator[Check]:
    """Judge the settings of the command line, and the file that all processes read."""
    yield Check(
        "settings", "configuration file", None, told["file"] or "none is read", {"path": told["file"] or None}
    )
    for problem in told["problems"]:
        yield Check("settings", "problem", False, problem)
    if not told["problems"]:
        yield Check("settings", "names and values", True, "every name is known and every value legal")


def service(status: AgentStatus) -> Check:
    """Judge one service."""
    process = status.process
    facts = {
        "address": status.address,
        "ready": status.ready,
        "live": status.live,
        "version": process.version,
        "python_version": process.python_version,
        "grpc_version": process.grpc_version,
        "reasoner": process.reasoner,
        "problems": list(process.problems),
        "problem": status.problem,
    }
    told = [status.address, "ready" if status.ready else "NOT ready", "" if status.live else "NOT live"]
    if status.HasField("process"):
        told += [_versions(process.version, process.python_version, process.grpc_version)]
        told += [f"reasoner {process.reasoner}" if process.reasoner else ""]
    told += [status.problem, *process.problems]
    ok = status.ready and status.live and not process.problems
    return Check("services", status.name, ok, _listed(told), facts)


def model(status: AgentStatus) -> Iterator[Check]:
    """Judge the model that a service asks, where it asks one."""
    endpoint = status.process.model
    if not status.process.HasField("model"):
        return
    facts = {
        "address": endpoint.address,
        "model": endpoint.name,
        "mode": endpoint.mode or None,
        "reachable": endpoint.reachable,
        "key_in_clear": endpoint.key_in_clear,
    }
    told = [
        f"{endpoint.name} at {endpoint.address}",
        "reachable" if endpoint.reachable else "NOT reachable",
        f"answers as {endpoint.mode}" if endpoint.mode else "form of answers not known yet",
        "WARNING: the key travels there unencrypted; use https" if endpoint.key_in_clear else "",
    ]
    yield Check("models", status.name, endpoint.reachable, _listed(told), facts)


def store(status: StoreStatus) -> Check:
    """Judge the run store."""
    integrity = short_name(status_pb2.Integrity.DESCRIPTOR, status.integrity).lower()
    runs = {short_name(run_pb2.RunStatus.DESCRIPTOR, row.status).lower(): row.count for row in status.runs}
    facts = {
        "location": status.location,
        "schema_version": status.schema_version,
        "size_bytes": status.size_bytes,
        "free_bytes": status.free_bytes,
        "runs": runs,
        "integrity": integrity,
        "problem": status.problem,
    }
    counted = ", ".join(f"{count} {name}" for name, count in runs.items())
    low = status.free_bytes < MIN_FREE_BYTES
    told = [
        status.location,
        f"schema {status.schema_version}",
        _size(status.size_bytes),
        f"{'ONLY ' if low else ''}{_size(status.free_bytes)} free",
        f"runs: {counted or 'none'}",
        f"integrity: {integrity.replace('_', ' ')}",
        status.problem,
    ]
    ok = not status.problem and not low
    return Check("store", "runs", ok, _listed(told), facts)


def clock(statuses: Sequence[AgentStatus], now: Timestamp) -> Iterator[Check]:
    """Judge the clocks: this machine's, and the others against that of whoever asked them."""
    skews = {row.name: row.clock_skew_seconds for row in statuses if row.HasField("clock_skew_seconds")}
    yield Check("clock", "UTC", None, now.ToJsonString(), {"time": now.ToJsonString(), "skew_seconds": skews})
    for row in statuses:
        if row.name not in skews:
            continue
        bound = MAX_SKEW_SECONDS + row.round_trip_seconds / 2
        if abs(skews[row.name]) > bound:
            told = f"differs by {skews[row.name]:+.1f} s (right to {row.round_trip_seconds / 2:.1f} s)"
            yield Check("clock", row.name, False, told)
    if skews:
        widest = max(map(abs, skews.values()))
        yield Check("clock", "services", widest <= MAX_SKEW_SECONDS or None, f"within {widest:.3f} s")


def sources(status: SourcesStatus, bundle: str) -> Iterator[Check]:
    """Tell what a diagnosis of a bundle would read; what a bundle lacks is no fault."""
    if status.problem:
        yield Check("sources", bundle, False, status.problem, {"problem": status.problem})
        return
    readable = sum(source.available for source in status.sources)
    yield Check("sources", bundle, True, f"{readable} sources can be read", {"readable": readable})
    for source in status.sources:
        yield _source(source)


def _source(source: SourceInfo) -> Check:
    first = source.first_time.ToJsonString() if source.HasField("first_time") else None
    last = source.last_time.ToJsonString() if source.HasField("last_time") else None
    facts = {
        "kind": source.kind,
        "available": source.available,
        "reason": source.reason,
        "owner": source.owner,
        "size_bytes": source.size_bytes,
        "first_time": first,
        "last_time": last,
    }
    if not source.available:
        return Check("sources", source.name or source.kind, None, f"not read: {source.reason}", facts)
    span = f"{first} to {last}" if first and last else "no time"
    owner = f"of {source.owner}" if source.owner else "of nobody known"
    told = _listed([source.kind, owner, span, _size(source.size_bytes)])
    return Check("sources", source.name, True, told, facts)


def _versions(version: str, python_version: str, grpc_version: str) -> str:
    return f"version {version}, Python {python_version}, gRPC {grpc_version}"


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(part for part in parts if part)


def _size(count: int) -> str:
    size = float(count)
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
