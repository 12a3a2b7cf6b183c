"""`metrics_shift`: what was usual before an instant, what came since, and by how much that is more."""

from collections.abc import Sequence
from statistics import fmean, median, pstdev
from typing import Any

import pytest

from services.common.evidence import strict_json
from services.executor.sources.metrics import Series
from services.executor.tools.metrics_shift import MAX_LISTED, metrics_shift
from services.executor.tools.shift_scores import shift_of

BEGIN = 1_800_000_000
STEP = 10.0
BEFORE = 20
SPLIT = BEGIN + BEFORE * STEP
# Repeats without trend, so that every mean over four is the same.
WAVE = [1.0, 1.2, 0.8, 1.0]


def series(
    values: Sequence[float | None],
    name: str = "level",
    labels: dict[str, str] | None = None,
    owner: str = "a",
) -> Series:
    samples = [(BEGIN + index * STEP, str(value)) for index, value in enumerate(values) if value is not None]
    return Series("metrics/a.csv", owner, 1, 9, "0" * 64, name, "", labels or {}, samples, STEP)


def found(*given: Series, split: float = SPLIT, components: Sequence[str] = ()) -> list[dict[str, Any]]:
    document: Any = metrics_shift(given, split, (None, None), components)
    return list(document["series"])


def test_a_level_is_told_by_its_median_and_the_mean_since() -> None:
    (row,) = found(series(WAVE * 5 + [3.0, 3.4, 3.2]))

    assert (row["judged"], row["reference"]["usual"], row["reference"]["samples"]) == ("level", "1", "20")
    assert row["since"] == {"samples": "3", "mean": "3.2", "min": "3", "max": "3.4", "sum": "9.6"}
    assert (row["difference"], row["left_at"]) == ("2.2", "2027-01-15T08:03:20Z")
    assert all(float(score) > 3 for score in row["scores"].values())


def test_the_scores_are_those_of_their_definitions() -> None:
    reference = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    since = [9.0, 12.0, 3.0]
    shift = shift_of(reference, since, counts=False)
    assert shift is not None
    deviation = median(abs(value - 4.5) for value in reference)
    assert shift.robust == pytest.approx((12 - 4.5) / (6.25 - 2.75))
    assert shift.n_sigma == pytest.approx((12 - 4.5) / pstdev(reference))
    assert shift.median_shift == pytest.approx((9 - 4.5) / (1.4826 * deviation))
    means = [fmean(reference[index : index + 3]) for index in range(6)]
    usual = max(pstdev(means), 1.4826 * deviation / 3**0.5)
    assert shift.window == pytest.approx((8 - 4.5) / usual)


def test_a_counter_is_compared_by_its_growth_even_over_a_restart() -> None:
    grown = [float(10 * index) for index in range(BEFORE)]
    (row,) = found(series([*grown, 5.0, 45.0, 85.0], "errors_total"))

    assert (row["judged"], row["reference"]["usual"]) == ("increase", "10")
    assert (row["since"]["min"], row["since"]["max"]) == ("5", "40")


def test_a_histogram_is_compared_by_the_mean_of_its_observations() -> None:
    count = [10.0 * index for index in range(23)]
    total = [1.0 * index for index in range(BEFORE)] + [24.0, 29.0, 34.0]
    labels = {"service": "a"}
    rows = found(
        series(total, "seconds_sum", labels),
        series(count, "seconds_count", labels),
        series(count, "seconds_bucket", {**labels, "le": "1"}),
    )

    assert [(row["name"], row["judged"]) for row in rows] == [
        ("seconds_sum", "mean"),
        ("seconds_count", "increase"),
    ]
    mean = rows[0]
    assert (mean["reference"]["usual"], mean["since"]["mean"]) == ("0.1", "0.5")
    assert mean["by"] == {"name": "seconds_count", "labels": '{service="a"}'}
    assert len(mean["inputs"]) == 2


@pytest.mark.parametrize("whole", [1.0, 100.0])
def test_a_share_counts_as_failed_requests_in_either_notation(whole: float) -> None:
    shares = [whole] * BEFORE + [whole * 0.9, whole * 0.8, whole]
    rows = found(
        series(shares, "availability", {"service": "a", "stat": "mean"}),
        series([50.0] * 23, "requests", {"service": "a", "stat": "sum"}),
        series([7.0] * 23, "requests", {"service": "b", "stat": "sum"}),
    )

    (row,) = [row for row in rows if row["judged"] == "failures"]
    assert (row["reference"]["usual"], row["since"]["sum"]) == ("0", "15")


def test_one_failed_request_of_three_is_no_more_than_one_of_a_hundred() -> None:
    def shift(asked: float) -> float:
        shares = [1.0] * BEFORE + [1.0 - 1.0 / asked, 1.0, 1.0]
        rows = found(series(shares, "availability"), series([asked] * 23, "requests"))
        return next(float(row["scores"]["window"]) for row in rows if row["judged"] == "failures")

    assert shift(3) == shift(100) == pytest.approx(1.0)


def test_a_share_without_requests_is_a_level() -> None:
    (row,) = found(series([100.0] * BEFORE + [90.0] * 3, "availability"))
    assert (row["judged"], row["difference"]) == ("level", "-10")
    assert float(row["scores"]["window"]) < -3


def test_missing_samples_are_left_out_and_too_few_are_not_compared() -> None:
    sparse: list[float | None] = [1.0, None] * 10
    document: Any = metrics_shift(
        [series([*sparse, 4.0, None, 4.0]), series([None] * BEFORE + [1.0] * 3)], SPLIT
    )
    (row,) = document["series"]
    assert (row["reference"]["samples"], row["since"]["samples"]) == ("10", "2")
    assert (document["compared"], document["not_compared"]) == ("1", "1")


def test_what_has_been_over_for_long_does_not_hide_what_it_was() -> None:
    (row,) = found(series(WAVE * 5 + [9.0] * 6 + WAVE * 20))
    assert (row["since"]["samples"], row["since"]["mean"]) == ("6", "9")


def test_a_sample_that_sums_up_the_step_in_which_it_began_belongs_to_since() -> None:
    values = WAVE * 5 + [9.0] * 3
    (row,) = found(series(values), split=SPLIT + 0.4 * STEP)
    assert row["since"]["samples"] == "3"
    (row,) = found(series(values), split=SPLIT + 0.6 * STEP)
    assert row["since"]["samples"] == "2"


def test_only_the_named_owners_are_compared_and_the_list_is_bounded() -> None:
    assert [
        row["owner"] for row in found(series(WAVE * 6), series(WAVE * 6, owner="b"), components=["b"])
    ] == ["b"]
    many = [series(WAVE * 6, labels={"n": str(index)}) for index in range(MAX_LISTED + 1)]
    document: Any = metrics_shift(many, SPLIT)
    assert document["compared"] == str(MAX_LISTED + 1)
    assert 0 < len(document["series"]) <= MAX_LISTED
    assert len(strict_json.dumps(document)) < 512 << 10
    long = [series(WAVE * 6, labels={"n": f"{index}" * 900}) for index in range(MAX_LISTED)]
    assert len(strict_json.dumps(metrics_shift(long, SPLIT))) < 512 << 10
