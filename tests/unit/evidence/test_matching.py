import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.common.evidence.matching import MIN_SUBSTRING, hides, stands_at
from services.common.evidence.strict_json import Json, NumberToken


@pytest.mark.parametrize(
    ("text", "value", "stands"),
    [
        ("refused", "connection refused", True),
        ("refu", "connection refused", True),
        ("ref", "connection refused", False),
        ("up", "up", True),
        ("up", "up!", False),
        ("Refused", "connection refused", False),
        ("refused\u200b", "connection refused", False),
        ("r\N{CYRILLIC SMALL LETTER IE}fused", "connection refused", False),
        ("\N{LATIN SMALL LETTER E WITH ACUTE}clair", "e\N{COMBINING ACUTE ACCENT}clair", False),
        ("80", NumberToken("80"), True),
        ("80.0", NumberToken("80"), False),
        ("8000", NumberToken("80001"), False),
        ("1e3", NumberToken("1e3"), True),
        ("1000", NumberToken("1e3"), False),
        ("true", True, True),
        ("false", False, True),
        ("True", True, False),
        ("1", True, False),
        ("null", None, True),
        ("None", None, False),
        ("text", {"text": "text"}, False),
        ("text", ["text"], False),
    ],
)
def test_where_a_text_stands(text: str, value: Json, stands: bool) -> None:
    assert stands_at(text, value) is stands


@given(st.text(min_size=1), st.data())
def test_a_true_substring_stands_when_it_is_long_enough_or_whole(value: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(value) - 1))
    end = data.draw(st.integers(start + 1, len(value)))
    part = value[start:end]
    assert stands_at(part, value) is (len(part) >= MIN_SUBSTRING or part == value)


@given(st.text(), st.text())
def test_what_is_not_in_a_text_never_stands_there(text: str, value: str) -> None:
    if stands_at(text, value):
        assert text in value


@pytest.mark.parametrize(
    "text",
    ["a\rb", "a\x1b[8mb", "a\x9b8mb", "a\x08b", "a\x00b", "a\u202eb", "a\u2066b", "a\u200fb", "a\u061cb",
     "a\U000e0041b", "a\U000e0100b", "a\x7fb"],
)  # fmt: skip
def test_text_that_hides_is_seen(text: str) -> None:
    assert hides(text)


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "tab\tand\nline",
        "\N{CYRILLIC CAPITAL LETTER ZHE}",
        "\u05d0\u05d1",
        "a\u200bb",
        "\U0001f600",
        "",
    ],
)
def test_honest_text_is_not_accused(text: str) -> None:
    assert not hides(text)


def test_every_bidirectional_control_of_unicode_is_seen() -> None:
    controls = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    every = [chr(point) for point in range(0x110000) if unicodedata.bidirectional(chr(point)) in controls]
    assert len(every) == 9
    assert all(map(hides, every))
