"""Numbers with their units, compared by value at the precision that was written."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final


class Dimension(StrEnum):
    """What a number measures. Its base unit is the first one named."""

    COUNT = "count"
    TIME = "seconds"
    SIZE = "bytes"
    RATIO = "ratio"
    RATE = "per second"


_KI: Final = Decimal(1024)
_UNITS: Final[Mapping[str, tuple[Dimension, Decimal]]] = {
    **dict.fromkeys(("ns", "nanosecond"), (Dimension.TIME, Decimal("1e-9"))),
    **dict.fromkeys(("us", "µs", "μs", "microsecond"), (Dimension.TIME, Decimal("1e-6"))),
    **dict.fromkeys(("ms", "msec", "millisecond", "milli"), (Dimension.TIME, Decimal("0.001"))),
    **dict.fromkeys(("s", "sec", "second"), (Dimension.TIME, Decimal(1))),
    **dict.fromkeys(("m", "min", "minute"), (Dimension.TIME, Decimal(60))),
    **dict.fromkeys(("h", "hr", "hour"), (Dimension.TIME, Decimal(3600))),
    **dict.fromkeys(("d", "day"), (Dimension.TIME, Decimal(86400))),
    **dict.fromkeys(("%", "percent", "pct", "percentage"), (Dimension.RATIO, Decimal("0.01"))),
    **dict.fromkeys(("b", "byte"), (Dimension.SIZE, Decimal(1))),
    **dict.fromkeys(("/s", "/sec", "per second", "rps", "qps"), (Dimension.RATE, Decimal(1))),
    **dict.fromkeys(("/min", "per minute", "rpm"), (Dimension.RATE, Decimal(1) / 60)),
    **dict.fromkeys(("k", "thousand"), (Dimension.COUNT, Decimal(1000))),
    "million": (Dimension.COUNT, Decimal(1_000_000)),
    "billion": (Dimension.COUNT, Decimal(1_000_000_000)),
    **{f"{letter}ib": (Dimension.SIZE, _KI ** (i + 1)) for i, letter in enumerate("kmgt")},
    # Systems write MB for both; each reading is accepted, see `Quantity.factors`.
    **{f"{letter}b": (Dimension.SIZE, Decimal(1000) ** (i + 1)) for i, letter in enumerate("kmgt")},
}
_BINARY: Final = {Decimal(1000) ** i: _KI**i for i in range(1, 5)}

# Names that say in which unit a bare number beside them is, and names that only say of what kind it is: then
# it is in the base unit.
_UNIT_NAMES: Final[Mapping[str, tuple[Dimension, Decimal]]] = {
    **{name: unit for name, unit in _UNITS.items() if len(name) > 3 and name.isalpha()},
    **{f"{name}s": unit for name, unit in _UNITS.items() if len(name) > 3 and name.isalpha()},
    "ms": _UNITS["ms"],
    "pct": _UNITS["pct"],
}
_KIND_NAMES: Final[Mapping[str, Dimension]] = {
    **dict.fromkeys(
        ("latency", "duration", "elapsed", "took", "rt", "urt", "silence", "age"), Dimension.TIME
    ),
    **dict.fromkeys(("memory", "size", "disk"), Dimension.SIZE),
    **dict.fromkeys(("ratio", "fraction"), Dimension.RATIO),
}
_WORD: Final = re.compile(r"(?<![A-Za-z\d])[A-Za-z]{2,16}(?![A-Za-z])")

_UNIT: Final = "|".join(
    re.escape(name) + ("s?" if len(name) > 2 and name.isalpha() else "")
    for name in sorted(_UNITS, key=len, reverse=True)
)
_NUMBER: Final = re.compile(
    r"(?<![\w.])(?<![^\W\d][-/])(?P<sign>[-\u2212+](?=\d))?"
    r"(?P<digits>\d{1,3}(?:[,'_\u202f\u00a0]\d{3})+(?!\d)|\d+)(?P<decimals>\.\d+)?(?P<exponent>e[+-]?\d{1,3})?"
    rf"(?:[ \u00a0-]?(?P<unit>{_UNIT})(?!\w))?(?!\w)(?!\.\d)",
    re.IGNORECASE,
)
_GROUPING: Final = re.compile(r"[,'_\u202f\u00a0]")
_DIGIT_WORDS: Final[Mapping[str, int]] = (
    {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
)  # fmt: skip
_TENS_WORDS: Final[Mapping[str, int]] = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
} | {"ninety": 90}
# Nobody counts with "one": it is a pronoun more often than a number.
_WORDS: Final[Mapping[str, int]] = (
    {word: number for word, number in _DIGIT_WORDS.items() if number > 1}
    | {"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16}
    | {"seventeen": 17, "eighteen": 18, "nineteen": 19, **_TENS_WORDS, "hundred": 100, "thousand": 1000}
    | {"twice": 2, "thrice": 3, "dozen": 12}
    | {f"{ten}-{one}": tens + ones for ten, tens in _TENS_WORDS.items() for one, ones in _DIGIT_WORDS.items()}
)
_NUMBER_WORD: Final = re.compile(rf"(?<![\w-])(?:{'|'.join(_WORDS)})(?![\w-])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, the dimension of its unit, and the precision at which it was written.

    `half` is half of the last digit; 0 for a count written without decimals, which is exact.
    """

    number: Decimal
    half: Decimal
    dimension: Dimension
    factor: Decimal
    has_unit: bool

    @property
    def factors(self) -> tuple[Decimal, ...]:
        """What one unit may be worth in base units: a megabyte is 1000² or 1024² bytes."""
        if self.dimension is Dimension.SIZE and self.factor in _BINARY:
            return (self.factor, _BINARY[self.factor])
        return (self.factor,)


