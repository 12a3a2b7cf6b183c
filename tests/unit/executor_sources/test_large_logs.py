"""A log that is larger than what is read of one: the part in question is read, with its real line numbers."""

import gzip
import hashlib
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from services.executor.sources import log_survey
from services.executor.sources.bundle import Limits
from services.executor.sources.instants import MICROSECONDS
from services.executor.sources.log_line import LogLine
from services.executor.sources.log_reader import LogReader
from services.executor.tools.log_window import records
from services.executor.tools.registry import tools
from tests.fakes.bundles import Tree, a_stop, opened, write

EPOCH = 1796029200  # 2026-11-30T09:00:00Z
SECONDS = 3000
LIMIT = 20_000
PACKS: list[Callable[[bytes], bytes]] = [bytes, gzip.compress, lambda data: data.decode().encode("utf-16")]


def text_of(seconds: int = SECONDS) -> str:
    """Return one record a second, every tenth of two lines."""
    lines = []
    for second in range(seconds):
        lines.append(f"2026-11-30T09:{second // 60:02d}:{second % 60:02d}Z INFO item {second} x\n")
        if second % 10 == 0:
            lines.append("    at some.Place(File.java:7)\n")
    return "".join(lines)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_survey, "_STEP_BYTES", 2000)


def reader_of(folder: Path, data: bytes, limit: int = LIMIT) -> LogReader:
    path = folder / "a.log"
    path.write_bytes(data)
    return LogReader(lambda: path.open("rb"), None, limit)


def in_window(lines: list[LogLine], start: int, end: int) -> list[list[LogLine]]:
    return list(records(lines, start, end))


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("begin", [0, 7, 600, 1555, 2990])
def test_the_window_is_read_as_of_the_whole(
    tmp_path: Path, begin: int, pack: Callable[[bytes], bytes]
) -> None:
    data = pack(text_of().encode())
    whole = list(reader_of(tmp_path, data, 1 << 30).read(a_stop()))
    start, end = (EPOCH + begin) * MICROSECONDS, (EPOCH + begin + 60) * MICROSECONDS
    reader = reader_of(tmp_path, data)
    reading = reader.read(a_stop(), start, end)
    part = list(reading)
    assert in_window(part, start, end) == in_window(whole, start, end)
    assert len(part) < len(whole) / 4
    assert not reading.extent.cut


@pytest.mark.parametrize("pack", PACKS)
def test_without_a_window_the_end_is_read_and_the_rest_is_told(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    text = text_of()
    reading = reader_of(tmp_path, pack(text.encode())).read(a_stop())
    part = list(reading)
    lines = text.splitlines()
    assert [(line.n, line.text) for line in part] == list(enumerate(lines, 1))[part[0].n - 1 :]
    extent = reading.extent
    assert extent.cut
    assert extent.last_line == len(lines)
    assert LIMIT / 2 < extent.end_byte - extent.first_byte <= LIMIT
    read = text.encode()[extent.first_byte : extent.end_byte]
    assert read.count(b"\n") == extent.last_line - extent.first_line + 1
    if pack is bytes:
        assert extent.sha256 == hashlib.sha256(read).hexdigest()


def test_of_a_window_that_is_too_long_the_end_is_read(tmp_path: Path) -> None:
    start, end = (EPOCH + 300) * MICROSECONDS, (EPOCH + 2000) * MICROSECONDS
    reading = reader_of(tmp_path, text_of().encode()).read(a_stop(), start, end)
    times = [line.parsed.time.microseconds for line in reading if line.parsed.time]
    assert times[0] > start
    assert max(time for time in times if time < end) == end - MICROSECONDS
    assert reading.extent.cut


def test_of_a_log_without_times_the_end_is_read(tmp_path: Path) -> None:
    text = "".join(f"plain words {number}\n" for number in range(5000))
    reading = reader_of(tmp_path, text.encode()).read(a_stop(), EPOCH * MICROSECONDS)
    lines = list(reading)
    assert (lines[-1].n, lines[-1].text) == (5000, "plain words 4999")
    assert reading.extent.cut


def test_one_endless_line_is_no_reason_to_fail(tmp_path: Path) -> None:
    reading = reader_of(tmp_path, b"x" * 100_000).read(a_stop())
    (line,) = reading
    assert line.cut
    assert reading.extent.cut


def test_a_narrow_window_uses_the_index_of_a_wider_reading(tmp_path: Path) -> None:
    reader = reader_of(tmp_path, text_of().encode())
    list(reader.read(a_stop()))
    start, end = (EPOCH + 2900) * MICROSECONDS, (EPOCH + 2960) * MICROSECONDS
    reading = reader.read(a_stop(), start, end)
    part = in_window(list(reading), start, end)
    assert [record[0].text.split()[3] for record in part] == [str(second) for second in range(2900, 2960)]
    assert not reading.extent.cut


def test_tools_say_which_part_was_read(tmp_path: Path) -> None:
    write(tmp_path, {"logs/a.log": text_of()})
    bundle = opened(tmp_path, Limits(structured_bytes=1 << 20, log_bytes=LIMIT))
    tool = tools(1 << 20, 30)["logs_templates"]
    given = '{"source":"logs/a.log","split":"2026-11-30T09:49:00Z","literals":["item 2950 "]}'
    for _ in range(2):
        output = tool.run(bundle, tool.arguments.model_validate_json(given), a_stop())
        found: Tree = output.document
        assert output.truncated
        assert int(found["read"]["last_line"]) == text_of().count("\n")
        lines = int(found["read"]["last_line"]) - int(found["read"]["first_line"]) + 1
        assert lines - 2 <= int(found["lines"]) <= lines
        assert (found["literals"][0]["count"], found["literals"][0]["count_after"]) == ("1", "1")
        at = int(found["literals"][0]["first"]["n"])
        assert text_of().splitlines()[at - 1] == found["literals"][0]["first"]["text"]
    search = tools(1 << 20, 30)["logs_search"]
    window = '"start":"2026-11-30T09:00:00Z","end":"2026-11-30T09:01:00Z"'
    given = f'{{"source":"logs/a.log","contains":["item 7 "],{window}}}'
    output = search.run(bundle, search.arguments.model_validate_json(given), a_stop())
    whole: Tree = output.document
    assert [line["n"] for line in whole["lines"]] == ["9"]
    assert "read" not in whole
    assert not output.truncated


def test_memory_is_that_of_a_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_survey, "_STEP_BYTES", 1 << 20)
    path = tmp_path / "a.log"
    with path.open("wb") as file:
        for minute in range(60):
            file.write((f"2026-11-30T09:{minute:02d}:00Z INFO " + "x" * 200 + "\n").encode() * 5000)
    reader = LogReader(lambda: path.open("rb"), None, 4 << 20)
    start = (EPOCH + 1800) * MICROSECONDS
    tracemalloc.start()
    count = sum(1 for _ in reader.read(a_stop(), start, start + 1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 5000 <= count < 20_000
    assert peak < 8 << 20
