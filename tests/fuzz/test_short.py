"""The short form of `make fuzz`: the same targets, a few inputs each, the same ones every time."""

import ast
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from assay.planner.v1 import planner_pb2
from hypothesis import strategies as st

from services.planner import domain as planner
from tests.fuzz import readers, report, shown, surface, texts
from tests.fuzz.calls import SEEDS, Calls
from tests.fuzz.campaign import Tally, campaign, turn
from tests.fuzz.contract import documented
from tests.fuzz.regressions import REGRESSIONS
from tests.fuzz.servers import METHODS
from tests.fuzz.target import Input, Target

INPUTS = 25
TABLES = (texts, readers, surface, shown)
PARTS = {target.name: target for table in TABLES for target in table.targets()}
PROTOS = Path(__file__).resolve().parents[2] / "protos" / "assay"


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Calls]:
    with Calls(tmp_path_factory.mktemp("servers")) as running:
        yield running


def found(target: Target) -> str:
    tally = Tally(target)
    turn(tally, number=1, inputs=INPUTS)
    assert tally.tried
    return "\n".join(report.crashes([tally]))


@pytest.mark.parametrize("name", PARTS)
def test_no_input_crashes_a_part(name: str) -> None:
    assert found(PARTS[name]) == ""


@pytest.mark.parametrize("name", METHODS)
def test_no_request_makes_a_defect_of_a_method(calls: Calls, name: str) -> None:
    target = next(target for target in calls.targets() if target.name == f"call of {name}")
    assert found(target) == ""
    calls.check_serving()


@pytest.mark.parametrize("name", METHODS)
def test_the_seeds_reach_behind_the_checks_of_a_method(calls: Calls, name: str) -> None:
    """Else the campaign would only ever see refusals."""
    assert calls.ask(METHODS[name], SEEDS[name][0].SerializeToString()) is grpc.StatusCode.OK


@pytest.mark.parametrize(("name", "value"), REGRESSIONS)
def test_what_crashed_once_does_not_again(calls: Calls, name: str, value: Input) -> None:
    targets = PARTS | {target.name: target for target in calls.targets()}
    targets[name].takes(value)


def test_every_method_of_every_contract_is_asked() -> None:
    declared: list[str] = []
    service = ""
    for file in PROTOS.glob("*/v1/*.proto"):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("service "):
                service = line.split()[1]
            if line.startswith("  rpc "):
                declared.append(f"{service}.{line.split('(')[0].removeprefix('  rpc ')}")
    assert sorted(declared) == sorted(METHODS) == sorted(SEEDS) == sorted(documented())


def test_a_comment_that_refers_to_another_means_its_codes() -> None:
    codes = documented()
    assert grpc.StatusCode.NOT_FOUND in codes["ExecutorService.Execute"]
    assert codes["PlannerService.Plan"] == {
        grpc.StatusCode.OK,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    }
    assert all(grpc.StatusCode.INTERNAL not in named for named in codes.values())


def broken(value: Input) -> None:
    if b"\xff" in value:
        raise ZeroDivisionError
    if not value:
        raise ValueError


def test_a_crash_is_found_shortened_and_printed_as_it_can_be_kept() -> None:
    target = Target("broken", st.binary(max_size=20), broken, refuses=(ValueError,))
    (tally,) = campaign([target], seconds=30)
    (crash,) = tally.crashes
    assert crash.value == b"\xff"
    assert isinstance(crash.error, ZeroDivisionError)
    row = "\n".join(report.crashes([tally])).splitlines()[-1]
    assert ast.literal_eval(row.strip().rstrip(",")) == ("broken", b"\xff")
    assert "1 crashes" in report.table([tally])


def test_every_target_has_a_turn_however_short_the_time() -> None:
    names = ("JSON pointer", "matching", "visible text")
    tallies = campaign([PARTS[name] for name in names], seconds=0.0)
    assert all(tally.tried for tally in tallies)


def test_a_defect_behind_a_method_is_found(calls: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    def defect(_: planner_pb2.PlanRequest) -> None:
        raise KeyError("canary")

    monkeypatch.setattr(planner, "check_request", defect)
    seed = SEEDS["PlannerService.Plan"][0].SerializeToString()
    with pytest.raises(AssertionError, match="INTERNAL"):
        calls.ask(METHODS["PlannerService.Plan"], seed)
    monkeypatch.undo()
    assert calls.ask(METHODS["PlannerService.Plan"], seed) is grpc.StatusCode.OK
