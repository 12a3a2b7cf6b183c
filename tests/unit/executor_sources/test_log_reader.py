"""Reading a part of a log gives what reading all of it would."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.executor.sources import log_reader
from services.executor.sources.instants import MICROSECONDS
from services.executor.sources.line_notes import LineNotes
from services.executor.sources.log_line import LogLine
from services.executor.sources.log_reader import LogReader
from services.executor.tools.log_window import records
from tests.fakes.bundles import a_stop

EPOCH = 1796029200  # 2026-11-30T09:00:00Z
KINDS = st.sampled_from(["dated", "trace", "continuation", "free", "blank", "json"])


def line_of(kind: str, second: int) -> str:
    time = f"2026-11-30T09:{second // 60:02d}:{second % 60:02d}Z"
    return {
        "dated": f"{time} ERROR it failed",
        "json": f'{{"ts":"{time}","level":"info","msg":"served"}}',
        "trace": "Traceback (most recent call last):\n  File x\nKeyError: 1",
        "continuation": "    at some.Place(File.java:7)",
        "free": "no time here",
        "blank": "",
    }[kind]


def in_window(lines: list[LogLine], start: int, end: int) -> list[list[LogLine]]:
    return list(records(lines, start, end))


@given(st.lists(st.tuples(KINDS, st.integers(0, 599)), max_size=60), st.integers(0, 599), st.integers(1, 300))
def test_a_window_read_by_blocks_is_that_of_the_whole(
    parts: list[tuple[str, int]], begin: int, length: int
) -> None:
    text = "\n".join(line_of(kind, second) for kind, second in parts)
    start, end = (EPOCH + begin) * MICROSECONDS, (EPOCH + begin + length) * MICROSECONDS
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr(log_reader, "_BLOCK_BYTES", 100)
        path = Path(folder) / "a.log"
        path.write_text(text)
        reader = LogReader(lambda: path.open("rb"), None, 1 << 20)
        whole = list(reader.lines(a_stop()))
        assert list(reader.lines(a_stop())) == whole
        assert in_window(list(reader.lines(a_stop(), start, end)), start, end) == in_window(whole, start, end)


def test_only_the_blocks_of_a_window_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("".join(f"{line_of('dated', n // 100)} {'x' * 100}\n" for n in range(59_900)))
    reader = LogReader(lambda: path.open("rb"), None, 1 << 30)
    whole = list(reader.lines(a_stop()))
    start = (EPOCH + 300) * MICROSECONDS
    part = list(reader.lines(a_stop(), start, start + 1))
    assert len(part) < len(whole) / 3
    assert in_window(part, start, start + 1) == in_window(whole, start, start + 1)


def test_a_log_that_was_written_to_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(line_of("dated", 1) + "\n")
    reader = LogReader(lambda: path.open("rb"), None, 1 << 20)
    list(reader.lines(a_stop()))
    before = reader.sha256
    path.write_text(line_of("dated", 7) + "\n" + line_of("dated", 8) + "\n")
    os.utime(path, ns=(1, 1))
    assert [line.n for line in reader.lines(a_stop(), EPOCH * MICROSECONDS)] == [1, 2]
    assert reader.sha256 != before


def test_notes_are_of_one_version_of_a_log(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("x\n" * 10)
    reader = LogReader(lambda: path.open("rb"), None, 1 << 20)
    list(reader.lines(a_stop()))
    reader.notes.put(7, "a shape")
    list(reader.lines(a_stop()))
    assert [reader.notes.get(line) for line in (6, 7, 8, 9999)] == ["", "a shape", "", ""]
    path.write_text("y\n" * 20)
    list(reader.lines(a_stop()))
    assert reader.notes.get(7) == ""


def test_notes_are_bounded() -> None:
    notes = LineNotes()
    for line in range(5000):
        notes.put(line, f"text {line}")
    notes.put(1 << 40, "text 1")
    assert notes.get(4095) == "text 4095"
    assert [notes.get(line) for line in (4096, 4999, 1 << 40)] == ["", "", ""]


def test_a_reading_that_was_left_says_nothing_of_the_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("x\n" * 10)
    reader = LogReader(lambda: path.open("rb"), None, 10)
    next(reader.lines(a_stop()))
    assert (reader.sha256, reader.cut) == ("", False)
    assert len(list(reader.lines(a_stop()))) == 5
    assert reader.cut
