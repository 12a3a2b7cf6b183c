"""What people have: tables of all kinds, rotated logs, several time zones, wrong clocks, many series."""

import gzip
import json
from pathlib import Path

import pytest

from services.executor.sources import sniff
from services.executor.sources.bundle import MAX_SERIES
from services.executor.sources.spans import span_of, span_of_seconds
from services.executor.sources.stop import Stop
from services.executor.tools.registry import tools
from tests.fakes.bundles import Tree, a_response, a_stop, opened, write

LINE = "2026-11-30T09:00:00Z INFO x\n"
TIMES = {"2026-11-30T09:00:00Z", "2026-11-30T09:01:00Z"}


def span(folder: Path, name: str) -> tuple[str, str]:
    source = next(source for source in opened(folder).sources if source.name == name)
    assert source.first_time is not None
    assert source.last_time is not None
    return source.first_time.text, source.last_time.text


@pytest.mark.parametrize(
    "times",
    [
        ("2026-11-30 09:00:00", "2026-11-30 09:01:00"),
        ("2026-11-30 09:00", "2026-11-30 09:01"),
        ("2026-11-30T10:00:00+01:00", "2026-11-30T10:01:00+01:00"),
        ("1796029200", "1796029260"),
        ("1796029200000", "1796029260000"),
        ("1796029200000000000", "1796029260000000000"),
    ],
)
@pytest.mark.parametrize(("delimiter", "ending"), [(",", "csv"), (";", "csv"), ("\t", "tsv")])
def test_a_table_of_any_usual_kind_is_read(
    tmp_path: Path, times: tuple[str, str], delimiter: str, ending: str
) -> None:
    rows = [["Time", 'up{job="a"}', "cart_errors"], [times[0], "1", "0"], [times[1], "0", "7"]]
    header = [f'"{cell}"'.replace('"a"', '""a""') for cell in rows[0]]
    text = "".join(delimiter.join(row) + "\r\n" for row in [header, *rows[1:]])
    write(tmp_path, {f"m.{ending}": text})
    assert set(span(tmp_path, f"m.{ending}")) == TIMES
    bundle = opened(tmp_path)
    series, _ = bundle.series(bundle.of_kind("metric"), a_stop())
    assert [(one.name, one.labels, [token for _, token in one.samples]) for one in series] == [
        ("up", {"job": "a"}, ["1", "0"]),
        ("cart_errors", {}, ["0", "7"]),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("time,metric,value\n2026-11-30T09:00:00Z,up,1\n", "a row for each sample"),
        ("time,up\n11/30/2026 09:00,1\n", "no row holds a number and a time"),
    ],
)
def test_a_table_that_would_be_misread_is_not_read(tmp_path: Path, text: str, problem: str) -> None:
    write(tmp_path, {"m.csv": text, "a.log": LINE})
    assert problem in {source.name: source.problem for source in opened(tmp_path).sources}["m.csv"]


def test_rotated_logs_are_in_order_of_their_names_and_of_one_owner(tmp_path: Path) -> None:
    days = {"app.log": 30, "app.log.1": 29, "app.log.2.gz": 28}
    for name, day in days.items():
        text = f"2026-11-{day} 09:00:00 INFO x\n".encode()
        write(tmp_path, {name: gzip.compress(text) if name.endswith(".gz") else text})
    sources = opened(tmp_path).sources
    assert [source.name for source in sources] == list(days)
    assert {source.owner for source in sources} == {"app"}
    assert span(tmp_path, "app.log.2.gz") == ("2026-11-28T09:00:00Z", "2026-11-28T09:00:00Z")


def test_time_zones_meet_in_utc(tmp_path: Path) -> None:
    lines = {
        "a.log": "2026-11-30T10:00:00+01:00 INFO x\n",
        "b.log": "2026-11-30T04:00:00-0500 INFO x\n",
        "c.log": '::1 - - [30/Nov/2026:14:30:00 +0530] "GET / HTTP/1.1" 200 1\n',
        "d.log": "2026-11-30 09:00:00 UTC [1] LOG:  x\n",
        "e.log": "Nov 30 09:00:00 host app: x\n",
    }
    write(tmp_path, dict(lines))
    assert {span(tmp_path, name) for name in lines} == {("2026-11-30T09:00:00Z", "2026-11-30T09:00:00Z")}


