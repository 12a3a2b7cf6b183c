"""`metrics_change_points`: onset, size and end of what left its level, and silence about what did not."""

import random
from collections.abc import Callable, Sequence
from typing import cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from services.executor.sources.metrics import Series
from services.executor.tools.metrics_change_points import MAX_LISTED, change_points
from services.executor.tools.samples import instant

BEGIN = 1_800_000_000
STEP = 5.0
COUNT = 96
CHANGE_AT = 50


def series(
    values: Sequence[float | None], name: str = "level", query: str = "", labels: dict[str, str] | None = None
) -> Series:
    samples = [
        (BEGIN + index * STEP, str(int(value)) if float(value).is_integer() else repr(value))
        for index, value in enumerate(values)
        if value is not None
    ]
    return Series("metrics/a.json", "", 1, 1, "0" * 64, name, query, labels or {}, samples, STEP)


def found(*given_series: Series) -> list[dict[str, object]]:
    document = change_points(given_series, None, None)
    assert isinstance(document, dict)
    return cast("list[dict[str, object]]", document["series"])


def at(index: int) -> str:
    seconds = int(index * STEP)
    return f"2027-01-15T08:{seconds // 60:02d}:{seconds % 60:02d}Z"


def noisy(value: float, seed: int = 1) -> list[float]:
    generator = random.Random(seed)  # noqa: S311 - repeatable noise
    return [value * (1 + generator.uniform(-0.1, 0.1)) for _ in range(COUNT)]


def test_a_step_is_found_at_its_first_sample_with_the_tokens_of_the_source() -> None:
    values = [4.0] * CHANGE_AT + [11.0 + index for index in range(COUNT - CHANGE_AT)]

    (change,) = found(series(values))

    assert (change["onset"], change["direction"], change["ended"]) == (at(CHANGE_AT), "rise", None)
    assert change["before"] == {"time": at(CHANGE_AT - 1), "value": "4"}
    assert change["at"] == {"time": at(CHANGE_AT), "value": "11"}
    assert change["extreme"] == {"time": at(COUNT - 1), "value": "56"}
    assert change["baseline"] == {"samples": "50", "median": "4", "min": "4", "max": "4"}


def test_an_excursion_that_is_over_says_when_it_was_back() -> None:
    values = [0.0] * CHANGE_AT + [9.0, 8.0] + [0.0] * (COUNT - CHANGE_AT - 2)

    (change,) = found(series(values))

    assert (change["onset"], change["ended"]) == (at(CHANGE_AT), at(CHANGE_AT + 2))


def test_a_small_disturbance_long_before_does_not_move_the_onset() -> None:
    values = noisy(0.05)
    values[36:40] = [0.2, 0.25, 0.2, 0.15]
    values[60:] = [11.0] * (COUNT - 60)

    (change,) = found(series(values))

    assert change["onset"] == at(60)


def test_a_fall_of_a_rate_is_found() -> None:
    values = [*noisy(7.0)[:CHANGE_AT], *([0.1] * (COUNT - CHANGE_AT))]

    (change,) = found(series(values))

    assert (change["direction"], change["onset"]) == ("fall", at(CHANGE_AT))


def test_a_rate_that_did_not_exist_before_is_a_rise_from_nothing() -> None:
    late = series([None] * CHANGE_AT + [2.5] * (COUNT - CHANGE_AT))

    (change,) = found(series([1.0] * COUNT), late)

    assert (change["onset"], change["before"], change["score"]) == (at(CHANGE_AT), None, None)
    assert change["baseline"] == {"samples": "0"}


@pytest.mark.parametrize(
    "values",
    [
        [1.0] * COUNT,
        [0.0, 1.0] * (COUNT // 2),
        [80.0] * COUNT,
        noisy(0.97),
        [0.8, 0.6, 0.4, 0.2, *noisy(0.04)[4:]],
        [3.0, 4.0, 4.0, 2.0] * (COUNT // 4),
    ],
    ids=["constant", "flicker", "limit", "busy all along", "warm-up", "small counts"],
)
def test_what_keeps_its_level_is_not_listed(values: list[float]) -> None:
    assert found(series(values)) == []


def test_a_series_that_names_a_version_by_a_label_is_no_level() -> None:
    new = series([None] * CHANGE_AT + [1.0] * (COUNT - CHANGE_AT), "build", labels={"version": "2"})

    assert found(series([0.0] * COUNT), new) == []


def test_a_counter_is_judged_by_its_rate_and_shown_by_its_tokens() -> None:
    steady = [float(10 * index) for index in range(COUNT)]
    faster = steady[:CHANGE_AT] + [steady[CHANGE_AT] + 500.0 * index for index in range(COUNT - CHANGE_AT)]

    (change,) = found(series(steady, "a_total"), series(faster, "b_total"))

    assert change["name"] == "b_total"
    assert change["onset"] == at(CHANGE_AT + 1)


def test_series_that_come_and_go_have_no_level() -> None:
    sparse: list[float | None] = [None] * COUNT
    for index in (3, 40, 41, 90):
        sparse[index] = 1.0 + index

    assert found(series([1.0] * COUNT), series(sparse)) == []


def test_samples_outside_the_window_and_without_a_number_do_not_count() -> None:
    values = [4.0] * CHANGE_AT + [90.0] * (COUNT - CHANGE_AT)
    one = series(values)
    one.samples[10] = (one.samples[10][0], "NaN")

    document = change_points([one], None, BEGIN + CHANGE_AT * STEP)

    assert document == {
        "end": instant(BEGIN + CHANGE_AT * STEP),
        "inputs": [{"source": "metrics/a.json", "sha256": "0" * 64}],
        "series": [],
        "unchanged": "1",
        "changed": "0",
        "not_judged": "0",
    }


def test_the_list_is_bounded_and_the_counts_are_not() -> None:
    many = [series([0.0] * CHANGE_AT + [9.0] * (COUNT - CHANGE_AT), f"m{index}") for index in range(100)]

    document = change_points(many, None, None)

    assert isinstance(document, dict)
    assert len(cast("list[object]", document["series"])) == MAX_LISTED
    assert document["changed"] == "100"


_LEVELS: dict[str, Callable[[float], float]] = {"count": round, "measure": lambda value: value / 1000 + 0.001}


@example(base=0, jump=60, change_at=34, kind="measure", seed=714)
@example(base=0, jump=60, change_at=34, kind="measure", seed=149)
@given(
    base=st.integers(0, 50), jump=st.integers(60, 10_000), change_at=st.integers(34, 90),
    kind=st.sampled_from(sorted(_LEVELS)), seed=st.integers(0, 1000),
)  # fmt: skip
def test_a_large_lasting_step_is_always_found_where_it_is(
    base: int, jump: int, change_at: int, kind: str, seed: int
) -> None:
    generator = random.Random(seed)  # noqa: S311 - repeatable noise
    to_level = _LEVELS[kind]
    values = [to_level(base + generator.randint(0, 2)) for _ in range(COUNT)]
    values[change_at:] = [to_level(20 * (base + jump) + generator.randint(0, 2)) for _ in values[change_at:]]

    (change,) = found(series(values))

    assert change["onset"] == at(change_at)


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=120))
def test_any_numbers_give_a_document(values: list[float]) -> None:
    samples = [(BEGIN + index * STEP, repr(value)) for index, value in enumerate(values)]
    one = Series("m.json", "", 1, 1, "", "m", "", {}, samples, STEP)

    document = change_points([one], None, None)

    assert isinstance(document, dict)
    counts = [str(document[name]) for name in ("changed", "unchanged", "not_judged")]
    assert sorted(counts) == ["0", "0", "1"]
