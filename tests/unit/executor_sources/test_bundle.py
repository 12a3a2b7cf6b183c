"""The inventory of a bundle, by what its files hold."""

import json
import os
from pathlib import Path

import pytest

from services.common.errors import FailedPreconditionError
from services.executor.sources.bundle import Limits
from services.executor.sources.directory import SourceError
from services.executor.sources.kinds import Form
from services.executor.sources.stop import Stop, StoppedError
from tests.fakes.bundles import LIMITS, TOPOLOGY, a_response, a_stop, opened, write

ALERTS = {
    "status": "success",
    "data": {"alerts": [{"labels": {"alertname": "A"}, "activeAt": "2026-11-30T09:00:00Z"}]},
}
LABELLED = {"labels": {"alertname": "A"}, "startsAt": "2026-11-30T09:00:00Z"}
WEBHOOK = {"receiver": "x", "alerts": [LABELLED]}
CHANGES = [{"at": "2026-11-30T08:59:00Z", "kind": "deploy", "summary": "cart 1 -> 2"}]
INDEX = [{"name": "hits", "query": "rate(redis_hits_total[1m])", "file": "m/hits.json"}]
HITS = a_response(({}, [(1796029530, "4"), (1796029535.5, "5.0"), (1796029540, "NaN")]))
CSV = (
    'time,"latency{component=""cart"",q=""0.5""}",up\n2026-11-30T09:00:00Z,0.10,1\n2026-11-30T09:05:00Z,,1\n'
)


def kinds(folder: Path) -> dict[str, tuple[str, Form, bool]]:
    return {source.name: (source.kind, source.form, source.available) for source in opened(folder).sources}


def test_kinds_are_told_by_content_whatever_the_names(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.json": ALERTS,
            "b.json": WEBHOOK,
            "c.json": [LABELLED],
            "d.json": CHANGES,
            "e.json": {"events": CHANGES},
            "f.json": TOPOLOGY,
            "m/hits.json": HITS,
            "m/list.json": INDEX,
            "m/t.csv": CSV,
            "app.txt": "2026-11-30T09:00:00Z INFO a\n2026-11-30T09:00:01Z INFO b\n",
            "lines.json": '{"ts":"2026-11-30T09:00:00Z","msg":"a"}\n{"ts":"2026-11-30T09:00:01Z"}\n',
            "logs/no-times": "free text\n",
            "question.txt": "why?",
            "README.md": "prose",
            "runbooks/dns.md": "look at the resolver",
            "page.txt": "Replicas mismatch\n====\nA deployment has too few.\n",
        },
    )
    assert kinds(tmp_path) == {
        "a.json": ("alert", Form.ELEMENTS, True),
        "b.json": ("alert", Form.ELEMENTS, True),
        "c.json": ("alert", Form.ELEMENTS, True),
        "d.json": ("change_event", Form.ELEMENTS, True),
        "e.json": ("change_event", Form.ELEMENTS, True),
        "f.json": ("topology", Form.TOPOLOGY, True),
        "m/hits.json": ("metric", Form.RESPONSE, True),
        "m/list.json": ("metric", Form.INDEX, True),
        "m/t.csv": ("metric", Form.TABLE, True),
        "app.txt": ("log", Form.TEXT, True),
        "lines.json": ("log", Form.TEXT, True),
        "logs/no-times": ("log", Form.TEXT, True),
        "runbooks/dns.md": ("runbook", Form.PROSE, True),
        "page.txt": ("runbook", Form.PROSE, True),
    }


def test_an_empty_list_says_that_there_was_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"alerts.json": [], "events.json": []})
    assert {kind for kind, _, _ in kinds(tmp_path).values()} == {"alert", "change_event"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"a":1,"a":2}', "duplicate"),
        ("[NaN]", "NaN"),
        ("{", "not JSON"),
        ("", "not JSON"),
        ('{"some": "thing"}', "no kind"),
        (b"\xff\xfe", "UTF-8"),
    ],
)
def test_an_unreadable_file_stays_in_the_inventory_with_its_reason(
    tmp_path: Path, content: str | bytes, reason: str
) -> None:
    write(tmp_path, {"alerts.json": content, "logs/a.log": "x\n"})
    source = opened(tmp_path).sources[0]
    assert (source.name, source.kind, source.available) == ("alerts.json", "alert", False)
    assert reason in source.problem
    with pytest.raises(SourceError, match="cannot be read"):
        opened(tmp_path).source("alerts.json", "alert")


