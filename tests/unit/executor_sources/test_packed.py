"""Compressed logs: read as streams, with line numbers of their content, and never beyond a bound."""

import gzip
import hashlib
import io
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.executor.sources import packed
from services.executor.sources.bundle import Limits
from services.executor.sources.directory import SourceError
from services.executor.sources.log_names import is_log, unrotated
from services.executor.sources.packed import Unpacked
from tests.fakes.bundles import LIMITS, TOPOLOGY, a_response, a_stop, opened, write

LOG = "".join(
    f"2026-11-30T09:{n // 60:02d}:{n % 60:02d}Z INFO order {n} took {n * 7} ms\n" for n in range(600)
)
NAME = "logs/cart.log.1.gz"


def unpack(data: bytes) -> tuple[bytes, str]:
    unpacked = Unpacked(io.BufferedReader(io.BytesIO(data)))
    return unpacked.stream.read(), unpacked.cut


def test_a_packed_log_reads_like_its_content(tmp_path: Path) -> None:
    write(tmp_path, {NAME: gzip.compress(LOG.encode()), "t.json": TOPOLOGY})
    bundle = opened(tmp_path)
    source = bundle.source(NAME, "log")
    assert source.owner == "cart"
    assert source.first_time is not None
    assert source.last_time is not None
    assert (source.first_time.text, source.last_time.text) == ("2026-11-30T09:00:00Z", "2026-11-30T09:09:59Z")
    reading = bundle.log(source).read(a_stop())
    assert [(line.n, line.text) for line in reading] == list(enumerate(LOG.splitlines(), 1))
    assert reading.extent.sha256 == hashlib.sha256(LOG.encode()).hexdigest()
    assert not reading.extent.cut


def test_members_one_after_the_other_are_one_file() -> None:
    assert unpack(gzip.compress(b"a\n") + gzip.compress(b"b\n")) == (b"a\nb\n", "")


def test_a_packed_file_whose_end_is_missing_is_read_so_far_and_marked(tmp_path: Path) -> None:
    data = gzip.compress(LOG.encode())
    write(tmp_path, {NAME: data[: len(data) // 2]})
    bundle = opened(tmp_path)
    reading = bundle.log(bundle.source(NAME, "log")).read(a_stop())
    lines = [line.text for line in reading]
    assert 0 < len(lines) < 600
    assert LOG.startswith("\n".join(lines))
    assert reading.extent.cut


def test_damage_is_told(tmp_path: Path) -> None:
    data = gzip.compress(LOG.encode())
    damaged = data[:-8] + bytes(8)
    assert unpack(damaged) == (LOG.encode(), "its compressed data is damaged")
    write(tmp_path, {"metrics/a.json.gz": gzip.compress(b"[]")[:-8], "logs/a.log": "x\n"})
    found = {source.name: source.problem for source in opened(tmp_path).sources}
    assert found["metrics/a.json.gz"] == "its compressed data ends early"


def test_packed_json_and_tables_are_read_as_far_as_unpacked_ones(tmp_path: Path) -> None:
    response = json.dumps(a_response(({"__name__": "up"}, [(1796029530, "1")]))).encode()
    table = b"time,up\n2026-11-30T09:00:00Z,1\n"
    write(tmp_path, {"m/a.json.gz": gzip.compress(response), "m/b.csv.gz": gzip.compress(table)})
    series, _ = opened(tmp_path).series(opened(tmp_path).of_kind("metric"), a_stop())
    assert [one.name for one in series] == ["up", "up"]
    write(tmp_path, {"m/big.json.gz": gzip.compress(b"[" + b" " * 10_000 + b"]")})
    limited = opened(tmp_path, Limits(structured_bytes=5000, log_bytes=LIMITS.log_bytes))
    assert "larger than the 5000 bytes" in {s.name: s.problem for s in limited.sources}["m/big.json.gz"]


def test_a_bomb_is_cut_and_marked_in_bounded_memory(tmp_path: Path) -> None:
    once = gzip.compress(b"y" * (1 << 20), 9)
    bomb = gzip.compress(b"2026-11-30T09:00:00Z INFO x\n") + once * 200
    write(tmp_path, {NAME: bomb})
    bundle = opened(tmp_path)
    source = bundle.source(NAME, "log")
    tracemalloc.start()
    reading = bundle.log(source).read(a_stop())
    lines = list(reading)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lines[0].text.endswith("INFO x")
    assert reading.extent.cut
    assert peak < 8 << 20


def test_the_ratio_is_what_cuts_a_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = gzip.compress(bytes(64 << 20), 9)
    data, cut = unpack(bomb)
    assert len(data) < 20 << 20
    assert "500 times" in cut
    monkeypatch.setattr(packed, "MAX_RATIO", 2000)
    assert unpack(bomb) == (bytes(64 << 20), "")


def test_a_packed_log_is_read_as_far_as_the_limit(tmp_path: Path) -> None:
    write(tmp_path, {NAME: gzip.compress(LOG.encode())})
    bundle = opened(tmp_path, Limits(structured_bytes=1000, log_bytes=500))
    reading = bundle.log(bundle.source(NAME, "log")).read(a_stop())
    assert len(list(reading)) < 20
    assert reading.extent.cut


@given(st.binary(max_size=300))
def test_any_bytes_that_say_gzip_are_read_or_told(data: bytes) -> None:
    _, cut = unpack(b"\x1f\x8b" + data)
    assert cut.startswith("its compressed data")


def test_a_damaged_table_is_an_error(tmp_path: Path) -> None:
    table = gzip.compress(b"time,up\n" + b"2026-11-30T09:00:00Z,1\n" * 500)
    write(tmp_path, {"m/t.csv.gz": table, "logs/a.log": "x\n"})
    bundle = opened(tmp_path)
    source = bundle.source("m/t.csv.gz", "metric")
    (tmp_path / "m/t.csv.gz").write_bytes(table[:-8])
    with pytest.raises(SourceError, match="ends early"):
        bundle.table(source, a_stop())


@pytest.mark.parametrize(
    "name",
    [
        "app.log.1",
        "app.log.12.gz",
        "app.log-20261130",
        "app.log-20261130.gz",
        "app.log.2026-11-30",
        "app.log-2026-11-30T09-00",
        "app.log-1796029200.gz",
        "app.log.gz",
        "app.log",
    ],
)
def test_a_rotated_log_keeps_its_name(name: str) -> None:
    assert unrotated(name) == "app.log"
    assert is_log(name)


@pytest.mark.parametrize("name", ["archive.7", "v1.2.3", "app.conf.1", "notes-2026-11-30.txt", "x.gz"])
def test_other_numbered_files_are_no_logs_by_name(name: str) -> None:
    assert not is_log(name)


def test_rotated_logs_have_the_owner_of_the_log(tmp_path: Path) -> None:
    line = "2026-11-30T09:00:00Z INFO x\n"
    names = ("logs/front.log", "logs/front.log.1", "logs/front.log-20261130.gz")
    packed_line = gzip.compress(line.encode())
    write(tmp_path, {name: packed_line if name.endswith("gz") else line for name in names})
    write(tmp_path, {"t.json": TOPOLOGY})
    owners = {source.name: source.owner for source in opened(tmp_path).sources}
    assert {owners[name] for name in names} == {"edge"}
