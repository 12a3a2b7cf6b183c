"""Where a run looked, and the window it looked at."""

import pytest
from assay.common.v1 import tool_pb2
from assay.common.v1.context_pb2 import DiagnosisContext, TimeWindow
from assay.common.v1.tool_pb2 import Invocation, SourceInfo, Tool, ToolCatalog
from google.protobuf.timestamp_pb2 import Timestamp

from orchestrator.checked import (
    MAX_REASON_CHARS,
    MAX_UNREACHED,
    absent_sources,
    checked_row,
    covered_sources,
    unreached_sources,
)
from orchestrator.nodes.planner import framed

ERROR = tool_pb2.INVOCATION_STATUS_ERROR
OK = tool_pb2.INVOCATION_STATUS_OK


def test_a_failed_call_says_why() -> None:
    call = Invocation(id="i", tool_name="t", status=ERROR, arguments_json=b'{"source": "logs/a.log"}')
    row = checked_row(call, b'{"error": "too large, narrow it"}')
    assert (row.source, row.reason) == ("logs/a.log", "too large, narrow it")


@pytest.mark.parametrize(
    "output", [b"", b"not json", b"[]", b'{"error": 7}', b'{"error": "a", "error": "b"}', b"\xff"]
)
def test_an_output_without_a_reason_gives_none(output: bytes) -> None:
    assert checked_row(Invocation(status=ERROR), output).reason == ""


def test_the_output_of_a_good_call_is_never_shown() -> None:
    assert checked_row(Invocation(status=OK), b'{"error": "a log line"}').reason == ""


def test_a_reason_is_bounded() -> None:
    row = checked_row(Invocation(status=ERROR), b'{"error": "' + b"x" * 10_000 + b'"}')
    assert len(row.reason) == MAX_REASON_CHARS


def test_absent_sources_are_named_by_file_or_kind() -> None:
    catalog = ToolCatalog(
        sources=[
            SourceInfo(kind="log", name="logs/a.log", available=True),
            SourceInfo(kind="log", name="logs/b.log", reason="no permission"),
            SourceInfo(kind="alert", reason="none"),
        ]
    )
    rows = [(row.source, row.reason) for row in absent_sources(catalog)]
    assert rows == [("logs/b.log", "no permission"), ("alert", "none")]


def test_a_source_that_no_call_looked_at_is_named() -> None:
    catalog = ToolCatalog(
        tools=[
            Tool(name="read_log", source_kinds=["log"]),
            Tool(name="read_metrics", source_kinds=["metric"]),
        ],
        sources=[
            SourceInfo(kind="log", name="logs/a.log", available=True),
            SourceInfo(kind="log", name="logs/b.log", available=True),
            SourceInfo(kind="log", name="logs/c.log", reason="no permission"),
            SourceInfo(kind="metric", name="metrics/m.json", available=True),
        ],
    )
    calls = [
        Invocation(tool_name="read_log", arguments_json=b'{"source": "logs/a.log"}'),
        Invocation(tool_name="read_metrics", arguments_json=b"{}"),
    ]
    assert [row.source for row in unreached_sources(catalog, calls)] == ["logs/b.log"]
    assert [row.source for row in unreached_sources(catalog, calls[:1])] == ["logs/b.log", "metrics/m.json"]


@pytest.mark.parametrize(
    ("arguments", "covered"),
    [
        (b"{}", ["metrics/a.json", "metrics/b.json"]),
        (b'{"sources": []}', ["metrics/a.json", "metrics/b.json"]),
        (b'{"sources": ["metrics/b.json", "metrics/none.json", 7]}', ["metrics/b.json"]),
        (b'{"source": "metrics/a.json"}', ["metrics/a.json"]),
        (b'{"source": "metrics/none.json"}', []),
    ],
)
def test_what_a_call_looked_at(arguments: bytes, covered: list[str]) -> None:
    catalog = ToolCatalog(
        tools=[Tool(name="read_metrics", source_kinds=["metric"])],
        sources=[
            SourceInfo(kind="log", name="logs/a.log", available=True),
            SourceInfo(kind="metric", name="metrics/a.json", available=True),
            SourceInfo(kind="metric", name="metrics/b.json", available=True),
            SourceInfo(kind="metric", name="metrics/c.json", reason="not JSON"),
        ],
    )
    call = Invocation(tool_name="read_metrics", arguments_json=arguments)
    assert [source.name for source in covered_sources(call, catalog)] == covered


def test_very_many_unreached_sources_are_counted() -> None:
    sources = [SourceInfo(kind="log", name=f"logs/{n}.log", available=True) for n in range(MAX_UNREACHED + 7)]
    rows = list(unreached_sources(ToolCatalog(sources=sources), []))
    assert len(rows) == MAX_UNREACHED + 1
    assert rows[-1].source == "7 further sources"


def test_the_window_ends_where_time_does() -> None:
    catalog = ToolCatalog(sources=[source(253_402_300_000, 253_402_300_799)])
    assert framed(DiagnosisContext(), catalog).window.end.ToJsonString() == "9999-12-31T23:59:59.000000005Z"


def test_a_window_that_would_hold_no_instant_is_none() -> None:
    last = Timestamp(seconds=253_402_300_799)
    catalog = ToolCatalog(sources=[SourceInfo(kind="log", available=True, first_time=last, last_time=last)])
    assert not framed(DiagnosisContext(), catalog).HasField("window")


def source(first: int | None, last: int | None) -> SourceInfo:
    info = SourceInfo(kind="log", available=True)
    if first is not None:
        info.first_time.CopyFrom(Timestamp(seconds=first))
    if last is not None:
        info.last_time.CopyFrom(Timestamp(seconds=last, nanos=5))
    return info


def test_the_window_covers_every_source_and_its_last_instant() -> None:
    catalog = ToolCatalog(sources=[source(20, 30), source(None, None), source(10, 25)])
    window = framed(DiagnosisContext(), catalog).window
    assert (window.start.seconds, window.end.seconds, window.end.nanos) == (10, 31, 5)


def test_a_given_window_is_kept() -> None:
    context = DiagnosisContext(window=TimeWindow(start=Timestamp(seconds=12)))
    assert framed(context, ToolCatalog(sources=[source(10, 30)])) == context


@pytest.mark.parametrize("sources", [[], [source(None, None)], [source(5, None)]])
def test_without_times_there_is_no_window(sources: list[SourceInfo]) -> None:
    context = DiagnosisContext()
    assert not framed(context, ToolCatalog(sources=sources)).HasField("window")
    assert not context.HasField("window")


@pytest.mark.parametrize("wrong", [source(0, 1_796_029_210), source(1_796_029_205, 32_503_680_000)])
def test_a_bound_far_from_most_is_set_aside(wrong: SourceInfo) -> None:
    sources = [wrong, source(1_796_029_200, 1_796_029_260), source(1_796_029_230, 1_796_029_300)]
    window = framed(DiagnosisContext(), ToolCatalog(sources=sources)).window
    assert (window.start.seconds, window.end.seconds) == (1_796_029_200, 1_796_029_301)


def test_the_window_is_open_where_a_source_has_no_known_end() -> None:
    window = framed(DiagnosisContext(), ToolCatalog(sources=[source(10, None), source(15, 25)])).window
    assert window.start.seconds == 10
    assert not window.HasField("end")
