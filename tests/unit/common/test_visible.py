"""Nothing that a stranger wrote can command, hide in or reorder a terminal."""

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.common.visible import visible

_HIDING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("a\rb\nc\td", r"a\rb\nc\td"),
        ("\x9b2J", r"\x9b2J"),
        ("\u202eabc", r"\u202eabc"),
        ("\U000e0041", r"\U000e0041"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("[bold]markup[/bold]", "[bold]markup[/bold]"),
        ("größer ≥ 日本", "größer ≥ 日本"),
        ("\x7f", r"\x7f"),
    ],
)
def test_escapes_what_is_not_plainly_visible(written: str, shown: str) -> None:
    assert visible(written) == shown


@given(st.text())
def test_no_hiding_character_is_left(text: str) -> None:
    assert not [character for character in visible(text) if unicodedata.category(character) in _HIDING]


def test_no_naughty_string_gets_through(shared: Path) -> None:
    strings = json.loads((shared / "corpora" / "blns" / "blns.json").read_text(encoding="utf-8"))
    assert any(visible(text) != text for text in strings)
    for text in strings:
        assert not [character for character in visible(text) if unicodedata.category(character) in _HIDING]
