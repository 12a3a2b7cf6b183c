"""Scores as a table for a person, every miss named below it."""

from collections.abc import Iterable, Sequence

from orchestrator.cli.evaluation.judging import ACCURACY_AT, Score
from orchestrator.cli.table import Paper, table
from services.common.visible import visible

# `--json` holds all of it.
_MAX_SHOWN = 240
_TITLES = ("set", "n", "right", *(f"AC@{places}" for places in ACCURACY_AT), "blamed", "processor")


def as_text(scores: Sequence[Score], paper: Paper) -> str:
    """Return one row for each set, then a line for each answer that is not right."""
    rows = [_row(score) for score in scores]
    misses = [line for score in scores for line in _misses(score)]
    return table(_TITLES, rows, paper) + "".join(f"{line}\n" for line in ["", *misses] if misses)


def _row(score: Score) -> list[str]:
    issues, controls = len(score.issues), len(score.controls)
    placed = [f"{score.named_within(places) / issues:.2f}" if issues else "" for places in ACCURACY_AT]
    blamed = f"{sum(each.blamed for each in score.controls)} of {controls}" if controls else ""
    right = str(len(score.judged) - len(score.misses))
    return [score.name, str(len(score.judged)), right, *placed, blamed, f"{score.cpu_seconds:.1f} s"]


def _misses(score: Score) -> Iterable[str]:
    for each in score.misses:
        told = "; ".join(each.problems)
        shown = told if len(told) <= _MAX_SHOWN else f"{told[: _MAX_SHOWN - 1]}…"
        yield visible(f"{score.name}/{each.name}: {shown}")
