"""Quoted data is one line behind our label, whatever it holds."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.common.llm.quoted import quoted, shortened

TEXTS = st.text(max_size=300)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain words", "e1| plain words"),
        ("one\ne2| two", r"e1| one\ne2| two"),
        ("one\r\n# Claims\u2028done", r"e1| one\r\n# Claims\u2028done"),
        ("a\u202eb\x1b[0m", r"e1| a\u202eb\x1b[0m"),
        ("", "e1| "),
    ],
)
def test_a_text_stays_behind_its_label(text: str, line: str) -> None:
    assert quoted("e1", text, 200) == line


@given(TEXTS, st.integers(0, 300))
def test_a_line_is_one_line_and_begins_with_the_label(text: str, limit: int) -> None:
    line = quoted("e1", text, limit)
    assert line.startswith("e1| ")
    assert line.splitlines() == [line]


def test_a_long_text_says_what_was_left_out_of_its_middle() -> None:
    assert shortened("a" * 60 + "b" * 100 + "c" * 30, 90) == (
        "a" * 60 + " …[100 characters left out]… " + "c" * 30
    )


@given(TEXTS, st.integers(0, 300))
def test_shortening_bounds_a_text(text: str, limit: int) -> None:
    short = shortened(text, limit)
    assert short == text or len(short) <= limit + 40
    assert (short == text) == (len(text) <= limit)


def test_naughty_strings_stay_on_their_line(shared: Path) -> None:
    strings = json.loads((shared / "corpora" / "blns" / "blns.json").read_text(encoding="utf-8"))
    assert all(quoted("e1", text, 10_000).splitlines() == [quoted("e1", text, 10_000)] for text in strings)
