"""What evidence holds, by value at the precision stated."""

import cProfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.common.evidence.holdings import Holdings, has_word
from tests.fakes.claims import item


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("at 2026-11-30T09:10:53Z", "2026-11-30 09:10:53,441 INFO x"),
        ("at 2026-11-30T09:10:53Z", "[30/Nov/2026:10:10:53 +0100]"),
        ("at 2026-11-30T09:10:53Z", "1796029853.9"),
        ("at 2026-11-30T09:10:53Z", "1796029853"),
        ("at 2026-11-30T09:10:53Z", '{"ts":1796029853441}'),
        ("at 09:10", "2026-11-30T09:10:53Z"),
        ("on 2026-11-30", "2026-11-30T09:10:53Z"),
        ("2.98 s", "2.9833"),
        ("75 %", "0.7512"),
        ("75 %", "75.1%"),
        ("1 s", "took 1000 ms"),
        ("4.3 s", "rt=4.299"),
        ("100 MiB", "redis_memory_used_bytes 104857600"),
        ("2,118 times", "2118"),
        ("2118 times", "2,118"),
        ("7 per second", "7.0"),
        ("two replicas", "2"),
        ("two replicas", "two replicas"),
        ("twenty-one replicas", "21"),
        ("twenty-one replicas", "twenty-one replicas"),
        ("5xx answers", '"GET /" 504 167'),
        ("0 errors", "false"),
        ("no errors", "0"),
        ("it did not answer", "could not connect"),
        ("it has state=“idle”", "state=idle"),
        ('pg_x{state="idle"}', '{"__name__":"pg_x","state":"idle"}'),
        ('it says "gone away"', "server has gone away"),
        ("at 10.0.0.7", "connect 10.0.0.7:5432"),
        ("HTTP 504", '"POST /x HTTP/1.1" 504 167'),
        ("5xx answers", "500"),
        ("5xx answers", "599"),
        ('it says "gone away,"', "server has gone away"),
        ('it says "gone away."', "server has gone away"),
        ('state="idle"', 'x{state = "idle"}'),
        ('state="idle"', 'x{state=~"idle"}'),
        ('state="idle"', 'x{state!="idle"}'),
        ('state="idle"', '{"state": "idle"}'),
        ('state="idle"', "state=idle"),
        ("line 7", "see Line 7"),
        ("max_conn is there", "xmax_conn max_conn"),
        ("max_conn is there", "max_conn- max_conn."),
        ("max_conn is there", "a-max_conn"),
        ("/api/x is there", "GET/api/x"),
        ("3 seconds", "3 s"),
        ("80 clients", "2026-11-30T09:10:53Z 80 at 09:10 5 and 09:11 7"),
        ("7 clients", "2026-11-30T09:10:53Z 80 at 09:10 5 and 09:11 7"),
        ("on 2001-09-09", "1000000000"),
        ("at 2026-11-30T09:10:53.9Z", "1796029853.9"),
        ("at 2026-11-30T09:10:53.900000Z", "1796029853.9000001"),
        ("max_conn is there", "xmax_conn max_conn max_connx"),
        ("two secs", "2 seconds"),
    ],
)
def test_held(sentence: str, text: str) -> None:
    assert Holdings(texts=[text]).missing(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("at 2026-11-30T09:10:53Z", "2026-11-30 09:10:54,001 INFO x"),
        ("at 2026-11-30T09:10:53.441Z", "2026-11-30T09:10:53Z"),
        ("at 2026-11-30T09:10:53Z", "[30/Nov/2026:09:10:53 +0100]"),
        ("2.98 s", "2.9733"),
        ("2.98 ms", "2.9833"),
        ("75 %", "0.7612"),
        ("80 s", "80 connections"),
        ("twenty-one replicas", "20"),
        ("thirteen replicas", "30"),
        ("81 times", "80"),
        ("4.3 ms", "rt=4.299"),
        ("3 replicas", "2.9833"),
        ("0 errors", "attempt 3"),
        ("no errors", "12"),
        ("it did not answer", "sorry, too many clients"),
        ("max_conn is there", "max_connections"),
        ("api-7f9c is there", "api-7f9c2"),
        ('pg_x{state="idle"}', '{"__name__":"pg_x","state":"active"} idle'),
        ('it says "Gone away"', "server has gone away"),
        ("at 10.0.0.7", "connect 10.0.0.71:5432"),
        ("HTTP 504", "HTTP/1.1 5040"),
        ("5xx answers", '"GET /" 404 167'),
        ("5xx answers", "499"),
        ("5xx answers", "600"),
        ('it says ".gone"', "gone"),
        ('it says "boxX"', "a box"),
        ("line 7", "line 77"),
        ("max_conn is there", "amax_conn"),
        ("max_conn is there", "_max_conn"),
        ("max_conn is there", "max_conn-2"),
        ("max_conn is there", "max_conn.x"),
        ('pg_x{state="idle"}', '{"__name__":"pg_x","states":"idle"}'),
        ("2,119 times", "2,118"),
        ("9 clients", "at 09:10:53"),
        ("at 2026-11-30T09:10:53.000Z", "1796029853"),
        ('state="idle"', "substate=idle"),
        ("10 clients", "09:10 and 09:11"),
        ("on 2103-02-04", "4200000000"),
        ("at 2026-11-30T09:10:53.900Z", "1796029853.9"),
        ("at 2026-11-30T00:00:00Z", "2026-11-30"),
        ("max_conn is there", "max_conn.x y"),
    ],
)
def test_not_held(sentence: str, text: str) -> None:
    assert Holdings(texts=[text]).missing(sentence) != []


