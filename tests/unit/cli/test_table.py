"""Tables on a terminal of any width, and in a file."""

import pytest
from rich.cells import cell_len

from orchestrator.cli.table import Paper, table

TITLES = ("ID", "STATE", "TEXT")
ROWS = (("a1", "DONE", "why do checkouts fail since the release of Monday?"), ("b22", "", "short"))


def test_every_row_has_every_column_and_the_columns_stand_under_their_titles() -> None:
    head, first, second = table(TITLES, ROWS, Paper()).splitlines()
    assert head == "ID   STATE  TEXT"
    assert first == "a1   DONE   why do checkouts fail since the release of Monday?"
    assert second == "b22  -      short"


def test_the_last_column_is_cut_where_the_terminal_ends() -> None:
    _, first, second = table(TITLES, ROWS, Paper(40)).splitlines()
    assert first == "a1   DONE   why do checkouts fail sin..."
    assert second == "b22  -      short"


@pytest.mark.parametrize("width", range(20, 120, 7))
def test_no_line_is_wider_than_the_terminal_and_nothing_is_lost_of_the_first_columns(width: int) -> None:
    wide = ("c", "DONE", "日本語の質問 " * 30)
    text = table(TITLES, (*ROWS, wide), Paper(width))
    assert all(cell_len(line) <= width for line in text.splitlines())
    for word in ("a1", "b22", "DONE"):
        assert word in text


def test_a_row_takes_several_lines_on_a_narrow_terminal() -> None:
    assert table(TITLES, ROWS[:1], Paper(24)).splitlines() == [
        "a1  DONE",
        "  why do checkouts fail",
        "  since the release of",
        "  Monday?",
    ]


def test_in_a_file_a_line_is_long_but_bounded() -> None:
    _, line = table(("A", "B"), [("x", "y" * 5000)], Paper()).splitlines()
    assert line == "x  " + "y" * 197 + "..."


def test_wide_characters_take_their_two_columns() -> None:
    head, first, second = table(("A", "B"), [("日本", "x"), ("ab", "y")], Paper()).splitlines()
    assert (head, first, second) == ("A     B", "日本  x", "ab    y")


def test_what_strangers_wrote_stands_escaped_on_one_line() -> None:
    text = table(("A", "B"), [("\x1b[2J", "two\nlines \u202e")], Paper(80))
    assert text.splitlines()[1] == "\\x1b[2J  two\\nlines \\u202e"
