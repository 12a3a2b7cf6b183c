"""The numbers and the times of some texts, found by value."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import islice
from typing import Final, NamedTuple

from services.common.evidence.instants import DAY_US, Instant, instants_in
from services.common.evidence.quantities import Dimension, Quantity, name_units, quantities_in

# Unix timestamps between 2001 and 2100; the second figure is how many microseconds one unit is.
_EPOCHS: Final = (
    (Decimal(10) ** 9, Decimal("4.2e9"), 1_000_000),
    (Decimal(10) ** 12, Decimal("4.2e12"), 1_000),
)


class NamedText(NamedTuple):
    """A text and what it is called where it stands; the name may be empty."""

    text: str
    name: str


class _Measured(NamedTuple):
    """The numbers of one text, and the units that its own names tell."""

    quantities: list[Quantity]
    units: dict[Dimension, set[Decimal]]


class Measures:
    """The numbers and times of some texts, read when first asked for.

    `names` are further texts whose words may tell what a bare number measures, and whose times count.
    """

    def __init__(self, texts: Sequence[NamedText], names: Sequence[str]) -> None:
        self._texts = texts
        self._names = names
        self._numbers: dict[Dimension, list[Decimal]] = {}

    def has_number(self, dimension: Dimension, low: Decimal, high: Decimal) -> bool:
        """Tell whether a number from low to high, in base units, both included, is there."""
        if dimension not in self._numbers:
            self._numbers[dimension] = sorted(set(self._in_base_units(dimension)))
        numbers = self._numbers[dimension]
        position = bisect_left(numbers, low)
        return position < len(numbers) and numbers[position] <= high

    def has_time(self, stated: Instant) -> bool:
        """Tell whether a time is there that lies within the stated one, and is written as precisely."""
        dated, clocks = self._times
        index = dated if stated.dated else clocks
        for start, width in islice(index, bisect_left(index, (stated.start, 0)), None):
            if start >= stated.end:
                break
            if start + width <= stated.end:
                return True
        return False

    @cached_property
    def _measured(self) -> list[_Measured]:
        return [
            _Measured(list(_quantities(text)), name_units(f"{text} {name}")) for text, name in self._texts
        ]

    @cached_property
    def _units(self) -> dict[Dimension, set[Decimal]]:
        """What the names anywhere tell of numbers whose own text tells nothing.

        A text with numbers of its own speaks of those.
        """
        found: dict[Dimension, set[Decimal]] = {}
        named = (measured.units for measured in self._measured if not measured.quantities)
        for units in (*named, *map(name_units, self._names)):
            for dimension, factors in units.items():
                found.setdefault(dimension, set()).update(factors)
        return found

    @cached_property
    def _times(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """The starts and widths of the times with a date, and of all by their time of day."""
        texts = (*(text for text, _ in self._texts), *self._names)
        found = [instant for text in texts for _, _, instant in instants_in(text)]
        found += [
            at for measured in self._measured for number in measured.quantities for at in _epochs(number)
        ]
        return (
            sorted({(instant.start, instant.width) for instant in found if instant.dated}),
            sorted({(instant.start % DAY_US, instant.width) for instant in found}),
        )

    def _in_base_units(self, dimension: Dimension) -> Iterator[Decimal]:
        """Yield every bound number that can measure a dimension, in its base unit."""
        for quantities, units in self._measured:
            named = units.get(dimension) or self._units.get(dimension)
            for quantity in quantities:
                if quantity.dimension is dimension:
                    yield from (quantity.number * factor for factor in quantity.factors)
                if dimension in _BARE_DIMENSIONS[quantity.has_unit]:
                    yield quantity.number
                elif not quantity.has_unit:
                    # What its own name calls seconds is no ratio.
                    factors = named or (() if units else _unnamed(quantity, dimension))
                    yield from (quantity.number * factor for factor in factors)


# A sentence may leave out a unit; a number without one may be a count or a rate.
_BARE_DIMENSIONS: Final = {True: (Dimension.COUNT,), False: (Dimension.COUNT, Dimension.RATE)}


def _unnamed(quantity: Quantity, dimension: Dimension) -> tuple[Decimal, ...]:
    """Without a name that says more, seconds and ratios are what systems write with decimals."""
    return (Decimal(1),) if quantity.half and dimension in (Dimension.TIME, Dimension.RATIO) else ()


def _quantities(text: str) -> Iterator[Quantity]:
    """Yield the numbers of a text that are no part of a time."""
    spans = [(start, end) for start, end, _ in instants_in(text)]
    position = 0
    for start, end, quantity in quantities_in(text):
        while position < len(spans) and spans[position][1] <= start:
            position += 1
        if position == len(spans) or end <= spans[position][0]:
            yield quantity


def _epochs(quantity: Quantity) -> Iterator[Instant]:
    if quantity.has_unit:
        return
    for low, high, scale in _EPOCHS:
        if low <= quantity.number < high:
            width = max(int(2 * quantity.half * scale), 1) if quantity.half else scale
            yield Instant(int(quantity.number * scale), width, dated=True)