def test_a_place_holds_its_time_file_line_and_owner() -> None:
    held = Holdings(
        [item("sorry", source="logs/db.log", line=236, time="2026-11-30T09:10:53.441Z", owner="db")]
    )
    assert held.missing("at 2026-11-30T09:10:53.441Z, line 236 of logs/db.log (db.log:236)") == []
    assert held.missing("line 237")
    assert held.missing("logs/db.log:235")
    assert held.names("db")
    assert not held.names("cache")


def test_a_line_number_is_no_other_number() -> None:
    assert Holdings([item("sorry", line=236)]).missing("236 clients")


def test_the_name_in_a_pointer_says_what_a_bare_number_measures() -> None:
    assert Holdings([item("4299", "/took_ms")]).missing("4.299 s") == []
    assert Holdings([item("4299", "/took_ms")]).missing("4299 s")
    assert Holdings([item("12", "/longest_seconds")]).missing("12 s") == []
    assert Holdings([item("12", "/clients")]).missing("12 s")


def test_a_unit_may_stand_in_a_name_beside_the_number() -> None:
    number = item("8", "/value")
    assert Holdings([number, item("latency_ms", "/name")]).missing("8 ms") == []


def test_a_unit_of_other_numbers_is_none_of_this_one() -> None:
    number = item("8", "/count")
    assert Holdings([number, item('{"status":201,"ms":4247}', "/text")]).missing("8 ms")
    assert Holdings([item("8", "/ms")]).missing("8 ms") == []


def test_a_component_is_a_whole_name() -> None:
    held = Holdings([item('{"service":"orders"} orders-worker', owner="")])
    assert held.names("orders")
    assert not Holdings([item("orders-worker", owner="")]).names("orders")


def test_a_label_is_held_by_the_member_of_its_name() -> None:
    assert Holdings([item("idle", "/labels/state")]).missing('state="idle"') == []
    assert Holdings([item("idle", "/labels/mode")]).missing('state="idle"')
    assert Holdings([item("active", "/labels/state")]).missing('state="idle"')


@pytest.mark.parametrize(("source", "held"), [("logs/db.log", True), ("db.log", True), ("xdb.log", False)])
def test_a_place_is_its_file_or_the_end_of_its_path(source: str, held: bool) -> None:
    holdings = Holdings([item("sorry", source=source, line=1, owner="")])
    assert (holdings.missing("it is at db.log:1") == []) is held
    assert holdings.missing("it is at db.log:2")


def test_no_word_stands_anywhere_when_it_is_empty() -> None:
    assert not has_word("abc", "")
    assert not has_word("", "abc")


def test_a_number_in_a_list_has_no_name() -> None:
    assert Holdings([item("7", "/0")]).missing("7 of them") == []


def test_a_place_without_lines_covers_none() -> None:
    assert Holdings([item("sorry", line=0)]).missing("line 0 of it")
    assert Holdings([item("sorry", line=1)]).missing("line 1 of it") == []


_NAMES = st.from_regex(r"[a-z]{2,8}_[a-z]{2,8}", fullmatch=True)


@given(_NAMES, st.integers(0, 10**6), st.integers(1, 10**6))
def test_a_true_value_is_held_and_another_is_not(name: str, value: int, more: int) -> None:
    held = Holdings([item(f"{name}={value}", "/value", time="", source="", owner="")])
    assert held.missing(f"{name} is {value}") == []
    assert held.missing(f"{name} is {value + more}")


def test_much_evidence_is_read_once_however_much_is_asked() -> None:
    texts = [" ".join(f"{n}.{n % 7} 0{n % 10}:1{n % 6}:2{n % 9}" for n in range(800))] * 32
    asked = [f"{n}.9 00:0{n % 10}" for n in range(170)]
    few, many = calls(texts, asked[:1]), calls(texts, asked)
    assert few > 100_000
    assert many < 2 * few


def calls(texts: list[str], asked: list[str]) -> int:
    """Count the calls of functions that it takes to look for what is asked: no clock, the same everywhere."""
    profile = cProfile.Profile()
    profile.runcall(lambda: Holdings(texts=texts).missing(" ".join(asked)))
    return sum(entry.callcount for entry in profile.getstats())


def test_a_short_quotation_is_a_whole_text() -> None:
    held = Holdings([item("137"), item("exit code 3 of node-7, phase='up'")])
    assert not held.missing('its code was "137", its phase "up"')
    assert [fact.text for fact in held.missing('it ended with "3", was restarted "7" times')] == ["3", "7"]


def test_zero_of_a_unit_is_a_measurement() -> None:
    held = Holdings([item("0", raw_path="/errors_after"), item("486", raw_path="/lines_after")])
    assert not held.missing("0 of 486 lines")
    assert len(held.missing("0 ms of 486, 0 % of 486")) == 2
    assert not Holdings([item("0", raw_path="/max_seconds")]).missing("it took 0 s")


def test_what_is_called_seconds_is_no_ratio() -> None:
    held = Holdings([item("0.31", raw_path="/silence/typical_seconds")])
    assert not held.missing("0.31 s")
    assert held.missing("31 %")
    assert not Holdings([item("0.31", raw_path="/value")]).missing("31 %")


def test_a_component_is_mentioned_by_its_whole_name_in_texts_and_paths() -> None:
    held = Holdings([item("reorders wait", source="logs/shop/billing-x2/main.log")])
    assert held.mentions("Billing-x2")
    assert held.mentions("shop")
    assert not held.mentions("orders")
    assert not held.mentions("billing")