def test_packed_binary_and_odd_files_are_named_and_not_read(tmp_path: Path) -> None:
    damaged, other = b"\x1f\x8b" + bytes(range(2, 40)), b"BZh91AY"
    write(tmp_path, {"logs/a.log.gz": damaged, "logs/a.log.bz2": other, "logs/b.log": b"\x00\x01"})
    write(tmp_path, {"logs/c.log": "x\n"})
    os.mkfifo(tmp_path / "logs" / "d.log")
    found = {source.name: source.problem for source in opened(tmp_path).sources}
    assert found["logs/a.log.gz"] == "its compressed data is damaged"
    assert "gzip and zip can be read" in found["logs/a.log.bz2"]
    assert "not text" in found["logs/b.log"]
    assert found["logs/c.log"] == ""
    assert "regular" in found["logs/d.log"]


def test_a_few_zero_bytes_do_not_hide_a_log(tmp_path: Path) -> None:
    line = "2026-11-30T09:00:00Z INFO served\n"
    noise = bytes(range(256)) * 64
    files: dict[str, str | bytes] = {
        "logs/a.log": line * 9 + "x\0y\n",
        "logs/b.log": noise,
        "logs/c.log": (line * 9).encode("utf-16"),
    }
    write(tmp_path, {**files})
    found = {source.name: source.problem for source in opened(tmp_path).sources}
    assert found["logs/a.log"] == ""
    assert "not text" in found["logs/b.log"]
    assert found["logs/c.log"] == ""


def test_one_entry_without_a_time_does_not_hide_the_other_changes(tmp_path: Path) -> None:
    write(
        tmp_path, {"e.json": [{"kind": "deploy", "summary": "no time"}, *CHANGES], "f.json": [{"kind": "x"}]}
    )
    assert kinds(tmp_path) == {
        "e.json": ("change_event", Form.ELEMENTS, True),
        "f.json": ("log", Form.TEXT, False),
    }


def test_a_folder_without_any_source_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"question.txt": "why?", "a.json": "{"})
    with pytest.raises(
        FailedPreconditionError, match=r"no readable source: looked for .*'a\.json': it is not"
    ):
        opened(tmp_path)


def test_a_refused_folder_is_told_what_was_looked_for_and_found(tmp_path: Path) -> None:
    write(tmp_path, {f"kubernetes/pod-{number}.txt": "Name: a\nStatus: Running\n" for number in range(7)})
    with pytest.raises(FailedPreconditionError) as caught:
        opened(tmp_path)
    told = str(caught.value)
    assert "logs (dated text, JSON lines)" in told
    assert "'kubernetes/pod-0.txt': its content is of no kind that a tool reads" in told
    assert told.endswith("; and 2 more")


def test_a_structured_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"alerts.json": ALERTS, "logs/a.log": "x\n"})
    bundle = opened(tmp_path, Limits(structured_bytes=20, log_bytes=100))
    assert "larger than the 20 bytes" in bundle.sources[0].problem


def test_times_and_owners_of_logs(tmp_path: Path) -> None:
    middle = "2026-11-30T09:00:01Z INFO x\n" * 10_000
    log = f"start\n2026-11-30T09:00:00Z INFO a\n{middle}2026-11-30T09:30:00.5Z INFO b\nlast\n"
    write(tmp_path, {"logs/cart.log": log, "t.json": TOPOLOGY, "logs/none.log": "free text\n"})
    found = {source.name: source for source in opened(tmp_path).sources}
    cart = found["logs/cart.log"]
    assert cart.owner == "cart"
    assert cart.first_time is not None
    assert cart.last_time is not None
    assert (cart.first_time.text, cart.last_time.text) == ("2026-11-30T09:00:00Z", "2026-11-30T09:30:00.5Z")
    assert found["logs/none.log"].first_time is None


def test_a_format_without_a_year_is_dated_by_the_bundle(tmp_path: Path) -> None:
    write(tmp_path, {"logs/sys.log": "Nov 30 09:11:01 host app: x\n", "a.json": ALERTS})
    bundle = opened(tmp_path)
    time = bundle.source("logs/sys.log", "log").first_time
    assert time is not None
    assert time.text == "2026-11-30T09:11:01Z"


def test_series_carry_tokens_names_and_owners(tmp_path: Path) -> None:
    write(tmp_path, {"m/hits.json": HITS, "m/list.json": INDEX, "m/t.csv": CSV, "t.json": TOPOLOGY})
    bundle = opened(tmp_path)
    (hits, latency, up), left_out = bundle.series(bundle.of_kind("metric"), a_stop())
    assert left_out == 0
    assert (hits.name, hits.query, hits.owner) == ("hits", "rate(redis_hits_total[1m])", "kv")
    assert hits.samples == [(1796029530.0, "4"), (1796029535.5, "5.0"), (1796029540.0, "NaN")]
    assert hits.step_seconds == 5.0
    lines = (tmp_path / "m/hits.json").read_text().split("\n")
    assert "metric" in lines[hits.first_line]
    assert (latency.name, latency.labels, latency.owner) == (
        "latency",
        {"component": "cart", "q": "0.5"},
        "cart",
    )
    assert [token for _, token in latency.samples] == ["0.10"]
    assert [token for _, token in up.samples] == ["1", "1"]