def quantities_in(text: str) -> Iterator[tuple[int, int, Quantity]]:
    """Yield (start, end, quantity) for every number written in digits."""
    for match in _NUMBER.finditer(text):
        yield match.start(), match.end(), _quantity(match)


def number_words_in(text: str) -> Iterator[tuple[int, int, Quantity]]:
    """Yield (start, end, quantity) for every whole number from two on that is written as a word."""
    for match in _NUMBER_WORD.finditer(text):
        number = Decimal(_WORDS[match.group().lower()])
        yield match.start(), match.end(), Quantity(number, Decimal(0), Dimension.COUNT, Decimal(1), False)


def name_units(text: str) -> dict[Dimension, set[Decimal]]:
    """Return what the names in a text tell of bare numbers beside them: factors to the base unit."""
    units: dict[Dimension, set[Decimal]] = {}
    kinds: dict[Dimension, set[Decimal]] = {}
    for match in _WORD.finditer(text):
        word = match.group().lower()
        if word in _UNIT_NAMES:
            dimension, factor = _UNIT_NAMES[word]
            units.setdefault(dimension, set()).add(factor)
        elif word in _KIND_NAMES:
            kinds[_KIND_NAMES[word]] = {Decimal(1)}
    return kinds | units


def is_unit(word: str) -> bool:
    """Tell whether a word is the name of a unit."""
    return word.lower() in _UNITS


def _quantity(match: re.Match[str]) -> Quantity:
    digits, decimals = _GROUPING.sub("", match["digits"]), match["decimals"] or ""
    exponent = (match["exponent"] or "e0").lower()
    sign = "-" if match["sign"] in ("-", "\u2212") else ""
    unit = match["unit"]
    dimension, factor = _unit(unit) if unit else (Dimension.COUNT, Decimal(1))
    exact = dimension is Dimension.COUNT and factor == 1 and not decimals
    half = Decimal(0) if exact else Decimal(f"0.5e-{max(len(decimals) - 1, 0)}") * Decimal(f"1{exponent}")
    return Quantity(Decimal(f"{sign}{digits}{decimals}{exponent}"), half, dimension, factor, bool(unit))


def _unit(written: str) -> tuple[Dimension, Decimal]:
    name = written.lower()
    return _UNITS[name] if name in _UNITS else _UNITS[name.removesuffix("s")]
