"""A log says the same in whatever encoding it is written."""

import codecs
import io
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.executor.sources.encodings import LOOK_BYTES, as_utf8, encoding_of, is_text
from services.executor.sources.text_lines import text_lines
from tests.fakes.bundles import a_stop, opened, write

LINES = ["2026-11-30T09:00:00Z INFO Bücher für 3 € geliefert", "2026-11-30T09:00:01Z ERROR Größe unbekannt"]
TEXT = "\n".join(LINES) + "\n"
# Characters that every encoding under test can write, and no line end.
LETTERS = st.text(st.sampled_from("abc XYZ019:,.=-äöüßéÀñ"), min_size=1, max_size=60)


def recoded(data: bytes) -> bytes:
    return as_utf8(io.BytesIO(data)).read()


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode("utf-8"),
        codecs.BOM_UTF8 + TEXT.encode("utf-8"),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        TEXT.encode("cp1252"),
        TEXT.replace("\n", "\r\n").encode("cp1252"),
        TEXT.replace("\n", "\r\n").encode("utf-16"),
        TEXT.replace("\n", "\r").encode("utf-8"),
        TEXT.replace("\n", "\r").encode("cp1252"),
    ],
)
def test_the_lines_are_the_same(tmp_path: Path, data: bytes) -> None:
    write(tmp_path, {"logs/a.log": data})
    bundle = opened(tmp_path)
    source = bundle.source("logs/a.log", "log")
    found = list(bundle.log(source).read(a_stop()))
    assert [line.text for line in found] == LINES
    assert [line.n for line in found] == [1, 2]
    assert source.last_time is not None
    assert source.last_time.text == "2026-11-30T09:00:01Z"


def test_latin_1_has_bytes_that_the_code_page_lacks() -> None:
    assert encoding_of(b"caf\xe9 \x81").codec == "latin-1"
    assert encoding_of(b"caf\xe9").codec == "cp1252"
    assert encoding_of("café".encode()).codec == "utf-8"


def test_some_damage_does_not_make_utf_8_another_encoding() -> None:
    assert encoding_of("für für f\xfcr".encode() + b" \xff").codec == "utf-8"


def test_a_carriage_return_within_a_line_stays_where_it_is() -> None:
    assert recoded(b"50 %\r100 %\nnext\n") == b"50 %\r100 %\nnext\n"


def test_a_character_that_two_blocks_share_is_whole() -> None:
    data = "a\n" + "x" * (LOOK_BYTES - 3) + "äöü\n"
    assert recoded(data.replace("\n", "\r").encode()).decode() == data
    wide = "y" + "ä" * LOOK_BYTES + "\n"
    assert recoded(wide.encode("utf-16")).decode() == wide


def test_a_csv_of_a_spreadsheet_is_read(tmp_path: Path) -> None:
    table = 'time,"größe{service=""cart""}"\n2026-11-30T09:00:00Z,1\n'
    write(tmp_path, {"m/a.csv": table.encode("utf-16"), "m/b.csv": codecs.BOM_UTF8 + table.encode()})
    series, _ = opened(tmp_path).series(opened(tmp_path).of_kind("metric"), a_stop())
    assert [one.samples for one in series] == [[(1796029200.0, "1")]] * 2


@pytest.mark.parametrize("zeros", [True, False])
def test_noise_is_refused_with_a_reason(tmp_path: Path, zeros: bool) -> None:
    noise = random.Random(7).randbytes(50_000)  # noqa: S311 - noise, no secret
    data = noise if zeros else noise.replace(b"\0", b"\x01")
    write(tmp_path, {"logs/noise.log": data, "logs/a.log": "x\n"})
    found = {source.name: source.problem for source in opened(tmp_path).sources}
    assert found["logs/noise.log"] == "it is not text"


def test_a_text_with_colours_and_a_few_zero_bytes_is_text() -> None:
    assert is_text(b"\x1b[31mERROR\x1b[0m it failed\n" * 20)
    assert is_text(b"INFO served\n" * 100 + b"\0" * 10 + b"\nINFO started\n")
    assert not is_text(b"\0" * 100)


@given(st.lists(LETTERS, min_size=1, max_size=30), st.sampled_from(["utf-8", "utf-16", "utf-8-sig"]))
def test_any_text_survives_its_encoding(lines: list[str], codec: str) -> None:
    data = "\n".join(lines).encode(codec)
    stream = as_utf8(io.BytesIO(data))
    assert [line.text for line in text_lines(stream, a_stop(), max_bytes=1 << 20)] == lines


@given(st.binary(max_size=400))
def test_any_bytes_give_utf_8(data: bytes) -> None:
    stream = as_utf8(io.BytesIO(data))
    text = b"".join(iter(lambda: stream.read(7), b""))
    if not encoding_of(data).is_plain:
        text.decode("utf-8")
    else:
        assert text == data
