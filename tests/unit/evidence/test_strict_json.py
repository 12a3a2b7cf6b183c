import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.common.evidence import strict_json
from services.common.evidence.strict_json import Json, NumberToken, StrictJsonError, dumps, loads

CANARY = "canary-0b7e"

# The suite calls duplicate keys legal; here one document must not mean two things.
REFUSED_BY_CONTRACT = {"y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"}

# Any character but the surrogates, which no text has.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.one_of(
    st.integers().map(str), st.floats(allow_nan=False, allow_infinity=False).map(json.dumps)
).map(NumberToken)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.one_of(st.none(), st.booleans(), TEXTS, NUMBERS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=20,
)


def verdict(data: bytes) -> str:
    try:
        loads(data)
    except StrictJsonError:
        return "refused"
    return "accepted"


def test_the_json_test_suite(shared: Path) -> None:
    files = sorted((shared / "corpora/JSONTestSuite/test_parsing").glob("*.json"))
    expected = {"y": "accepted", "n": "refused"}
    wrong = {
        file.name: verdict(file.read_bytes())
        for file in files
        if file.name[0] in expected and verdict(file.read_bytes()) != expected[file.name[0]]
    }
    assert len(files) > 300
    assert wrong == dict.fromkeys(REFUSED_BY_CONTRACT, "refused")


def test_what_the_suite_leaves_open_does_not_crash(shared: Path) -> None:
    files = sorted((shared / "corpora/JSONTestSuite/test_parsing").glob("i_*.json"))
    verdicts = {file.name: verdict(file.read_bytes()) for file in files}
    assert {name for name, value in verdicts.items() if value == "accepted"} == {
        name for name in verdicts if name.startswith("i_number")
    }


def test_naughty_strings_come_back_as_they_were(shared: Path) -> None:
    data = (shared / "corpora/blns/blns.json").read_bytes()
    value = loads(data)
    assert value == json.loads(data)
    assert loads(dumps(value)) == value


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"a": 1, "a": 1}', "duplicate key"),
        (b'[{"x": {"a": 1, "\\u0061": 2}}]', "duplicate key"),
        (b"[NaN]", "NaN"),
        (b"[Infinity]", "Infinity"),
        (b"[-Infinity]", "-Infinity"),
        (b'"\\ud800"', "surrogate"),
        (b'{"\\udfff": 1}', "surrogate"),
        (b'{"a": [["\\ud800"]]}', "surrogate"),
        (b"[" * 65 + b"]" * 65, "deeper than 64"),
        (b'{"a":' * 100_000, "deeper than 64"),
        (b"1" * 513, "512 characters"),
        (b'"\xff"', "not UTF-8 at byte 1"),
        (b"\xef\xbb\xbf{}", "not JSON"),
        (b"", "not JSON"),
        (b"{} {}", "not JSON"),
        (b'"a\nb"', "not JSON"),
        (b"x" * (strict_json.MAX_BYTES + 1), "larger than"),
    ],
)
def test_what_could_mean_two_things_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(StrictJsonError, match=reason):
        loads(data)


def test_64_levels_are_allowed_and_brackets_in_strings_do_not_count() -> None:
    assert loads(b"[" * 64 + b"]" * 64)
    assert loads(json.dumps(["[" * 100, '\\"' + "{" * 100]).encode())


@pytest.mark.parametrize(
    "data", [f'["{CANARY}",]', f'{{"{CANARY}":1,"{CANARY}":2}}', f'"{CANARY}', f'"{CANARY}\\q"']
)
def test_an_error_never_quotes_the_text(data: str) -> None:
    with pytest.raises(StrictJsonError) as caught:
        loads(data.encode())
    assert CANARY not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "token", ["1.0", "1e2", "1E+2", "-0", "0.10", "1234567890123456789012345678901234567890"]
)
def test_a_number_stays_the_token_of_its_source(token: str) -> None:
    value = loads(token.encode())
    assert isinstance(value, NumberToken)
    assert value == token
    assert dumps(value) == token.encode()


@given(VALUES)
def test_what_is_written_reads_back_the_same(value: Json) -> None:
    again = loads(dumps(value), max_bytes=1 << 24)
    assert again == value
    assert dumps(again) == dumps(value)


@given(VALUES)
def test_what_is_written_is_json_to_others(value: Json) -> None:
    json.loads(dumps(value))


@given(st.binary(max_size=64))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    assert verdict(data) in {"accepted", "refused"}


def test_what_is_written_is_compact_and_not_escaped() -> None:
    assert (
        dumps({"é": "ü", "n": [NumberToken("1.0"), None, True]}) == '{"é":"ü","n":[1.0,null,true]}'.encode()
    )


def test_what_is_just_within_its_bounds_is_read() -> None:
    assert loads(b"1".ljust(strict_json.MAX_BYTES)) == "1"
    assert loads(b"1" * strict_json.MAX_NUMBER_CHARS) == "1" * strict_json.MAX_NUMBER_CHARS
    depth = strict_json.MAX_DEPTH
    assert loads(b'{"a":' * (depth - 1) + b"[]" + b"}" * (depth - 1))
    with pytest.raises(StrictJsonError, match="nested deeper than 64"):
        loads(b'{"a":' * depth + b"[]" + b"}" * depth)
