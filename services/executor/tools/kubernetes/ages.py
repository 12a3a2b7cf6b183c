"""Ages as kubectl prints them: 14s, 2m30s, 5h, 3d4h, 2y."""

import re
from typing import Final

_PART: Final = re.compile(r"(?<!\d)(\d{1,9})([smhdy])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "y": 31_536_000}
# What was made so recently may still be starting.
_YOUNG_SECONDS: Final = 60


def seconds_of(age: str) -> int | None:
    """Return an age in seconds; None for what is none."""
    parts = _PART.findall(age)
    if not parts or "".join(number + unit for number, unit in parts) != age:
        return None
    return sum(int(number) * _SECONDS[unit] for number, unit in parts)


def is_young(age: str) -> bool:
    """Tell whether something is less than a minute old by what is said of it."""
    seconds = seconds_of(age)
    return seconds is not None and seconds < _YOUNG_SECONDS
