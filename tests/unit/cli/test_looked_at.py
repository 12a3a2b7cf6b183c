"""Where a run looked: what was read is counted, what was not is named."""

from assay.common.v1 import tool_pb2
from assay.common.v1.tool_pb2 import Checked

from orchestrator.cli.layout import Layout
from orchestrator.cli.looked_at import looked_at

_OK = tool_pb2.INVOCATION_STATUS_OK
_WIDE = Layout(width=2000)


def _read(tool: str, source: str, kind: str, count: int = 0, zone_assumed: int = 0) -> Checked:
    return Checked(
        tool_name=tool,
        source=source,
        source_kind=kind,
        source_count=count,
        zone_assumed_count=zone_assumed,
        status=_OK,
    )


def test_what_was_read_is_counted_by_kind_and_named_where_it_is_few() -> None:
    rows = [
        _read("topology_get", "topology.json", "topology"),
        *(_read("logs_templates", f"logs/{number}.log", "log") for number in range(7)),
        _read("logs_search", "logs/0.log", "log"),
        _read("metrics_change_points", "", "metric", 36),
        _read("metrics_query_range", "metrics/a.json", "metric"),
        _read("anything_else", "", ""),
    ]
    assert looked_at(rows, _WIDE) == ["  topology.json, 7 logs, 36 metric files; 12 tool calls."]


def test_two_of_a_kind_are_named_and_a_call_over_nothing_adds_nothing() -> None:
    rows = [
        _read("logs_templates", "logs/a.log", "log"),
        _read("logs_templates", "logs/b.log", "log"),
        _read("metrics_change_points", "", "metric", 0),
    ]
    assert looked_at(rows, _WIDE) == ["  logs/a.log, logs/b.log; 3 tool calls."]


def test_rows_without_a_kind_are_sources() -> None:
    rows = [_read("read", name, "") for name in ("a", "b", "c")]
    assert looked_at(rows, _WIDE) == ["  3 sources; 3 tool calls."]


def test_what_was_taken_for_utc_is_said_once() -> None:
    rows = [
        _read("logs_templates", "logs/a.log", "log", zone_assumed=1),
        _read("logs_search", "logs/a.log", "log", zone_assumed=1),
        _read("logs_templates", "logs/b.log", "log"),
        _read("metrics_change_points", "", "metric", 36, zone_assumed=3),
    ]
    assert looked_at(rows, _WIDE) == [
        "  logs/a.log, logs/b.log, 36 metric files; 4 tool calls.",
        "  Times without a zone were taken for UTC: logs/a.log, 3 metric files",
    ]


def test_every_failed_call_and_unread_source_is_named_with_its_reason() -> None:
    timeout = tool_pb2.INVOCATION_STATUS_TIMEOUT
    rows = [
        Checked(tool_name="logs_search", source="a.log", status=timeout, reason="took 30 s"),
        Checked(tool_name="logs_templates", source="a.log", status=timeout, reason="took 30 s"),
        Checked(tool_name="alerts_list", status=tool_pb2.INVOCATION_STATUS_BLOCKED),
        Checked(source="x.log", reason="it is not text"),
        Checked(source="alert", reason="the bundle has none", source_kind="alert"),
        Checked(source="topology", reason="the bundle has none", source_kind="topology"),
    ]
    assert looked_at(rows, _WIDE) == [
        "  nothing could be read; 3 tool calls.",
        "  Failed: logs_search a.log, logs_templates a.log (TIMEOUT: took 30 s)",
        "  Failed: alerts_list (BLOCKED: no reason was given)",
        "  Not read: x.log (it is not text)",
        "  Not read: alerts, the topology (the bundle has none)",
    ]


def test_very_many_are_counted() -> None:
    one = looked_at([Checked(source=f"{n}.log", reason="not text") for n in range(100)], _WIDE)
    assert one[1].endswith("10.log, 11.log and 88 more (not text)")
    many = looked_at([Checked(source=f"{n}.log", reason=f"line {n}") for n in range(100)], _WIDE)
    assert len(many) == 14
    assert many[-1] == "  Not read: and 88 more for other reasons; --json names them"


def test_a_run_that_looked_nowhere_says_nothing() -> None:
    assert looked_at([], _WIDE) == []
