"""The tools on written bundles: shapes, windows, caps, refusals."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from services.common.evidence import places, strict_json
from services.executor.sources.bundle import Bundle
from services.executor.sources.directory import SourceError
from services.executor.tools.registry import tools
from services.executor.tools.tool import ToolError, ToolOutput
from tests.fakes.bundles import TOPOLOGY, Tree, a_response, a_stop, opened, write

TOOLS = tools(1 << 20, 30)
LOG = """\
2026-11-30T09:00:00Z INFO started
2026-11-30T09:00:10Z ERROR lost connection to 10.0.0.1:5432
Traceback (most recent call last):
  File "a.py", line 1, in f
db.ConnectionError: refused by 10.0.0.1
2026-11-30T09:00:20Z INFO GET /cart/17 200 12ms
2026-11-30T09:00:30Z ERROR lost connection to 10.0.0.2:5432
"""


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    samples = [(1796029500.0 + 5 * step, str(step)) for step in range(20)]
    return opened(
        write(
            tmp_path,
            {
                "logs/cart.log": LOG,
                "logs/plain.log": "free text\nERROR: broken\n",
                "alerts.json": {"alerts": [{"labels": {"alertname": "A", "n": "1"}}]},
                "events.json": '[\n{"time": "2026-11-30T09:00:00Z",\n "summary": "x", "n": 1.50}\n]',
                "topology.json": TOPOLOGY,
                "m/up.json": a_response(({"__name__": "up", "job": "cart-job"}, samples)),
                "m/series.json": [{"name": "up", "query": "up", "file": "m/up.json"}],
            },
        )
    )


def call(bundle: Bundle, name: str, **arguments: Tree) -> ToolOutput:
    tool = TOOLS[name]
    raw = strict_json.dumps(
        {
            key: strict_json.NumberToken(value) if isinstance(value, int) else value
            for key, value in arguments.items()
        }
    )
    return tool.run(bundle, tool.arguments.model_validate_json(raw), a_stop())


def document(bundle: Bundle, name: str, **arguments: Tree) -> Tree:
    return call(bundle, name, **arguments).document


def test_elements_keep_their_tokens_and_say_where_they_stand(bundle: Bundle) -> None:
    found = document(bundle, "change_events_list", source="events.json")
    assert strict_json.dumps(found["elements"][0]["value"]["n"]) == b"1.50"
    place = places.places(found, ["elements", "0", "value", "n"])[0]
    assert (place.source, place.first_line, place.last_line) == ("events.json", 2, 3)


def test_a_record_is_found_whole_by_any_of_its_lines(bundle: Bundle) -> None:
    found = document(bundle, "logs_search", source="logs/cart.log", contains=["ConnectionError", "lost"])
    assert [line["n"] for line in found["lines"]] == ["2", "3", "4", "5"]
    assert {line["time"] for line in found["lines"]} == {"2026-11-30T09:00:10Z"}
    assert found["owner"] == "cart"


def test_the_window_is_half_open(bundle: Bundle) -> None:
    window = {"start": "2026-11-30T09:00:10Z", "end": "2026-11-30T09:00:30Z"}
    found = document(bundle, "logs_search", source="logs/cart.log", **window)
    assert [line["n"] for line in found["lines"]] == ["2", "3", "4", "5", "6"]


def test_lines_without_any_time_belong_to_every_window_and_to_no_side(bundle: Bundle) -> None:
    window = {"start": "2030-01-01T00:00:00Z"}
    found = document(bundle, "logs_search", source="logs/plain.log", **window)
    assert [line["time"] for line in found["lines"]] == ["", ""]
    counted = document(bundle, "logs_templates", source="logs/plain.log", split="2026-11-30T09:00:00Z")
    assert (counted["lines"], counted["lines_before"], counted["lines_after"]) == ("2", "0", "0")


def test_more_lines_than_the_limit_are_marked(bundle: Bundle) -> None:
    found = call(bundle, "logs_search", source="logs/cart.log", limit=3)
    assert found.truncated
    assert not call(bundle, "logs_search", source="logs/cart.log", limit=7).truncated
    assert len(found.document["lines"]) == 3  # type: ignore[index,arg-type,call-overload] # an object with a list


def test_templates_group_by_shape_and_show_the_exception(bundle: Bundle) -> None:
    found = document(bundle, "logs_templates", source="logs/cart.log", split="2026-11-30T09:00:15Z")
    assert (found["errors_before"], found["errors_after"], found["lines"]) == ("1", "1", "7")
    traced, plain = found["templates"][1], found["templates"][0]
    assert traced["detail"]["text"] == "db.ConnectionError: refused by 10.0.0.1"
    assert (traced["detail"]["n"], traced["detail"]["time"]) == ("5", "2026-11-30T09:00:10Z")
    assert (plain["count_before"], plain["count_after"], plain["severity"]) == ("0", "1", "failure")
    assert found["durations"] == {
        "count": "1",
        "max_seconds": "0.012",
        "over_1s_before": "0",
        "over_1s_after": "0",
    }


def test_samples_are_the_file_s_own_within_the_window(bundle: Bundle) -> None:
    found = document(bundle, "metrics_query_range", source="m/up.json", start="2026-11-30T09:05:05Z")
    element = found["elements"][0]
    assert element["owner"] == "cart"
    assert strict_json.dumps(element["value"]["values"][0]) == b'[1796029505.0,"1"]'
    assert len(element["value"]["values"]) == 19


TABLE = """\
time,latency{service="cart"},latency{service="edge"},errors{service="cart"}
2026-11-30T09:00:00Z,0.1,0.2,0
2026-11-30T09:00:10Z,0.5,,3
2026-11-30T09:00:20Z,0.6,0.3,4
"""


def test_a_table_s_columns_are_series_with_the_lines_of_their_samples(tmp_path: Path) -> None:
    bundle = opened(write(tmp_path, {"metrics/m.csv": TABLE, "topology.json": TOPOLOGY}))
    window = {"start": "2026-11-30T09:00:10Z", "end": "2026-11-30T09:00:20Z"}

    found = document(bundle, "metrics_query_range", source="metrics/m.csv", **window)

    first, empty, last = found["elements"]
    assert (first["first_line"], first["last_line"], first["owner"]) == ("3", "3", "cart")
    assert first["value"]["metric"] == {"__name__": "latency", "service": "cart"}
    assert strict_json.dumps(first["value"]["values"]) == b'[[1796029210,"0.5"]]'
    assert empty["value"]["values"] == []
    assert last["value"]["values"][0][1] == "3"
    listed = document(bundle, "metrics_list", source="metrics/m.csv")["elements"]
    assert [element["value"]["metric"]["__name__"] for element in listed] == ["latency", "latency", "errors"]


def test_a_metric_source_lists_what_it_offers(bundle: Bundle) -> None:
    assert document(bundle, "metrics_list", source="m/series.json")["elements"][0]["value"]["query"] == "up"
    listed = document(bundle, "metrics_list", source="m/up.json")["elements"][0]
    assert set(listed["value"]) == {"metric"}
    with pytest.raises(ToolError, match="index"):
        call(bundle, "metrics_query_range", source="m/series.json")


@pytest.mark.parametrize("name", ["metrics_change_points", "metrics_saturation"])
def test_derived_metric_tools_read_all_sources_or_the_named_ones(bundle: Bundle, name: str) -> None:
    everything = document(bundle, name)
    assert document(bundle, name, sources=["m/up.json"]) == everything


def test_a_source_of_another_kind_or_none_is_named(bundle: Bundle) -> None:
    with pytest.raises(SourceError, match=r"is of kind log, not alert"):
        call(bundle, "alerts_list", source="logs/cart.log")
    with pytest.raises(SourceError, match=r"no source 'x'; it has alerts\.json"):
        call(bundle, "alerts_list", source="x")


@pytest.mark.parametrize(
    "arguments",
    [
        b"{}",
        b'{"source": 1}',
        b'{"source": ""}',
        b'{"source": "a", "more": 1}',
        b'{"source": "a", "limit": 0}',
        b'{"source": "a", "limit": "5"}',
        b'{"source": "a", "start": "yesterday"}',
        b'{"source": "a", "start": "2026-11-30T09:00:00"}',
        b'{"source": "a", "start": "2026-11-30T09:00:00Z", "end": "2026-11-30T09:00:00Z"}',
    ],
)
def test_illegal_arguments_are_refused(arguments: bytes) -> None:
    with pytest.raises(ValidationError):
        TOOLS["logs_search"].arguments.model_validate_json(arguments)
