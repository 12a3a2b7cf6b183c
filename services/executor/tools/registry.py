"""The tools, one row each. Read-only by construction: a row's function gets a bundle's readers only."""

from typing import Final

from assay.common.v1 import tool_pb2

from services.executor.sources import kinds
from services.executor.tools import arguments, derived, raw, runbooks
from services.executor.tools.entries import KINDS, entries_count
from services.executor.tools.kubernetes import arguments as kubernetes_arguments
from services.executor.tools.kubernetes import raw as kubernetes_raw
from services.executor.tools.kubernetes.findings import kubernetes_findings
from services.executor.tools.kubernetes.inventory import kubernetes_inventory
from services.executor.tools.log_count import logs_count
from services.executor.tools.tool import Tool

_RAW: Final = tool_pb2.DOCUMENT_KIND_RAW
_DERIVED: Final = tool_pb2.DOCUMENT_KIND_DERIVED


_ROWS: Final = (
    (
        "alerts_list",
        "Every alert of an alert source, as Alertmanager or Prometheus wrote it.",
        _RAW,
        arguments.OneSource,
        (kinds.ALERT,),
        raw.alerts_list,
    ),
    (
        "change_events_list",
        "Every change event (deploy, configuration, scaling) of a change-event source.",
        _RAW,
        arguments.OneSource,
        (kinds.CHANGE_EVENT,),
        raw.change_events_list,
    ),
    (
        "entries_count",
        "How many entries of alert, change-event or topology sources fit conditions, within a window.",
        _DERIVED,
        arguments.Entries,
        KINDS,
        entries_count,
    ),
    (
        "kubernetes_events",
        "The events of a cluster about named objects, or all, as kubectl or the API showed them.",
        _RAW,
        kubernetes_arguments.Events,
        (kinds.KUBERNETES,),
        kubernetes_raw.kubernetes_events,
    ),
    (
        "kubernetes_findings",
        (
            "What is wrong with which object of a cluster: faults that states, events and container logs "
            "state, as excerpts with their places; which pods and workloads are well. Reads every source."
        ),
        _DERIVED,
        kubernetes_arguments.Findings,
        (kinds.KUBERNETES,),
        kubernetes_findings,
    ),
    (
        "kubernetes_inventory",
        (
            "The objects of a cluster with their state, readiness, restarts, node and images, listed and "
            "counted by kind, name, namespace or any fact. Reads every source."
        ),
        _DERIVED,
        kubernetes_arguments.Inventory,
        (kinds.KUBERNETES,),
        kubernetes_inventory,
    ),
    (
        "kubernetes_objects",
        "The objects of one source of a cluster, value by value with line numbers; all or those named.",
        _RAW,
        kubernetes_arguments.Objects,
        (kinds.KUBERNETES,),
        kubernetes_raw.kubernetes_objects,
    ),
    (
        "logs_count",
        (
            "How many lines of some logs, or of all, hold literals, or how many records have a level or a "
            "status, within a window: per log and in all, with the first and the last."
        ),
        _DERIVED,
        arguments.LogCount,
        (kinds.LOG,),
        logs_count,
    ),
    (
        "logs_search",
        "The records of one log within a window that hold every given literal, with line numbers.",
        _RAW,
        arguments.LogSearch,
        (kinds.LOG,),
        raw.logs_search,
    ),
    (
        "logs_templates",
        (
            "One log grouped by message shape: counts before and after an instant, first and last line, "
            "failures first; the longest unusual silence; request durations."
        ),
        _DERIVED,
        arguments.LogTemplates,
        (kinds.LOG,),
        derived.logs_templates,
    ),
    (
        "metrics_change_points",
        (
            "The series that left their baseline: when, in which direction, how far, whether they came "
            "back. Reads every metric source when none is named."
        ),
        _DERIVED,
        arguments.SeriesWindow,
        (kinds.METRIC,),
        derived.metrics_change_points,
    ),
    (
        "metrics_list",
        "What a metric source offers: the entries of an index, or the labels of a response's series.",
        _RAW,
        arguments.OneSource,
        (kinds.METRIC,),
        raw.metrics_list,
    ),
    (
        "metrics_query_range",
        "The samples of every series of one metric source within a window.",
        _RAW,
        arguments.SourceWindow,
        (kinds.METRIC,),
        raw.metrics_query_range,
    ),
    (
        "metrics_saturation",
        (
            "Usage series against the constant series that limit them: how full, when reached, the "
            "largest part. Reads every metric source when none is named."
        ),
        _DERIVED,
        arguments.SeriesWindow,
        (kinds.METRIC,),
        derived.metrics_saturation,
    ),
    (
        "metrics_shift",
        (
            "Every series before an instant and since, moved or not: what was usual, the mean since, and how "
            "far that is by several scores. Reads every metric source when none is named."
        ),
        _DERIVED,
        arguments.SeriesSplit,
        (kinds.METRIC,),
        derived.metrics_shift,
    ),
    (
        "metrics_summary",
        (
            "Of each series its first, last, least and greatest sample, the value at an instant, and the "
            "samples beyond a bound; all series, or those that hold a word."
        ),
        _DERIVED,
        arguments.SeriesSummary,
        (kinds.METRIC,),
        derived.metrics_summary,
    ),
    (
        "runbooks_search",
        (
            "The sections of runbooks and saved pages (Markdown) that hold most of the given texts. About "
            "systems in general: no confirmed claim rests on it. Reads every runbook."
        ),
        tool_pb2.DOCUMENT_KIND_REFERENCE,
        runbooks.RunbookSearch,
        (kinds.RUNBOOK,),
        runbooks.runbooks_search,
    ),
    (
        "topology_get",
        "The services of the scope and which calls which.",
        _RAW,
        arguments.OneSource,
        (kinds.TOPOLOGY,),
        raw.topology_get,
    ),
)


def tools(max_bytes: int, deadline_seconds: float) -> dict[str, Tool]:
    """Return the tools by name, ordered by name, each with the given cap and deadline."""
    return {
        name: Tool(name, description, kind, model, source_kinds, max_bytes, deadline_seconds, function)
        for name, description, kind, model, source_kinds, function in _ROWS
    }
