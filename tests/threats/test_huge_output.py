"""Threat: huge, endless or compressed output.

A 1 GB stream, a million lines, one 50 MB line, a gzip bomb. Must happen: cut before decoding, marked as cut,
memory bounded; a claim cannot cite past the cut.
"""

import gzip
import io
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from assay.common.v1 import evidence_pb2

from services.executor.sources import packed, text_lines
from services.executor.sources.bundle import Limits
from services.executor.sources.packed import Unpacked
from services.executor.sources.text_lines import TextLines
from services.executor.tools import registry
from services.executor.tools.arguments import LogSearch
from services.gatekeeper.domain import check
from tests.fakes.bundles import Tree, a_stop, opened, write
from tests.fakes.documents import a_binding, a_claim, a_document, encoded
from tests.fakes.gate import a_request

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LINE: Final = b"2026-11-30T09:00:00Z ERROR refused\n"
GIGABYTE: Final = 1 << 30
LIMIT: Final = 1 << 20


class Endless(io.RawIOBase):
    """A stream that never ends; `given` counts what was taken of it."""

    def __init__(self) -> None:
        self.given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer).cast("B")
        begun = self.given % len(LINE)
        view[:] = (LINE * (len(view) // len(LINE) + 2))[begun : begun + len(view)]
        self.given += len(view)
        return len(view)


@contextmanager
def measured(peaks: list[int]) -> Iterator[None]:
    """Add the most memory that the block holds, in bytes."""
    tracemalloc.start()
    yield
    peaks.append(tracemalloc.get_traced_memory()[1])
    tracemalloc.stop()


def test_an_endless_stream_is_read_as_far_as_the_limit() -> None:
    peaks: list[int] = []
    endless = Endless()
    with measured(peaks):
        lines = sum(1 for _ in TextLines(io.BufferedReader(endless), a_stop()).take(LIMIT))
    assert lines == -(-LIMIT // len(LINE))
    assert endless.given < 2 * LIMIT
    assert peaks[0] < LIMIT
    # The control: the limit is all that ends it.
    unlimited = Endless()
    for line in TextLines(io.BufferedReader(unlimited), a_stop()).take(GIGABYTE):
        if line.n > 2 * lines:
            break
    assert unlimited.given > 2 * LIMIT


def one_long_line(peaks: list[int]) -> text_lines.TextLine:
    """Read one line of 50 MB."""
    file = io.BytesIO(LINE[:-1] + b"x" * (50 << 20))
    with measured(peaks):
        (line,) = TextLines(file, a_stop()).take(GIGABYTE)
    return line


def test_a_line_of_50_mb_is_cut_before_it_is_decoded() -> None:
    peaks: list[int] = []
    line = one_long_line(peaks)
    assert line.cut
    assert len(line.text) == text_lines.MAX_LINE_CHARS
    assert peaks[0] < 8 << 20


def test_control_uncut_the_line_is_held_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_lines, "MAX_LINE_CHARS", GIGABYTE)
    monkeypatch.setattr(text_lines, "MAX_LINE_BYTES", GIGABYTE)
    peaks: list[int] = []
    assert not one_long_line(peaks).cut
    assert peaks[0] > 50 << 20


def unpacked(peaks: list[int]) -> str:
    """Read a bomb through; return why the rest of it is missing."""
    bomb = Unpacked(io.BufferedReader(io.BytesIO(gzip.compress(bytes(64 << 20)))))
    with measured(peaks):
        while bomb.stream.read(LIMIT):
            pass
    return bomb.cut


def test_a_bomb_is_cut_and_marked_and_never_whole_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    peaks: list[int] = []
    assert "times its size" in unpacked(peaks)
    assert peaks[0] < 8 << 20
    # The control: the ratio is what cuts it.
    monkeypatch.setattr(packed, "MAX_RATIO", 10_000)
    assert unpacked(peaks) == ""


@pytest.fixture
def long_log(tmp_path: Path) -> Path:
    return write(tmp_path / "b", {"logs/a.log": LINE * 60_000})


def test_a_log_beyond_the_limit_is_marked_as_cut(long_log: Path) -> None:
    for limit, cut in ((LIMIT, True), (GIGABYTE, False)):
        bundle = opened(long_log, Limits(structured_bytes=LIMIT, log_bytes=limit))
        log = bundle.log(bundle.source("logs/a.log", "log"))
        reading = log.read(a_stop())
        read = sum(len(LINE) for _ in reading)
        assert 0 < read <= LIMIT if cut else read == 60_000 * len(LINE)
        assert reading.extent.cut is cut


def test_of_many_lines_few_are_shown_and_the_output_says_so(long_log: Path) -> None:
    tool = registry.tools(1 << 20, 30)["logs_search"]
    for wanted, truncated in (("refused", True), ("no such text", False)):
        found = tool.run(opened(long_log), LogSearch(source="logs/a.log", contains=[wanted]), a_stop())
        document: Tree = found.document
        assert len(document["lines"]) == (200 if truncated else 0)
        assert found.truncated is truncated


def test_a_claim_cannot_cite_past_the_cut() -> None:
    shown, beyond = "refused by db", "the text behind the cut"
    output = encoded({"source": "logs/a.log", "lines": [{"n": 1, "time": None, "text": shown}]})
    whole = encoded({"source": "logs/a.log", "lines": [{"n": 1, "time": None, "text": shown + beyond}]})
    claim = a_claim(evidence_bindings=[a_binding(matched_text=beyond)])
    cut, control = (
        check(a_request(a_document(claim), outputs={"inv-1": stored})).result for stored in (output, whole)
    )
    assert cut.status == evidence_pb2.GATE_RESULT_FAIL
    assert list(cut.failed_rules) == ["evidence.matched_text"]
    # The control: had it been recorded, it could be cited.
    assert control.status == evidence_pb2.GATE_RESULT_PASS
