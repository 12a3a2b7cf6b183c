"""Inputs that strangers might write: legal ones with some damage, and noise."""

import json
from collections.abc import Sequence

from hypothesis import strategies as st

# What has a meaning in one of the formats, or to a terminal, or none anywhere.
WORDS: Sequence[str] = (
    *('"', "'", "\\", "{", "}", "[", "]", "(", ")", "<", ">", ",", ":", "=", ";", "/", "~", "|", "%", "#"),
    *(" ", "\t", "\n", "\r", "\r\n", "\x00", "\x1b[31m", "\x1b]0;x\x07", "\x7f", "\x9b", "\u2028", "\u202e"),
    *(
        "\u200b",
        "\ufeff",
        "\U000e0041",
        "\ufffd",
        "\u0661",
        "\xb2",
        "\u00b5",
        "null",
        "true",
        "NaN",
        "-Infinity",
    ),
    *("0", "-1", "1e999", "1E-400", "00", "9" * 30, "2147483648", "-9223372036854775809", "0x1f", "1_000"),
    *("2026-11-30T09:00:00Z", "0000-00-00", "9999-12-31T23:59:60+23:59", "24:00", "12 AM", "30 Feb 2026"),
    *("ERROR", "level=", "status=500", "took 12ms", "GET / HTTP/1.1", "Traceback (most recent call last):"),
    *(
        "10.0.0.1:80",
        "::1",
        "http://",
        "a@b",
        "$(x)",
        "`x`",
        "../..",
        "(a+)+$",
        "\\u0000",
        "\\ud800",
        "%s{0}",
    ),
    *("no", "not", "twelve", "line 3", "exit code 137", "SQLSTATE 53300", "512 MB", "1,000", "5%", "3.14 ms"),
)
WORD_BYTES: Sequence[bytes] = (
    *(word.encode() for word in WORDS),
    *(b"\xff", b"\xfe\xff", b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"\x1f\x8b", b"\x80", b"\xef\xbb\xbf"),
)
_REPEATS = st.sampled_from((1, 1, 1, 1, 2, 3, 30, 400))

TEXTS: st.SearchStrategy[str] = st.one_of(
    st.sampled_from(WORDS),
    st.text(max_size=20),
    st.lists(st.sampled_from(WORDS), max_size=12).map("".join),
)


@st.composite
def damaged_texts(draw: st.DrawFn, seeds: Sequence[str]) -> str:
    """Return one of the seeds after up to six edits."""
    text = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.sampled_from((0, 0, 1, 1, 4, 40)))
        text = text[:start] + draw(TEXTS) * draw(_REPEATS) + text[end:]
    return text


@st.composite
def damaged_bytes(draw: st.DrawFn, seeds: Sequence[bytes]) -> bytes:
    """Return one of the seeds after up to six edits."""
    data = draw(st.sampled_from(seeds))
    pieces = st.one_of(st.sampled_from(WORD_BYTES), st.binary(max_size=8))
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(data)))
        end = start + draw(st.sampled_from((0, 0, 1, 1, 4, 40)))
        data = data[:start] + draw(pieces) * draw(_REPEATS) + data[end:]
    return data


VALUES: st.SearchStrategy[object] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), TEXTS, st.sampled_from((10**400, 1.5, "1.5"))
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=15,
)
_NESTED = tuple(b"[" * depth + b"]" * depth for depth in (64, 65, 5000))
JSON_SEEDS: Sequence[bytes] = (
    *(b'{"a": [1, 2.50, {"b": null}], "c": "d"}', b'[[], {}, "\\u00e9\\ud83d\\ude00", -0, 1e5]', b'"x"'),
    *(b'{"a": 1, "a": 2}', b'["\\ud800"]', b'{"lines": [\n{"n": 1},\n{"n": 2}\n]}'),
)
JSON: st.SearchStrategy[bytes] = st.one_of(
    damaged_bytes(JSON_SEEDS), VALUES.map(lambda value: json.dumps(value).encode()), st.sampled_from(_NESTED)
)
