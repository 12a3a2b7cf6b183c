"""Citations in one line: none that tells nothing, and what is not shown is counted as it is."""

import pytest
from assay.common.v1 import answer_pb2

from orchestrator.cli.citations import cited
from services.common.evidence.places import MAX_PLACES
from tests.fakes.runs import binding


def _claim(*bindings: answer_pb2.AllowedEvidence) -> answer_pb2.AllowedClaim:
    return answer_pb2.AllowedClaim(evidence=bindings)


@pytest.mark.parametrize(
    ("places", "shown"),
    [
        ([], ""),
        ([("x.log", 236), ("x.log", 0), ("x.log", 236)], "x.log:236"),
        ([("x.log", 0), ("x.log", 0)], "x.log"),
        ([("m.json", 1), ("m.json", 0)], "m.json"),
        ([("m.json", 1), ("m.json", 5)], "m.json:1, m.json:5"),
        ([("x.log", 1)], "x.log:1"),
        ([("a.json", 5), ("b.log", 7), ("a.json", 19)], "a.json:5, a.json:19, b.log:7"),
        ([("a", 1), ("a", 2), ("b", 3), ("c", 4)], "a:1, a:2, b:3, c:4"),
        ([("a", 1), ("a", 2), ("a", 3), ("a", 4), ("a", 5)], "a:1, a:2, a:3 (and 2 more lines)"),
        ([("a", 1), ("a", 2), ("a", 3), ("b", 3), ("c", 4)], "a:1, b:3, c:4 (and 2 more lines)"),
        ([("a", 0), ("b", 0), ("c", 0), ("d", 0), ("e", 9)], "a, b, c (and 2 more files)"),
        (
            [("a", 1), ("a", 2), ("b", 3), ("c", 4), ("d", 5)],
            "a:1, b:3, c:4 (and 1 more file and 1 more line)",
        ),
    ],
)
def test_what_is_shown_of_places(places: list[tuple[str, int]], shown: str) -> None:
    assert cited([_claim(*(binding(place) for place in places))]) == shown
    # All places of one derived binding count like those of many raw ones.
    assert cited([_claim(binding(*places, derived=True))]) == shown


def test_places_of_several_claims_stand_together() -> None:
    assert cited([_claim(binding(("a", 1))), _claim(binding(("b", 2)), binding(("a", 1)))]) == "a:1, b:2"


def test_a_list_that_may_have_been_cut_is_no_exact_count() -> None:
    full = binding(*((f"{number}.json", 0) for number in range(MAX_PLACES)), derived=True)
    assert cited([_claim(full)]) == f"0.json, 1.json, 2.json (and at least {MAX_PLACES - 3} more files)"
    same = binding(*(("m.json", 1) for _ in range(MAX_PLACES)), derived=True)
    assert cited([_claim(same)]) == "m.json (and possibly more)"