@pytest.mark.parametrize("wrong", ["1970-01-01T00:00:07Z", "2999-01-01T00:00:00Z"])
@pytest.mark.parametrize("at", [0, 5, 9])
def test_a_wrong_clock_does_not_stretch_the_time_of_a_log(tmp_path: Path, wrong: str, at: int) -> None:
    lines = [f"2026-11-30T09:00:0{second}Z INFO x\n" for second in range(9)]
    lines.insert(at, f"{wrong} INFO started\n")
    write(tmp_path, {"a.log": "".join(lines)})
    assert span(tmp_path, "a.log") == ("2026-11-30T09:00:00Z", "2026-11-30T09:00:08Z")


def test_an_end_that_means_never_does_not_stretch_the_time_of_alerts(tmp_path: Path) -> None:
    labels = {"alertname": "a"}
    alerts = [
        {"labels": labels, "startsAt": "2026-11-30T09:00:00Z", "endsAt": "2999-01-01T00:00:00Z"},
        {"labels": labels, "startsAt": "2026-11-30T09:00:05Z", "endsAt": "2026-11-30T09:00:09Z"},
    ]
    write(tmp_path, {"alerts.json": alerts})
    assert span(tmp_path, "alerts.json") == ("2026-11-30T09:00:00Z", "2026-11-30T09:00:09Z")


def test_nothing_spans_no_time() -> None:
    assert span_of([]) == []
    assert span_of_seconds([]) == (None, None)


def test_lines_of_loki_are_no_metric(tmp_path: Path) -> None:
    result = [{"stream": {"app": "x"}, "values": [["1796029200000000000", "line"]]}]
    answer = {"status": "success", "data": {"resultType": "streams", "result": result}}
    write(tmp_path, {"loki.json": answer, "a.log": LINE})
    assert "of no kind" in {source.name: source.problem for source in opened(tmp_path).sources}["loki.json"]


@pytest.mark.parametrize("tool", ["metrics_change_points", "metrics_saturation"])
def test_more_series_than_are_read_are_counted(tmp_path: Path, tool: str) -> None:
    series = [({"__name__": "up", "n": str(n)}, [(1796029200.0 + n, "1")]) for n in range(MAX_SERIES + 7)]
    write(tmp_path, {"m/a.json": json.dumps(a_response(*series)), "m/b.json": a_response(series[0])})
    row = tools(1 << 20, 30)[tool]
    output = row.run(opened(tmp_path), row.arguments(), a_stop())
    found: Tree = output.document
    assert output.truncated
    assert found["series_left_out"] == "8"
    (tmp_path / "m/a.json").unlink()
    output = row.run(opened(tmp_path), row.arguments(), a_stop())
    whole: Tree = output.document
    assert not output.truncated
    assert "series_left_out" not in whole


def test_templates_of_what_could_be_read_in_time(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"a.log": "".join(f"2026-11-30T09:00:00Z INFO item {n} {'x' * 80}\n" for n in range(20_000))},
    )
    bundle = opened(tmp_path)
    ticks = iter(range(1_000_000))
    # Each look at this clock is a second, so that the time is up in the middle of the log.
    stop = Stop(lambda: float(next(ticks)), 20.0)
    row = tools(1 << 20, 30)["logs_templates"]
    output = row.run(bundle, row.arguments.model_validate_json('{"source":"a.log"}'), stop)
    found: Tree = output.document
    assert output.truncated
    assert 0 < int(found["lines"]) < 20_000
    assert int(found["read"]["last_line"]) >= int(found["lines"])
    whole: Tree = row.run(bundle, row.arguments.model_validate_json('{"source":"a.log"}'), a_stop()).document
    assert int(whole["lines"]) == 20_000


def test_the_end_of_a_long_packed_log_is_known_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        f"2026-11-30T{9 + n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d}Z INFO {n}\n" for n in range(9000)
    ]
    write(tmp_path, {"a.log.gz": gzip.compress("".join(lines).encode())})
    assert span(tmp_path, "a.log.gz") == ("2026-11-30T09:00:00Z", "2026-11-30T11:29:59Z")
    monkeypatch.setattr(sniff, "_MAX_FORWARD_BYTES", 64 * 1024)
    (source,) = opened(tmp_path).sources
    assert source.first_time is not None
    assert source.last_time is None


def test_lines_of_the_kernel_are_a_log_wherever_they_lie(tmp_path: Path) -> None:
    write(tmp_path, {"dmesg.txt": "[    1.000000] Booting\n[  123.456789] Out of memory: Killed process 1\n"})
    (source,) = opened(tmp_path).of_kind("log")
    assert (source.name, source.first_time) == ("dmesg.txt", None)
