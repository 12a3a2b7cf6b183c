"""What a campaign found, as a table, and each crash as a row that can be kept."""

from collections.abc import Iterator, Sequence
from typing import Final

from tests.fuzz.campaign import Tally
from tests.fuzz.target import Input

_ROW: Final = "{:<26}{:>9}{:>10}{:>9}{:>9}{:>13}  {}"
_SHOWN_CHARS: Final = 40


def table(tallies: Sequence[Tally]) -> str:
    """Return one line per target and a sum."""
    rows = [
        _ROW.format(
            tally.target.name,
            tally.tried,
            tally.accepted,
            len(tally.crashes),
            f"{tally.seconds:.1f}",
            f"{tally.slowest_seconds * 1000:.1f}",
            _shown(tally.slowest),
        )
        for tally in tallies
    ]
    head = _ROW.format("target", "inputs", "accepted", "crashes", "seconds", "slowest [ms]", "slowest input")
    tried, crashed = sum(tally.tried for tally in tallies), sum(len(tally.crashes) for tally in tallies)
    last = f"{len(tallies)} targets, {tried} inputs, {crashed} crashes"
    return "\n".join([head, *rows, last])


def crashes(tallies: Sequence[Tally]) -> Iterator[str]:
    """Yield each crash: what was raised, and the row for `tests/fuzz/regressions.py`."""
    for tally in tallies:
        for crash in tally.crashes:
            raised = "\n".join(_raised(crash.error))
            yield f"CRASH of {tally.target.name!r}\n{raised}\n    ({tally.target.name!r}, {crash.value!r}),"


def _raised(error: BaseException) -> Iterator[str]:
    """Yield what was raised; an input that fails only at times raises several errors."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _raised(inner)
    else:
        yield f"{type(error).__name__}: {error}"


def _shown(value: Input) -> str:
    written = ascii(value)
    return (
        written
        if len(written) <= _SHOWN_CHARS
        else f"{written[:_SHOWN_CHARS]}... ({len(written)} characters)"
    )
