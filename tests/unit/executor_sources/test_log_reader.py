"""Reading a part of a log gives what reading all of it would."""

import os
import tempfile
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.executor.sources import log_reader
from services.executor.sources.instants import MICROSECONDS
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
        whole = list(reader.read(a_stop()))
        assert list(reader.read(a_stop())) == whole
        assert in_window(list(reader.read(a_stop(), start, end)), start, end) == in_window(whole, start, end)


def test_a_line_longer_than_blocks_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_reader, "_BLOCK_BYTES", 50_000)
    path = tmp_path / "a.log"
    path.write_text(f"{line_of('dated', 0)} {'x' * 400_000}\n{line_of('json', 1)}\n")
    reader = LogReader(lambda: path.open("rb"), None, 1 << 20)
    whole = list(reader.read(a_stop()))
    assert [(line.n, line.cut) for line in whole] == [(1, True), (2, False)]
    again = reader.read(a_stop())
    assert list(again) == whole
    blocks = list(reader.blocks(again, a_stop()))
    assert [before for before, _ in blocks] == [0, 1]
    assert len(blocks[0][1]) < 100_000
    assert blocks[1][1].endswith(b'"served"}\n')
    assert [line.n for line in reader.lines_at(again, {2}, a_stop()).values()] == [2]


def test_only_the_blocks_of_a_window_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("".join(f"{line_of('dated', n // 100)} {'x' * 100}\n" for n in range(59_900)))
    reader = LogReader(lambda: path.open("rb"), None, 1 << 30)
    whole = list(reader.read(a_stop()))
    start = (EPOCH + 300) * MICROSECONDS
    part = list(reader.read(a_stop(), start, start + 1))
    assert len(part) < len(whole) / 3
    assert in_window(part, start, start + 1) == in_window(whole, start, start + 1)


def test_a_log_that_was_written_to_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(line_of("dated", 1) + "\n")
    reader = LogReader(lambda: path.open("rb"), None, 1 << 20)
    before = reader.read(a_stop())
    list(before)
    path.write_text(line_of("dated", 7) + "\n" + line_of("dated", 8) + "\n")
    os.utime(path, ns=(1, 1))
    after = reader.read(a_stop(), EPOCH * MICROSECONDS)
    assert [line.n for line in after] == [1, 2]
    assert after.extent.sha256 != before.extent.sha256


def test_a_reading_that_was_left_says_how_far_it_came(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("x\n" * 10)
    reader = LogReader(lambda: path.open("rb"), None, 10)
    left = reader.read(a_stop())
    next(iter(left))
    del left.lines
    assert (left.extent.last_line, left.extent.cut) == (1, True)
    whole = reader.read(a_stop())
    assert len(list(whole)) == 5
    assert whole.extent.cut


def test_the_text_and_the_lines_of_a_reading_can_be_had_again(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    text = "".join(f"{line_of('dated', n % 600)} {n} {'x' * 100}\n" for n in range(30_000))
    path.write_text(text)
    reader = LogReader(lambda: path.open("rb"), None, 1 << 30)
    reading = reader.read(a_stop())
    lines = list(reading)
    blocks = list(reader.blocks(reading, a_stop()))
    assert b"".join(data for _, data in blocks).decode() == text
    assert [before for before, _ in blocks] == [0, *(lines[at].n - 1 for at in breaks(blocks))]
    wanted = {1, 9_000, 30_000, 30_001}
    assert reader.lines_at(reading, wanted, a_stop()) == {n: lines[n - 1] for n in (1, 9_000, 30_000)}


def breaks(blocks: list[tuple[int, bytes]]) -> list[int]:
    return list(accumulate(data.count(b"\n") for _, data in blocks[:-1]))
