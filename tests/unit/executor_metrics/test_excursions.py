"""What a change point says of its series, checked sample by sample on noisy shapes with missing samples."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from services.executor.sources.metrics import Series
from services.executor.tools.metrics_change_points import change_points
from services.executor.tools.samples import instant

BEGIN = 1_800_000_000
COUNT = 96
STAYS = 3


@dataclass(frozen=True)
class Shape:
    """How far each sample is from the usual level: 0 is usual, 1 is as far as it gets."""

    levels: Sequence[float]

    @property
    def begin(self) -> int:
        return next(index for index, level in enumerate(self.levels) if level)


def step(at: int) -> Shape:
    return Shape([0.0] * at + [1.0] * (COUNT - at))


def ramp(at: int) -> Shape:
    return Shape([0.0] * at + [(index + 1) / (COUNT - at) for index in range(COUNT - at)])


def plateau(at: int) -> Shape:
    return Shape([min(1.0, level * 2) for level in ramp(at).levels])


def spike(at: int) -> Shape:
    return Shape([0.0] * at + [0.5, 1.0, 1.0, 0.5] + [0.0] * (COUNT - at - 4))


def two(at: int) -> Shape:
    return Shape([0.0] * at + [1.0] * 4 + [0.0] * 6 + [0.7] * 5 + [0.0] * (COUNT - at - 15))


LASTING = [step, ramp, plateau]
PASSING = [spike, two]


def drawn(shape: Shape, base: int, jump: int, seed: int, *, irregular: bool, falls: bool) -> Series:
    """A noisy series of that shape; with `irregular`, a fifth of its samples are late or missing."""
    chance = random.Random(seed)  # noqa: S311 - repeatable noise
    sign = -1 if falls else 1
    usual = base + (jump if falls else 0)
    samples = []
    for index, level in enumerate(shape.levels):
        noise = chance.randint(0, 2)
        late = chance.randint(1, 2) if irregular and chance.random() < 0.1 else 0
        if not (irregular and chance.random() < 0.1):
            value = usual + noise + sign * round(level * jump)
            samples.append((float(BEGIN + 5 * index + late), str(value)))
    return Series("m.json", "", 1, 1, "0" * 64, "things", "", {}, samples, 5.0)


def change_of(series: Series) -> dict[str, object]:
    document = cast("dict[str, list[dict[str, object]]]", change_points([series], None, None))
    (change,) = document["series"]
    return change


def _inside(series: Series, shape: Shape) -> list[float]:
    """Return the instants of the samples that are not at the usual level."""
    last = max(index for index, level in enumerate(shape.levels) if level)
    span = (BEGIN + 5 * shape.begin, BEGIN + 5 * last + 4)
    return [
        time
        for time, _ in series.samples
        if span[0] <= time <= span[1] and shape.levels[int(time - BEGIN) // 5]
    ]


def check(change: dict[str, object], series: Series) -> None:
    """Check every stated sample against the samples themselves."""
    times = [instant(time) for time, _ in series.samples]
    values = [float(token) for _, token in series.samples]
    onset = times.index(cast("str", change["onset"]))
    ended = times.index(cast("str", change["ended"])) if change["ended"] else None
    usual = values[:onset]
    stated = {name: cast("dict[str, str]", change[name]) for name in ("before", "at", "extreme", "last")}
    for name, index in (("before", onset - 1), ("at", onset), ("last", len(values) - 1)):
        assert stated[name] == {"time": times[index], "value": series.samples[index][1]}
    away = values[onset:ended]
    farthest = max(away) if change["direction"] == "rise" else min(away)
    assert float(stated["extreme"]["value"]) == farthest
    assert times.index(stated["extreme"]["time"]) >= onset
    baseline = cast("dict[str, str]", change["baseline"])
    assert (int(baseline["samples"]), float(baseline["min"]), float(baseline["max"])) == (
        onset,
        min(usual),
        max(usual),
    )
    if ended is not None:
        inside = [min(usual) <= value <= max(usual) for value in values]
        assert inside[ended : ended + STAYS] == [True] * STAYS
        middle, reach = sum(usual) / onset, abs(farthest - sum(usual) / onset)
        far = "".join("f" if abs(value - middle) > reach / 2 else "-" for value in values[ended:])
        assert "f" * STAYS not in far


@pytest.mark.parametrize("make", [*LASTING, *PASSING], ids=lambda make: make.__name__)
@given(
    at=st.integers(40, 70), base=st.integers(0, 50), jump=st.integers(60, 10_000),
    seed=st.integers(0, 10_000), irregular=st.booleans(), falls=st.booleans(),
)  # fmt: skip
def test_what_is_said_of_a_shape_is_true_of_its_samples(
    make: Callable[[int], Shape], at: int, base: int, jump: int, seed: int, irregular: bool, falls: bool
) -> None:
    shape = make(at)
    series = drawn(shape, base, jump, seed, irregular=irregular, falls=falls)
    # Without its highest samples, which may be missing, a short excursion is none.
    assume(make in LASTING or not irregular or len(_inside(series, shape)) == sum(map(bool, shape.levels)))
    change = change_of(series)

    check(change, series)
    assert change["direction"] == ("fall" if falls else "rise")
    first = next(time for time, _ in series.samples if time >= BEGIN + 5 * shape.begin)
    onset = next(time for time, _ in series.samples if instant(time) == change["onset"])
    assert onset >= first
    if make is step:
        assert onset == first
    if make in LASTING:
        assert change["ended"] is None


@given(st.integers(40, 70), st.integers(60, 10_000), st.integers(0, 10_000))
def test_a_passing_excursion_has_an_end_after_its_last_high_sample(at: int, jump: int, seed: int) -> None:
    for make in PASSING:
        shape = make(at)
        series = drawn(shape, 0, jump, seed, irregular=False, falls=False)
        change = change_of(series)

        assert change["ended"] is not None
        last_high = max(index for index, level in enumerate(shape.levels) if level)
        ended = next(
            index for index, (time, _) in enumerate(series.samples) if instant(time) == change["ended"]
        )
        assert ended > last_high


def test_a_number_of_things_that_grows_and_stays_has_not_ended() -> None:
    values = [0] * 60 + [1, 1, 2, 3, 3, 4, 5, 5, 6, 6, 7, 8, 8, 9, 10, *([10] * 20)]
    samples = [(float(BEGIN + 5 * index), str(value)) for index, value in enumerate(values)]
    assert all(after >= before for before, after in pairwise(values))
    series = Series(
        "m.json", "", 1, 1, "0" * 64, "waiting", "", {"__name__": "db_waiting_count"}, samples, 5.0
    )

    change = change_of(series)

    assert (change["judged"], change["ended"]) == ("level", None)
    assert cast("dict[str, str]", change["extreme"])["value"] == "10"


def test_falling_below_what_is_usual_is_no_return() -> None:
    values = [20, 21, 22] * 20 + [90, 91, 92] + [1] * 30
    samples = [(float(BEGIN + 5 * index), str(value)) for index, value in enumerate(values)]
    series = Series("m.json", "", 1, 1, "0" * 64, "level", "", {}, samples, 5.0)

    assert change_of(series)["ended"] is None


def test_a_series_of_zeros_that_begins_late_did_not_appear_when_it_rose() -> None:
    steady = Series(
        "m.json", "", 1, 1, "0" * 64, "a", "", {}, [(float(BEGIN + 5 * i), "3") for i in range(96)], 5.0
    )
    late = [(float(BEGIN + 5 * index), "0" if index < 60 else "7") for index in range(40, 96)]
    series = Series("m.json", "", 1, 1, "0" * 64, "b", "", {}, late, 5.0)
    document = cast("dict[str, list[dict[str, object]]]", change_points([steady, series], None, None))

    (change,) = document["series"]

    assert change["onset"] == instant(BEGIN + 300)
    assert change["before"] == {"time": instant(BEGIN + 295), "value": "0"}


@given(
    count=st.integers(40, 200), share=st.floats(0.1, 0.9), base=st.integers(0, 50),
    jump=st.integers(60, 10_000), seed=st.integers(0, 10_000), falls=st.booleans(),
)  # fmt: skip
def test_a_clear_step_is_found_wherever_it_lies(
    count: int, share: float, base: int, jump: int, seed: int, falls: bool
) -> None:
    at = min(max(4, round(share * count)), count - 4)
    series = drawn(Shape([0.0] * at + [1.0] * (count - at)), base, jump, seed, irregular=False, falls=falls)

    change = change_of(series)

    check(change, series)
    assert change["onset"] == instant(BEGIN + 5 * at)
    assert (change["direction"], change["ended"]) == ("fall" if falls else "rise", None)


@given(st.integers(0, 10_000), st.integers(5, 20))
def test_one_sample_back_at_the_old_level_does_not_hide_an_early_step(seed: int, at: int) -> None:
    shape = Shape([0.0] * at + [1.0] * 40 + [0.0] + [1.0] * 40)
    series = drawn(shape, 5, 500, seed, irregular=False, falls=False)

    assert change_of(series)["onset"] == instant(BEGIN + 5 * at)


@given(st.lists(st.sampled_from([100, 101, 102, 103, 104]), min_size=40, max_size=120))
def test_a_level_that_only_trembles_has_no_step(values: list[int]) -> None:
    samples = [(float(BEGIN + 5 * index), str(value)) for index, value in enumerate(values)]
    series = Series("m.json", "", 1, 1, "0" * 64, "level", "", {}, samples, 5.0)
    document = cast("dict[str, list[object]]", change_points([series], None, None))

    assert document["series"] == []
