"""The table of the mutants that may survive."""

from dev.mutants import Mutant, listed, problems

LISTED = Mutant("a.b", "x < y", "x <= y")
OTHER = Mutant("a.b", "x", "not x")


def test_every_survivor_has_a_reason() -> None:
    table = listed()
    assert list(problems(set(table), table)) == []


def test_a_survivor_must_be_listed_and_what_is_listed_must_survive() -> None:
    assert list(problems({LISTED}, {LISTED: "x never equals y"})) == []
    assert list(problems({LISTED, OTHER}, {LISTED: "x never equals y"})) == [
        "survives and is not listed: a.b: x -> not x"
    ]
    assert list(problems(set(), {LISTED: "x never equals y"})) == [
        "is listed and does not survive: a.b: x < y -> x <= y"
    ]
    assert list(problems({LISTED}, {LISTED: " "})) == ["is listed without a reason: a.b: x < y -> x <= y"]
