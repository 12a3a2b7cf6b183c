"""How a citation is split by who can have written it, and when a claim rests on outsiders."""

import pytest

from services.common.evidence.strict_json import NumberToken
from services.gatekeeper.provenance import Cited, cited, parts_at, rests_on_outsiders

LINE = "agent=curl reply=refused agent=curl"
AGENT = (6, 10)
SECOND_AGENT = (31, 35)


@pytest.mark.parametrize(
    ("text", "parts", "split"),
    [
        (LINE, [], Cited("", LINE)),
        (LINE, [AGENT], Cited("curl", "agent=  reply=refused agent=curl")),
        (LINE, [SECOND_AGENT, AGENT], Cited("curl curl", "agent=  reply=refused agent=")),
        # From the beginning of a part, up to it, from its end, inside it, over its beginning and its end.
        ("curl reply", [AGENT], Cited("curl", "reply")),
        ("gent=", [AGENT], Cited("", "gent=")),
        (" reply", [AGENT], Cited("", "reply")),
        ("curl", [(0, len(LINE))], Cited("curl", "")),
        ("=curl r", [AGENT], Cited("curl", "=  r")),
        ("rl reply", [AGENT], Cited("rl", "reply")),
        ("reply=refused", [AGENT, SECOND_AGENT], Cited("", "reply=refused")),
        ("reply=refused agent=curl"[5:], [(11, 16), SECOND_AGENT], Cited("curl", "=refused agent=")),
        # Parts that overlap are counted once.
        ("curl reply", [(6, 9), (7, 10)], Cited("cur l", "reply")),
    ],
)
def test_a_citation_is_split_at_the_parts_of_outsiders(
    text: str, parts: list[tuple[int, int]], split: Cited
) -> None:
    assert cited(text, LINE, parts) == split


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ("oops oops", [(0, 4)]),
        ("oops oops", [(5, 9)]),
        ("oops oops oops", [(0, 4), (10, 14)]),
    ],
)
def test_what_a_system_wrote_as_well_is_its_own(value: str, parts: list[tuple[int, int]]) -> None:
    assert cited("oops", value, parts) == Cited("", "oops")


def test_occurrences_may_overlap() -> None:
    assert cited("aaaa", "aaaaa", [(0, 1)]) == Cited("", "aaaa")


@pytest.mark.parametrize(("before", "split"), [(255, Cited("", "oops")), (256, Cited("oops", ""))])
def test_so_many_occurrences_are_looked_at(before: int, split: Cited) -> None:
    """Who sends more of them than that wins nothing: the text counts as theirs."""
    theirs = "oops" * before
    assert cited("oops", theirs + "oops", [(0, len(theirs))]) == split


@pytest.mark.parametrize("value", [True, None, NumberToken("12")])
def test_only_strings_hold_what_outsiders_wrote(value: object) -> None:
    assert cited("12", value, [(0, 2)]) == Cited("", "12")  # type: ignore[arg-type] # any scalar


def test_a_text_that_does_not_stand_there_is_an_error() -> None:
    with pytest.raises(ValueError, match="empty"):
        cited("nowhere", LINE, [AGENT])


def test_the_parts_of_a_place() -> None:
    assert parts_at({"/a": [AGENT]}, "/a", LINE) == [AGENT]
    assert parts_at({"/a": [AGENT]}, "/b", LINE) == ()
    # An output that is outsiders' as a whole.
    assert parts_at({"": [(0, 0)]}, "/b", LINE) == [(0, len(LINE))]
    assert parts_at({"": [(0, 0)]}, "/b", True) == ()


@pytest.mark.parametrize(
    ("citation", "is_theirs"),
    [
        (Cited("", "pool exhausted"), False),
        (Cited("pool exhausted", "request refused"), True),
        # As many words of a claim from outsiders as from the system.
        (Cited("pool", "exhausted"), True),
        (Cited("pool", "exhausted today"), False),
        # None of its words: whoever wrote the text.
        (Cited("other words", "of its own"), False),
        (Cited("other words", "12 :"), True),
        (Cited("POOL", "request"), True),
    ],
)
def test_whose_words_bear_a_statement_out(citation: Cited, is_theirs: bool) -> None:
    assert citation.is_outsiders("The pool was exhausted today") is is_theirs


@pytest.mark.parametrize(
    ("citations", "rests"),
    [
        ([], False),
        ([Cited("", "pool exhausted")], False),
        ([Cited("pool", "")], True),
        ([Cited("pool", ""), Cited("exhausted", "")], True),
        # Numbers and signs bear no words out.
        ([Cited("pool", ""), Cited("", "12:30")], True),
        # One word is only the outsider's, one is the system's.
        ([Cited("pool", ""), Cited("", "exhausted")], False),
        ([Cited("pool exhausted", ""), Cited("", "today")], True),
        ([Cited("pool exhausted", ""), Cited("", "exhausted")], False),
        # What is none of the claim's words counts on neither side.
        ([Cited("pool and much more of it", ""), Cited("", "exhausted")], False),
        ([Cited("pool exhausted", ""), Cited("", "today and much more of it")], True),
    ],
)
def test_when_a_claim_rests_on_outsiders(citations: list[Cited], rests: bool) -> None:
    assert rests_on_outsiders("The pool was exhausted today", citations) is rests
