"""The tools that count and list: each figure is that of the files, under every condition."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from services.executor.sources.bundle import Limits
from services.executor.tools.registry import tools
from services.executor.tools.tool import ToolError
from tests.fakes.bundles import Tree, a_response, a_stop, opened, write
from tests.fakes.clusters import described_pod, text

TOOLS = tools(1 << 20, 30)
API = """\
2026-11-30T09:00:00Z INFO up
2026-11-30T09:00:10Z ERROR lost connection
Traceback (most recent call last):
db.ConnectionError: lost
2026-11-30T09:00:20Z WARN slow
2026-11-30T09:00:30Z FATAL Lost all
"""
EDGE = "".join(
    f'10.0.0.1 - - [30/Nov/2026:09:00:{second:02} +0000] "GET /{path} HTTP/1.1" {status} 12\n'
    for second, path, status in ((1, "a", 200), (2, "a", 502), (3, "b", 504), (4, "b", 404))
)
FILES: dict[str, Tree] = {
    "logs/api.log": API,
    "logs/edge.log": EDGE,
    "logs/copy/api.log": API,
    "logs/plain.log": "no time here, lost\n",
    "alerts.json": {
        "alerts": [
            {
                "labels": {"alertname": "A", "service": "api"},
                "state": "firing",
                "activeAt": "2026-11-30T09:00:00Z",
            },
            {"labels": {"alertname": "B", "service": "web"}, "state": "pending"},
        ]
    },
    "events.json": [
        {"time": "2026-11-30T09:00:00Z", "type": "deploy", "service": "api", "summary": "x"},
        {"time": "2026-11-30T10:00:00Z", "type": "config", "service": "api", "summary": "y"},
    ],
    "topology.json": {
        "services": [{"name": "api"}, {"name": "web"}],
        "calls": [{"from": "web", "to": "api"}],
    },
    "m/depth.json": a_response(
        (
            {"__name__": "depth", "queue": "a"},
            [(1796029200.0 + 5 * step, str(step % 7)) for step in range(20)],
        ),
        ({"__name__": "depth", "queue": "b"}, [(1796029200.0, "3")]),
    ),
}


def call(folder: Path, name: str, arguments: str, limits: Limits | None = None) -> tuple[Tree, bool]:
    bundle = opened(folder, limits) if limits else opened(folder)
    tool = TOOLS[name]
    made = tool.run(bundle, tool.arguments.model_validate_json(arguments), a_stop())
    return made.document, made.truncated


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path, FILES)


@pytest.mark.parametrize(
    ("arguments", "unit", "count"),
    [
        ('{"sources": ["logs/api.log"], "contains": ["lost"]}', "lines", 2),
        ('{"sources": ["logs/api.log"], "contains": ["lost"], "ignore_case": true}', "lines", 3),
        ('{"sources": ["logs/api.log"], "contains": ["lost", "db."]}', "lines", 1),
        ('{"sources": ["logs/api.log"], "any_of": ["slow", "up"]}', "lines", 2),
        ('{"sources": ["logs/api.log"]}', "lines", 6),
        ('{"sources": ["logs/api.log"], "severities": ["failure"]}', "records", 2),
        ('{"sources": ["logs/api.log"], "severities": ["failure"], "contains": ["db."]}', "records", 1),
        ('{"sources": ["logs/api.log"], "levels": ["fatal"]}', "records", 1),
        ('{"sources": ["logs/edge.log"], "outcomes": ["5xx"]}', "records", 2),
        ('{"sources": ["logs/edge.log"], "outcomes": ["404", "502"]}', "records", 2),
        ('{"sources": ["logs/edge.log"], "outcomes": ["3xx"]}', "records", 0),
        ('{"sources": ["logs/api.log"], "contains": ["lost"], "start": "2026-11-30T09:00:20Z"}', "lines", 0),
        ('{"sources": ["logs/api.log"], "end": "2026-11-30T09:00:20Z"}', "lines", 4),
    ],
)
def test_lines_and_records_are_counted(folder: Path, arguments: str, unit: str, count: int) -> None:
    found, truncated = call(folder, "logs_count", arguments)
    assert (found["unit"], int(found["count"]), truncated) == (unit, count, False)
    assert sum(int(row["count"]) for row in found["logs"]) == count


def test_all_logs_are_counted_together_and_copies_are_told(folder: Path) -> None:
    found, _ = call(folder, "logs_count", '{"contains": ["lost"]}')
    assert (found["logs_read"], found["count"], found["logs_not_read"]) == ("4", "5", "0")
    # Of the second copy both lines are long enough to be known again; one is too short to be called a copy.
    assert found["repeated"] == "2"
    first = next(row for row in found["logs"] if row["source"] == "logs/api.log")["first"]
    assert (first["n"], first["text"]) == ("2", "2026-11-30T09:00:10Z ERROR lost connection")


def test_what_has_no_time_is_counted_apart_on_demand(folder: Path) -> None:
    window = '"start": "2026-11-30T09:00:00Z", "contains": ["lost"], "sources": ["logs/plain.log"]'
    found, _ = call(folder, "logs_count", "{" + window + "}")
    assert (found["count"], found["undated"]) == ("1", "0")
    found, _ = call(folder, "logs_count", "{" + window + ', "dated_only": true}')
    assert (found["count"], found["undated"]) == ("0", "1")


def test_a_log_that_is_read_in_part_says_so(tmp_path: Path) -> None:
    lines = "".join(f"2026-11-30T09:00:{n // 1000:02}Z INFO item {n}\n" for n in range(40_000))
    write(tmp_path, {"logs/api.log": lines})
    found, truncated = call(tmp_path, "logs_count", '{"contains": ["item"]}', Limits(1 << 20, 1 << 20))
    assert truncated
    assert found["logs_read_in_part"] == "1"
    assert "read" in found["logs"][0]


def test_lines_are_shown_from_either_end(folder: Path) -> None:
    arguments = '"sources": ["logs/api.log"], "show": 2'
    first, _ = call(folder, "logs_count", "{" + arguments + "}")
    last, _ = call(folder, "logs_count", "{" + arguments + ', "last": true}')
    assert [line["n"] for line in first["logs"][0]["excerpts"]] == ["1", "2"]
    assert [line["n"] for line in last["logs"][0]["excerpts"]] == ["5", "6"]


@pytest.mark.parametrize(
    ("arguments", "entries", "count", "undated"),
    [
        ('{"sources": ["alerts.json"]}', 2, 2, 0),
        ('{"sources": ["alerts.json"], "where": [{"path": "labels/service", "texts": ["api"]}]}', 2, 1, 0),
        ('{"sources": ["alerts.json"], "start": "2026-11-30T09:00:00Z"}', 2, 1, 1),
        ('{"sources": ["events.json"], "end": "2026-11-30T10:00:00Z"}', 2, 1, 0),
        ('{"sources": ["alerts.json", "events.json"]}', 4, 4, 0),
        ('{"sources": ["topology.json"]}', 2, 2, 0),
        (
            '{"sources": ["topology.json"], "calls": true, "where": [{"path": "to", "texts": ["web"]}]}',
            1,
            0,
            0,
        ),
    ],
)
def test_entries_are_counted(folder: Path, arguments: str, entries: int, count: int, undated: int) -> None:
    found, _ = call(folder, "entries_count", arguments)
    assert [int(found[name]) for name in ("entries", "count", "undated")] == [entries, count, undated]


def test_entries_are_no_lines(folder: Path) -> None:
    with pytest.raises(ToolError, match="is of kind log"):
        call(folder, "entries_count", '{"sources": ["logs/api.log"]}')
    with pytest.raises(ValidationError):
        call(folder, "entries_count", '{"sources": []}')


def test_the_ends_and_extremes_of_a_series(folder: Path) -> None:
    at = '"at": "2026-11-30T09:00:12Z", "above": 5'
    found, truncated = call(folder, "metrics_summary", '{"words": ["depth"], ' + at + "}")
    a, b = found["series"]
    assert not truncated
    assert (found["matching"], a["labels"], a["samples"]) == ("2", '{queue="a"}', "20")
    assert [a[name] for name in ("first", "last", "min", "max", "value")] == ["0", "5", "0", "6", "2"]
    assert (a["max_at"], a["value_at"]) == ("2026-11-30T09:00:30Z", "2026-11-30T09:00:10Z")
    assert (a["beyond"], a["beyond_first_at"], a["beyond_last_at"]) == (
        "2",
        "2026-11-30T09:00:30Z",
        "2026-11-30T09:01:05Z",
    )
    # A single sample tells nothing of a later instant.
    assert "value" not in b
    assert call(folder, "metrics_summary", '{"words": ["nothing"]}')[0]["matching"] == "0"


def test_objects_are_listed_with_their_facts(tmp_path: Path) -> None:
    table = """
        NAME                       READY   STATUS             RESTARTS      AGE
        billing-7d9c8b6f5d-x2kqz   0/1     CrashLoopBackOff   3 (5m ago)    2d
        web-0                      2/2     Running            0             2d
    """
    told = described_pod(state="Running", status="Running", restarts="3", ready="True")
    write(tmp_path, {"pods.txt": text(table), "pod.txt": told})
    found, _ = call(tmp_path, "kubernetes_inventory", '{"kinds": ["Pod"]}')
    billing, web = sorted(found["listed"], key=lambda row: str(row["name"]))
    assert (found["count"], found["shown_differently"]) == ("2", "1")
    assert billing["excerpts"]["status"]["text"] == "CrashLoopBackOff"
    assert billing["excerpts"]["node"]["text"] == "worker-1/10.0.0.7"
    assert [image["text"] for image in billing["images"]] == ["registry.example.org/billing:1.4"]
    assert (billing["counts"]["ready"], billing["counts"]["of"], billing["counts"]["restarts"]) == (
        "0",
        "1",
        "3",
    )
    assert web["counts"]["ready"] == "2"

    running = '{"where": [{"fact": "status", "texts": ["Running"]}]}'
    other = '{"where": [{"fact": "status", "texts": ["Running"], "other": true}]}'
    unready = '{"where": [{"fact": "all_ready", "texts": ["false"]}]}'
    oom = '{"where": [{"fact": "termination", "texts": ["OOMKilled"]}]}'
    counts = [call(tmp_path, "kubernetes_inventory", where)[0] for where in (running, other, unready, oom)]
    assert [document["count"] for document in counts] == ["1", "1", "1", "0"]
    # Of a row of a table nobody knows why its containers ended before.
    assert [document["unstated"] for document in counts] == ["0", "0", "0", "1"]
