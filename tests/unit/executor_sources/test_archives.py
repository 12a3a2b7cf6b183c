"""Zip files: read like folders, with one clear problem for whatever is not as it should be."""

import gzip
import io
import json
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.common.errors import FailedPreconditionError
from services.executor.sources import archive, packed
from services.executor.sources.bundle import Bundle
from services.executor.sources.directory import SourceError
from services.executor.sources.folder import MAX_FILES, Folder
from tests.fakes.bundles import LIMITS, TOPOLOGY, a_response, a_stop, opened, write

LINE = "2026-11-30T09:00:00Z INFO x\n"
LOG = "".join(f"2026-11-30T09:{n // 60:02d}:{n % 60:02d}Z INFO order {n}\n" for n in range(600))
METRIC = json.dumps(a_response(({"__name__": "up"}, [(1796029530, "1")])))


def zipped(*members: tuple[str | zipfile.ZipInfo, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as made:
        for name, content in members:
            made.writestr(name, content)
    return data.getvalue()


def problems(path: Path) -> dict[str, str]:
    return {source.name: source.problem for source in opened(path).sources}


def problems_in(folder: Path, data: bytes) -> dict[str, str]:
    """Return the problems of the members of an archive beside a readable log."""
    write(folder, {"z.zip": data, "logs/ok.log": LINE})
    return {name: problem for name, problem in problems(folder).items() if name != "logs/ok.log"}


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
@pytest.mark.parametrize("top", ["", "incident/"])
def test_a_bundle_may_be_a_zip_file(tmp_path: Path, top: str, method: int) -> None:
    members = {
        "logs/front.log": LOG,
        "m/a.json": METRIC,
        "t.json": json.dumps(TOPOLOGY),
        "question.txt": "Why?",
    }
    hidden = {"__MACOSX/._a.log": "x", ".git/a.log": LINE}
    data = zipped(*((top + name, text) for name, text in members.items()), *hidden.items(), method=method)
    path = tmp_path / "incident.zip"
    path.write_bytes(data)
    bundle = opened(path)
    assert [(source.name, source.kind, source.problem) for source in bundle.sources] == [
        ("logs/front.log", "log", ""),
        ("m/a.json", "metric", ""),
        ("t.json", "topology", ""),
    ]
    source = bundle.source("logs/front.log", "log")
    assert source.owner == "edge"
    assert source.last_time is not None
    assert source.last_time.text == "2026-11-30T09:09:59Z"
    assert source.size_bytes == len(LOG)
    reading = bundle.log(source).read(a_stop())
    assert [line.text for line in reading] == LOG.splitlines()
    assert not reading.extent.cut
    assert len(bundle.series(bundle.of_kind("metric"), a_stop())[0]) == 1


def test_the_members_of_a_zip_file_in_a_folder_are_sources(tmp_path: Path) -> None:
    inner = zipped(("app.log", LOG), ("old/app.log.1.gz", gzip.compress(LOG.encode())))
    write(tmp_path, {"b/logs.zip": inner, "b/api.log": LINE})
    bundle = opened(tmp_path)
    assert [source.name for source in bundle.of_kind("log")] == [
        "b/api.log",
        "b/logs.zip/app.log",
        "b/logs.zip/old/app.log.1.gz",
    ]
    for name in ("b/logs.zip/app.log", "b/logs.zip/old/app.log.1.gz"):
        lines = [line.text for line in bundle.log(bundle.source(name, "log")).read(a_stop())]
        assert lines == LOG.splitlines()
    start = 1796029200_000000 + 300_000_000
    reading = bundle.log(bundle.source("b/logs.zip/app.log", "log")).read(a_stop(), start, start + 1)
    assert [line.n for line in reading if line.parsed.time and line.parsed.time.microseconds == start] == [
        301
    ]


def test_an_archive_in_an_archive_is_named_and_not_read(tmp_path: Path) -> None:
    found = problems_in(
        tmp_path, zipped(("inner.zip", zipped(("a.log", LOG))), ("t.tar.gz", gzip.compress(b"x")))
    )
    assert set(found) == {"z.zip/inner.zip", "z.zip/t.tar.gz"}
    assert all("no archive within another" in problem for problem in found.values())


def linked(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = 0o120777 << 16
    return info


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("../up.log", "not a relative one"),
        ("a/../../up.log", "not a relative one"),
        ("/etc/up.log", "not a relative one"),
        ("C:/up.log", "not a relative one"),
        ("a\\b.log", "not a relative one"),
        ("a\x1b[31m.log", "not printable"),
        ("a\u202eb.log", "not printable"),
        ("a/" * 9 + "b.log", "deeper than 8"),
        ("a" * 1100 + ".log", "longer than 1024"),
        (linked("link.log"), "not a regular file"),
    ],
)
def test_a_hostile_name_has_one_problem(tmp_path: Path, name: str | zipfile.ZipInfo, problem: str) -> None:
    (found,) = problems_in(tmp_path, zipped((name, LINE))).values()
    assert problem in found


def test_a_name_with_a_zero_byte_is_not_cut_there(tmp_path: Path) -> None:
    data = zipped(("aXb.log", LINE)).replace(b"aXb.log", b"a\0b.log")
    (found,) = problems_in(tmp_path, data).values()
    assert "not printable" in found


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_stands_twice_means_nothing(tmp_path: Path) -> None:
    assert problems_in(tmp_path, zipped(("a.log", LINE), ("a.log", LOG))) == {
        "z.zip/a.log": "its name stands in the archive more than once"
    }


def test_what_is_encrypted_or_packed_otherwise_is_named(tmp_path: Path) -> None:
    # The flags and the method stand in the list at the same place before each name.
    data = bytearray(zipped(("a.log", LINE), ("b.log", LINE), ("c.log", LINE), method=zipfile.ZIP_STORED))
    for name, offset, value in ((b"a.log", 8, 1), (b"b.log", 10, 14)):
        data[data.rindex(name) - 46 + offset] = value
    found = problems_in(tmp_path, bytes(data))
    assert found["z.zip/a.log"] == "it is encrypted"
    assert "method that is not read" in found["z.zip/b.log"]
    assert found["z.zip/c.log"] == ""


def test_a_wrong_sum_and_a_lost_end_mark_the_log_as_cut(tmp_path: Path) -> None:
    data = zipped(("a.log", LOG * 20), method=zipfile.ZIP_STORED)
    write(tmp_path, {"z.zip": data.replace(b"order 7\n", b"order 8\n")})
    bundle = opened(tmp_path)
    reading = bundle.log(bundle.source("z.zip/a.log", "log")).read(a_stop())
    assert 0 < len(list(reading)) < 20 * 600
    assert reading.extent.cut
    good = zipped(("m.json", METRIC))
    at = good.index(b"m.json") + 10
    bad = good[:at] + bytes([good[at] ^ 255]) + good[at + 1 :]
    assert list(problems_in(tmp_path, bad).values()) == ["its compressed data is damaged"]


@pytest.mark.parametrize("cut", [1, 10, 60, 200])
def test_a_zip_file_whose_end_is_missing_is_told(tmp_path: Path, cut: int) -> None:
    data = zipped(("a.log", LOG), ("b.log", LOG))[:-cut]
    assert list(problems_in(tmp_path, data).values()) == [
        "it is not a whole zip file: its list of members cannot be read"
    ]
    path = tmp_path / "whole.zip"
    path.write_bytes(data)
    with pytest.raises(FailedPreconditionError, match="not a whole zip file"):
        opened(path)


def test_an_empty_archive_is_told(tmp_path: Path) -> None:
    assert problems_in(tmp_path, zipped()) == {"z.zip": "the archive is empty"}


def overlapping() -> bytes:
    """Return an archive whose two members are the same bytes."""
    data = bytearray(zipped(("a.log", LOG), ("b.log", LOG)))
    at = data.rindex(b"b.log") - 46 + 42
    data[at : at + 4] = struct.pack("<I", 0)
    return bytes(data)


def test_members_that_overlap_are_refused(tmp_path: Path) -> None:
    found = problems_in(tmp_path, overlapping())
    assert set(found) == {"z.zip/a.log", "z.zip/b.log"}
    assert all("overlaps" in problem for problem in found.values())


def test_the_refusal_of_overlaps_does_not_rest_on_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "_overlapping", lambda _: set[int]())
    data = bytearray(zipped(("a.log", LOG), ("a.lo_", LOG)))
    at = data.rindex(b"a.lo_") - 46 + 42
    data[at : at + 4] = struct.pack("<I", 20)
    assert any("overlaps" in problem for problem in problems_in(tmp_path, bytes(data)).values())


