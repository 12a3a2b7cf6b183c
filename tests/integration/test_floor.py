"""The floor of `make eval` holds: every set as it is, and those of its changes that cost little."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from dev.eval.__main__ import FLOOR, held, measured
from dev.eval.handed import HandedSet, data_folder, handed_sets
from dev.eval.variants import VARIANTS
from orchestrator.cli.evaluation.judging import below

# The others take minutes: `make eval` asks them.
CHANGES: Final[Mapping[str, tuple[str, ...]]] = {
    "incidents": ("evidence removed",),
    "cases": ("renamed", "noisy", "evidence removed"),
    "metric-cases": (),
}


@pytest.fixture
def sets(shared: Path) -> list[HandedSet]:
    assert data_folder() == shared
    return handed_sets()


async def test_the_floor_holds(sets: list[HandedSet], tmp_path: Path) -> None:
    found: dict[str, Any] = {}
    for each in sets:
        folder = tmp_path / each.name
        folder.mkdir()
        changes = CHANGES[each.name]
        variants = [variant for variant in VARIANTS if variant.name in changes]
        scores = await measured(each, folder, variants, removed="evidence removed" in changes)
        found |= {one.score.name: one.as_object() for one in scores}
    floor = json.loads(FLOOR.read_text(encoding="utf-8"))
    wanted = [*CHANGES, *(f"{name}, {change}" for name, changes in CHANGES.items() for change in changes)]

    # A set that is lost is below its floor, and so is one that lost cases: the floor holds their number.
    assert all("n" in floor[name] for name in wanted)
    assert below({name: floor[name] for name in wanted}, found) == []
    assert held(floor, found) == []
    assert all(one["bindings"] > 0 for one in found.values())


def test_control_worse_answers_lost_cases_and_lost_citations_are_below_it() -> None:
    floor = {"cases": {"n": 12, "right": 12}}
    good = {"n": 12, "right": 12, "bindings": 9, "bindings_found": 9}
    assert held(floor, {"cases": good}) == []
    assert held(floor, {"cases": {**good, "right": 11}}) == ["cases: right is 11, the floor is 12"]
    assert held(floor, {"cases": {**good, "n": 11}}) == ["cases: n is 11, the floor is 12"]
    assert held(floor, {"cases": {**good, "bindings_found": 8}}) == ["cases: 1 citations are not found"]
    assert below(floor, {}) == ["cases: not measured"]