def test_reading_stops_when_its_time_is_up(tmp_path: Path) -> None:
    write(tmp_path, {"logs/a.log": "x\n" * 5000})
    bundle = opened(tmp_path)
    times = iter([0.0])
    stop = Stop(lambda: next(times, 9.0), 1.0)
    lines = iter(bundle.log(bundle.source("logs/a.log", "log")).read(stop))
    next(lines)
    with pytest.raises(StoppedError):
        list(lines)


def test_a_log_is_read_as_far_as_the_limit(tmp_path: Path) -> None:
    write(tmp_path, {"logs/a.log": "0123456789\n" * 100})
    bundle = opened(tmp_path, Limits(structured_bytes=LIMITS.structured_bytes, log_bytes=110))
    log = bundle.log(bundle.source("logs/a.log", "log"))
    reading = log.read(a_stop())
    assert len(list(reading)) == 10
    assert reading.extent.cut


@pytest.mark.parametrize("folder", ["cases", "metric-cases"])
def test_bundles_of_other_systems_are_listed_or_refused_in_one_sentence(shared: Path, folder: str) -> None:
    found = sorted((shared / folder).glob("*/bundle"))
    assert found
    for path in found:
        try:
            bundle = opened(path)
        except FailedPreconditionError:
            assert not list(path.glob("logs/*.log"))
        else:
            assert all(source.available or source.problem for source in bundle.sources)


def test_a_format_without_a_year_is_dated_by_another_log(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "var/log/syslog.1": "Dec 31 23:59:59 host app: x\n",
            "app.log": "2027-01-01T00:00:01+01:00 INFO a\n2027-01-01T00:00:01Z INFO b\n",
        },
    )
    found = {source.name: source for source in opened(tmp_path).sources}
    assert {source.kind for source in found.values()} == {"log"}
    syslog, app = found["var/log/syslog.1"].first_time, found["app.log"].first_time
    assert syslog is not None
    assert app is not None
    assert (syslog.text, app.text) == ("2026-12-31T23:59:59Z", "2026-12-31T23:00:01Z")


def test_lines_of_json_beyond_what_is_read_of_one_json_text_are_a_log(tmp_path: Path) -> None:
    line = '{"ts":"2026-11-30T09:00:00Z","level":"error","msg":"it failed"}\n'
    write(tmp_path, {"app.json": line * 100, "big.json": "[" + "1,\n" * 2000 + "1]"})
    found = {
        source.name: source
        for source in opened(tmp_path, Limits(structured_bytes=1000, log_bytes=1 << 20)).sources
    }
    assert found["app.json"].available
    assert "larger than the 1000 bytes" in found["big.json"].problem


@pytest.mark.parametrize(
    ("name", "text", "assumed"),
    [
        ("a.log", "2026-11-30 09:00:00,123 INFO a\n", True),
        ("a.log", "2026/11/30 09:00:00 [error] 1#1: a\n", True),
        ("a.log", '{"time": "2026-11-30T09:00:00", "msg": "a"}\n', True),
        ("a.log", "2026-11-30T09:00:00Z INFO a\n", False),
        ("a.log", "2026-11-30 09:00:00.123 UTC [7] LOG:  a\n", False),
        ("a.log", '10.0.0.1 - - [30/Nov/2026:09:00:00 +0100] "GET / HTTP/1.1" 200 1\n', False),
        ("a.log", '{"ts": 1796029530.5, "msg": "a"}\n', False),
        ("m.csv", "time,up\n2026-11-30 09:00:00,1\n2026-11-30 09:00:15,1\n", True),
        ("m.csv", CSV, False),
        ("m.csv", "time,up\n1796029530,1\n1796029545,1\n", False),
        ("e.json", json.dumps([{**CHANGES[0], "at": "2026-11-30T08:59:00"}]), True),
        ("e.json", json.dumps(CHANGES), False),
        ("h.json", json.dumps(HITS), False),
    ],
)
def test_a_source_whose_times_have_no_zone_is_known(
    tmp_path: Path, name: str, text: str, assumed: bool
) -> None:
    [source] = opened(write(tmp_path, {name: text})).sources
    assert (source.first_time is not None, source.zone_assumed) == (True, assumed)