def test_a_name_that_differs_at_its_place_is_refused(tmp_path: Path) -> None:
    data = zipped(("a.log", LOG))
    assert list(problems_in(tmp_path, data.replace(b"a.log", b"b.log", 1)).values()) == [
        "the archive's list and its content disagree on it"
    ]


def bomb(claimed: int | None = None) -> bytes:
    data = bytearray(zipped(("a.log", LINE.encode() + b"y" * (64 << 20))))
    if claimed is not None:
        at = data.rindex(b"a.log") - 46 + 24
        data[at : at + 4] = struct.pack("<I", claimed)
    return bytes(data)


def test_a_bomb_that_says_so_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert problems_in(tmp_path, bomb()) == {"z.zip": "the archive unpacks to more than 500 times its size"}
    monkeypatch.setattr(archive, "MAX_RATIO", 5000)
    monkeypatch.setattr(packed, "MAX_RATIO", 5000)
    assert set(problems_in(tmp_path, bomb())) == {"z.zip/a.log"}


def test_a_bomb_that_does_not_say_so_is_cut_in_bounded_memory(tmp_path: Path) -> None:
    write(tmp_path, {"z.zip": bomb(claimed=1 << 20)})
    bundle = opened(tmp_path)
    reading = bundle.log(bundle.source("z.zip/a.log", "log")).read(a_stop())
    tracemalloc.start()
    assert sum(1 for _ in reading) >= 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert reading.extent.end_byte <= 1 << 20
    assert peak < 8 << 20


