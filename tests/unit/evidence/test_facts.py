"""The concrete facts of sentences."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.common.evidence.facts import Fact, FactKind, Label, Line, facts_of
from services.common.evidence.holdings import Holdings
from services.common.evidence.instants import instants_in
from tests.fakes.cost import grows_as_a_square


def found(sentence: str) -> list[tuple[str, str]]:
    return [(fact.kind.value, fact.text) for fact in facts_of(sentence)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The database accepts connections again.", []),
        ("It began at 2026-11-30T09:10:53.441Z.", [("instant", "2026-11-30T09:10:53.441Z")]),
        ("It began on 30 November 2026.", [("instant", "30 November 2026")]),
        ("[30/Nov/2026:09:38:06 +0000]", [("instant", "30/Nov/2026:09:38:06 +0000")]),
        ("2026/11/30 09:11:01 [error]", [("instant", "2026/11/30 09:11:01")]),
        ("Since 14:02 and 14:02:07.", [("instant", "14:02"), ("instant", "14:02:07")]),
        (
            "It failed twice at 9:10 p.m. and at 21:10 pm",
            [
                ("number", "twice"),
                ("instant", "9:10 p.m."),
                ("instant", "21:10 pm"),
            ],
        ),
        ("2,118 times in 4.3 s", [("number", "2,118"), ("number", "4.3 s")]),
        ("It is at 75 % of 80 connections", [("number", "75 %"), ("number", "80")]),
        ("a 4-minute window", [("number", "4-minute")]),
        ("two of the replicas", [("number", "two")]),
        ("thirteen of ninety", [("number", "thirteen"), ("number", "ninety")]),
        ("Twenty-one of one, and a two-phase commit", [("number", "Twenty-one")]),
        ("HTTP 504 and status 502.", [("code", "504"), ("code", "502")]),
        ("SQLSTATE 53300", [("code", "53300")]),
        ("exit code 137", [("code", "137")]),
        ("ECONNREFUSED and ORA-00600", [("code", "ECONNREFUSED"), ("code", "ORA-00600")]),
        ("OOMKilled pod api-7f9c", [("identifier", "OOMKilled"), ("identifier", "api-7f9c")]),
        ("db.pool_size is too small", [("identifier", "db.pool_size")]),
        ("max_connections was reached", [("identifier", "max_connections")]),
        ("version 2.14.0", [("identifier", "2.14.0")]),
        ("logs/app.log says so", [("identifier", "logs/app.log")]),
        ("POST /api/orders is slow", [("code", "POST"), ("identifier", "/api/orders")]),
        ("at 10.0.0.7:5432 and cache:6379", [("address", "10.0.0.7:5432"), ("address", "cache:6379")]),
        ("from [fe80::1]", [("address", "[fe80::1]")]),
        ("ab:cd:ef and ff:fg", []),
        ("from fe80::1 to ::1", [("address", "fe80::1"), ("address", "::1")]),
        ("see https://a.example/x?y=1.", [("address", "https://a.example/x?y=1")]),
        ('it says "too many clients"', [("quotation", "too many clients")]),
        (
            "it says “too many clients” and `retry later`",
            [("quotation", "too many clients"), ("quotation", "retry later")],
        ),
        ("There were no errors", [("negation", "no")]),
        (
            "It didn't answer, never again, without reason",
            [("negation", "not"), ("negation", "never"), ("negation", "without")],
        ),
        ("The CPU and the API and HTTP, e.g. read/write and one-off", []),
    ],
)
def test_facts_of_a_sentence(sentence: str, expected: list[tuple[str, str]]) -> None:
    assert found(sentence) == expected


def test_a_series_is_its_name_and_its_labels() -> None:
    facts = facts_of('pg_locks{mode="Exclusive",app="batch"} rose')
    assert [fact.value for fact in facts] == [None, Label("mode", "Exclusive"), Label("app", "batch")]
    assert {fact.kind for fact in facts} == {FactKind.IDENTIFIER}


def test_lines_of_a_file() -> None:
    assert [fact.value for fact in facts_of("see lines 5 to 9")] == [Line(5), Line(9)]


def test_what_is_quoted_is_one_fact() -> None:
    assert found('"no 504 at 10:00 from db_main"') == [("quotation", "no 504 at 10:00 from db_main")]


def test_a_stray_mark_hides_no_quotation() -> None:
    assert ("quotation", "pool exhausted") in found('" it says "pool exhausted"')
    assert ("quotation", "pool exhausted") in found("` it says `pool exhausted`")


def test_equal_facts_are_equal_wherever_they_stand() -> None:
    assert facts_of("HTTP 504")[0] == facts_of("it returned HTTP 504")[0]


def test_offsets_are_those_of_the_sentence() -> None:
    sentence = "at 09:10 the host cache:6379 had 80 of max_clients"
    for fact in facts_of(sentence):
        assert sentence[fact.start :].startswith(fact.text)


def test_a_time_that_does_not_exist_is_no_instant() -> None:
    assert all(fact.kind is not FactKind.INSTANT for fact in facts_of("2026-13-45T25:61:00Z and 24:10"))


_PIECES = st.sampled_from(
    [
        *"aZ_09 .,:;/-+@#\"'`“”{}[]()=%~<>\n\t",
        "no",
        "not",
        "n't",
        "status ",
        "line ",
        "HTTP",
        "://",
        "2026-11-30",
        "T09:10:53Z",
        "Nov",
        "1,234",
        "ms",
        "x=",
        "٣",
        "²",
    ]
)
_HOSTILE = st.lists(_PIECES, max_size=80).map("".join)


@given(_HOSTILE | st.text(max_size=300))
def test_any_text_is_read_in_order(text: str) -> None:
    facts = facts_of(text)
    assert facts == sorted(facts, key=lambda fact: fact.start)


_SENTENCES = (
    "no two of 42 or 2,118 nodes didn't fail 75% of 4.3 s in a 4-minute window",
    "HTTP 504 for p99 of /api/x at cache:6379 -> 10.0.0.7 , ::1 and https://a.example/x",
    'db.pool_size ( max_conn ) is "quoted text" of x{a="b"} in logs/a.log:7 from line 5',
    "ERROR OOMKilled status 0 on 2026-11-30 at 14:02 ; 2026-11-30T09:10:53Z was 2.14.0 not api-7f9c . 8ms",
)
_WORDS = st.sampled_from(sorted({word for sentence in _SENTENCES for word in sentence.split(" ")}))


@given(st.lists(_WORDS, max_size=40).map(" ".join))
def test_a_text_holds_its_own_facts(text: str) -> None:
    held = Holdings(texts=[text])
    assert [fact for fact in facts_of(text) if not held.holds(fact)] == []


@pytest.mark.parametrize(
    "piece",
    ['"', "'", "=“", "a.", "a:", "a-", "a@", "1,234", "1.1.1.", "1", ":", "[::", "/", "x=", 'a_="', "status ",
     "09:10:", "nov ", "line 1-", "http://", "a1", " ", "A", "-", "no"],
)  # fmt: skip
def test_work_is_linear_in_hostile_text(piece: str) -> None:
    assert not grows_as_a_square(facts_of, piece, 64_000)


def test_control_work_that_is_not_would_be_seen() -> None:
    assert grows_as_a_square(lambda text: sum(1 for _ in text for _ in text), "a", 4_000)


@settings(max_examples=50)
@given(st.integers(0, 10**9), st.sampled_from(["", " s", " ms", " %", " MB", " times"]))
def test_a_number_is_found_with_its_unit(number: int, unit: str) -> None:
    (fact,) = facts_of(f"it was {number}{unit} there")
    assert isinstance(fact, Fact)
    assert fact.kind is FactKind.NUMBER
    assert fact.text == f"{number}{unit if unit != ' times' else ''}"


@pytest.mark.parametrize(
    ("written", "hour"),
    [
        ("9:10 pm", 21),
        ("9:10 AM", 9),
        ("12:10 am", 0),
        ("12:10 p.m.", 12),
        ("21:10 pm", 21),
        ("9:10 apps", 9),
    ],
)
def test_half_days_are_told_apart(written: str, hour: int) -> None:
    ((_, _, instant),) = instants_in(written)
    assert instant.start == (hour * 60 + 10) * 60_000_000


EVERY_KIND = (
    'Not: no "7" of `b c` from https://x.example/Y?z=1. on 2026-11-30 at 10.0.0.7. See line 5: HTTP 504, ABC '
    'in pool_X, up{a="b"} was 80 of two'
)


def test_each_kind_of_fact_with_its_place_and_value() -> None:
    facts = [(fact.kind.value, fact.text, fact.value, fact.start) for fact in facts_of(EVERY_KIND)]
    literal = [
        ("negation", "no"),
        ("quotation", "7"),
        ("quotation", "b c"),
        ("address", "https://x.example/Y?z=1"),
    ]
    literal += [("address", "10.0.0.7"), ("code", "504"), ("code", "ABC"), ("identifier", "pool_X")]
    for kind, text in literal:
        assert (kind, text, None, EVERY_KIND.index(text)) in [
            (*fact[:3], fact[3] + (kind == "quotation")) for fact in facts
        ]
    assert ("number", "5", Line(5), EVERY_KIND.index("5:")) in facts
    assert ("identifier", 'a="b"', Label("a", "b"), EVERY_KIND.index('a="b"')) in facts
    assert [fact[3] for fact in facts if fact[0] == "number"][1:] == [
        EVERY_KIND.index("80"),
        EVERY_KIND.index("two"),
    ]


def test_between_stray_marks_all_is_quoted() -> None:
    facts = [(fact.kind.value, fact.text, fact.value, fact.start) for fact in facts_of('it "b" c" d')]
    assert facts == [("quotation", "b", None, 3), ("quotation", " c", None, 5)]
    assert facts_of('it """ d') == []


def test_a_quotation_is_seen_whatever_marks_stand_before_it() -> None:
    added = ' "the moon is full"'
    before = ["".join(marks) for count in range(5) for marks in product("\"'`“”a= ", repeat=count)]
    unseen = [text for text in before if not any("moon" in fact.text for fact in facts_of(text + added))]
    assert unseen == []


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("__x__ of /a and AB", []),
        ("X_X of /ab", [("code", "X_X"), ("identifier", "/ab")]),
        ("/API/X is there", [("identifier", "/API/X")]),
        ("It is NOT there", [("negation", "not")]),
        ("in x/y/b.cd", [("identifier", "x/y/b.cd")]),
        ("in ab.cd", [("identifier", "ab.cd")]),
        ("in a.b", []),
        ("It hit pool_size.", [("identifier", "pool_size")]),
        ("See x_y: it is", [("identifier", "x_y")]),
        ("in a:8ms", [("identifier", "a:8ms")]),
        ("at https://a.example/X, or", [("address", "https://a.example/X")]),
        ("to ann@b.XX.", [("address", "ann@b.XX")]),
    ],
)
def test_the_ends_of_names(sentence: str, expected: list[tuple[str, str]]) -> None:
    assert found(sentence) == expected
