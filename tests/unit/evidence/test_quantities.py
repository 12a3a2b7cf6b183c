"""Numbers with their units, and what names tell of bare ones."""

from decimal import Decimal

import pytest

from services.common.evidence.quantities import (
    Dimension,
    Quantity,
    is_unit,
    name_units,
    number_words_in,
    quantities_in,
)


def read(text: str) -> list[Quantity]:
    return [quantity for _, _, quantity in quantities_in(text)]


@pytest.mark.parametrize(
    ("text", "number", "half", "dimension", "factor"),
    [
        ("3 seconds", "3", "0.5", Dimension.TIME, "1"),
        ("3 secs", "3", "0.5", Dimension.TIME, "1"),
        ("1 ms", "1", "0.5", Dimension.TIME, "0.001"),
        ("2 hours", "2", "0.5", Dimension.TIME, "3600"),
        ("4.30 s", "4.30", "0.005", Dimension.TIME, "1"),
        ("7.5%", "7.5", "0.05", Dimension.RATIO, "0.01"),
        ("512 MiB", "512", "0.5", Dimension.SIZE, "1048576"),
        ("9 rps", "9", "0.5", Dimension.RATE, "1"),
        ("2k", "2", "0.5", Dimension.COUNT, "1000"),
    ],
)
def test_a_number_with_a_unit(text: str, number: str, half: str, dimension: Dimension, factor: str) -> None:
    assert read(text) == [Quantity(Decimal(number), Decimal(half), dimension, Decimal(factor), has_unit=True)]


@pytest.mark.parametrize(
    ("text", "number", "half"),
    [
        ("80", "80", "0"),
        ("-80", "-80", "0"),
        ("\u221280", "-80", "0"),
        ("+80", "80", "0"),
        ("2,118", "2118", "0"),
        ("1'000'000", "1000000", "0"),
        ("0.5", "0.5", "0.05"),
        ("2.5e3", "2500", "50"),
        ("1E+2", "100", "0"),
    ],
)
def test_a_bare_number(text: str, number: str, half: str) -> None:
    (quantity,) = read(text)
    assert (quantity.number, quantity.half) == (Decimal(number), Decimal(half))
    assert (quantity.dimension, quantity.factor, quantity.has_unit) == (Dimension.COUNT, Decimal(1), False)


@pytest.mark.parametrize("text", ["v2", "a-2", "2.14.0", "db/7", "x_3", "9lives"])
def test_a_part_of_a_name_is_no_number(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(("text", "factors"), [("1 MB", (10**6, 2**20)), ("1 MiB", (2**20,)), ("1 B", (1,))])
def test_a_megabyte_is_one_thing_or_another(text: str, factors: tuple[int, ...]) -> None:
    assert read(text)[0].factors == tuple(map(Decimal, factors))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("two of Twelve", [2, 12]),
        ("thirty-one", [31]),
        ("ninety-nine and nineteen", [99, 19]),
        ("a two-phase, one", []),
        ("twice a dozen, a hundred", [2, 12, 100]),
        ("someten", []),
    ],
)
def test_numbers_that_are_words(text: str, numbers: list[int]) -> None:
    assert [quantity.number for _, _, quantity in number_words_in(text)] == numbers
    assert not any(quantity.has_unit for _, _, quantity in number_words_in(text))


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("http_latency_seconds", {Dimension.TIME: {Decimal(1)}}),
        ("took_ms", {Dimension.TIME: {Decimal("0.001")}}),
        ("duration", {Dimension.TIME: {Decimal(1)}}),
        ("memory_bytes and disk", {Dimension.SIZE: {Decimal(1)}}),
        ("ratio", {Dimension.RATIO: {Decimal(1)}}),
        ("used_pct", {Dimension.RATIO: {Decimal("0.01")}}),
        ("seconds or milliseconds", {Dimension.TIME: {Decimal(1), Decimal("0.001")}}),
        ("messages", {}),
        ("", {}),
    ],
)
def test_what_names_tell(text: str, units: dict[Dimension, set[Decimal]]) -> None:
    assert name_units(text) == units


def test_the_name_of_a_unit() -> None:
    assert is_unit("MB")
    assert is_unit("ms")
    assert not is_unit("idle")