def test_more_members_than_are_looked_at_are_counted(tmp_path: Path) -> None:
    found = problems_in(tmp_path, zipped(*((f"{n:05d}.log", LINE) for n in range(MAX_FILES + 50))))
    assert "51 more files are left out" in found["(more files)"]


def test_a_list_that_is_too_long_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = zipped(*((f"{n:06d}.log", "") for n in range(100_000)), method=zipfile.ZIP_STORED)
    write(tmp_path, {"z.zip": data, "logs/ok.log": LINE})
    tracemalloc.start()
    found = problems(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found["z.zip"] == "the archive lists more files than can be looked at; unpack it"
    assert peak < 16 << 20
    monkeypatch.setattr(archive, "_MAX_LIST_BYTES", 64 << 20)
    assert "98001 more files" in problems(tmp_path)["(more files)"]


def test_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "b.zip"
    path.write_bytes(zipped(("a.log", LOG)))
    monkeypatch.chdir(tmp_path)
    bundle = opened(path)
    list(bundle.log(bundle.source("a.log", "log")).read(a_stop()))
    assert [entry.name for entry in tmp_path.iterdir()] == ["b.zip"]


def test_only_what_was_listed_can_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    path.write_bytes(zipped(("a.log", LOG)))
    (tmp_path / "beside.log").write_text(LINE)
    folder = Folder(tmp_path, "b.zip")
    with pytest.raises(SourceError):
        folder.open("beside.log")
    assert [item.name for item in folder.files()] == ["a.log"]
    for name in ("beside.log", "../beside.log", "b.zip"):
        with pytest.raises(SourceError):
            folder.open(name)


def test_a_link_to_an_archive_outside_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "out.zip").write_bytes(zipped(("a.log", LOG)))
    write(tmp_path / "b", {"ok.log": LINE})
    (tmp_path / "b" / "l.zip").symlink_to(tmp_path / "out.zip")
    assert problems(tmp_path / "b")["l.zip"] == "a link leads out of the bundle"


@given(st.binary(max_size=200), st.integers(0, 10_000), st.sampled_from([bytes, zlib.compress]))
def test_any_damage_is_told_and_raises_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int, pack: Callable[[bytes], bytes]
) -> None:
    data = zipped(("a.log", LOG), ("m.json", METRIC), ("c.log", pack(noise)))
    at %= len(data)
    folder = tmp_path_factory.mktemp("zip")
    write(folder, {"z.zip": data[:at] + noise + data[at + len(noise) :], "ok.log": LINE})
    bundle = Bundle(Folder(folder.parent, folder.name), LIMITS, a_stop())
    for source in bundle.of_kind("log"):
        list(bundle.log(source).read(a_stop()))
