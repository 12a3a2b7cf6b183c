"""`metrics_saturation`: which usage is measured against which limit, and when the limit was reached."""

from collections.abc import Sequence
from typing import cast

from services.executor.sources.metrics import Series
from services.executor.tools.metrics_saturation import saturation

BEGIN = 1_800_000_000


def series(
    name: str, values: Sequence[float], owner: str = "db", labels: dict[str, str] | None = None
) -> Series:
    samples = [(BEGIN + 10.0 * index, str(value)) for index, value in enumerate(values)]
    return Series(f"metrics/{name}.json", owner, 1, 1, "0" * 64, name, name, labels or {}, samples, 10.0)


def pairs(*given_series: Series) -> list[dict[str, object]]:
    document = saturation(given_series, None, None)
    assert isinstance(document, dict)
    return cast("list[dict[str, object]]", document["pairs"])


def test_parts_are_summed_and_the_largest_is_shown() -> None:
    limit = series("db_max_sessions", [80] * 6)
    first = series("db_sessions_by_user", [4, 4, 4, 40, 70, 76], "", {"user": "a"})
    second = series("db_sessions_by_user", [4] * 6, "", {"user": "b"})

    (pair,) = pairs(limit, first, second)

    assert (pair["limit"], pair["usage_before"], pair["usage_max"]) == ("80", "8", "80")
    assert (pair["ratio_max"], pair["reached"]) == ("1", "2027-01-15T08:00:50Z")
    assert pair["largest"] == {
        "source": "metrics/db_sessions_by_user.json", "labels": '{user="a"}', "value": "76",
    }  # fmt: skip
    limit_input = cast("list[dict[str, object]]", pair["inputs"])[0]
    assert limit_input["source"] == "metrics/db_max_sessions.json"


def test_a_limit_that_is_far_away_is_a_pair_that_was_not_reached() -> None:
    (pair,) = pairs(series("kv_memory_max", [1000] * 3, "kv"), series("kv_memory_used", [10, 20, 30], "kv"))

    assert (pair["reached"], pair["ratio_max"]) == (None, "0.03")
    assert "largest" not in pair


def test_no_limit_is_no_pair() -> None:
    used = series("kv_memory_used", [10, 20, 30], "kv")

    assert pairs(series("kv_memory_max", [0] * 3, "kv"), used) == []
    assert pairs(series("kv_memory_max", [-1] * 3, "kv"), used) == []
    assert pairs(series("kv_memory_max", [40, 50, 60], "kv"), used) == []


def test_another_system_or_another_instance_is_not_measured_against_the_limit() -> None:
    limit = series("db_max_sessions", [80] * 3, labels={"instance": "one"})

    assert pairs(limit, series("web_sessions", [79] * 3, "web")) == []
    assert pairs(limit, series("db_sessions", [79] * 3, labels={"instance": "two"})) == []
    assert len(pairs(limit, series("db_sessions", [79] * 3, labels={"instance": "one"}))) == 1


def test_what_is_left_over_is_no_usage() -> None:
    assert pairs(series("kv_memory_max", [100] * 3, "kv"), series("kv_memory_free", [99] * 3, "kv")) == []
