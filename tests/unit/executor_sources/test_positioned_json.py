"""Positions of elements against the file's own lines."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.common.evidence import strict_json
from services.executor.sources.positioned_json import PositionedJson
from tests.fakes.bundles import Tree

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(alphabet='ab"\\[]{},:\né', max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.lists(VALUES, max_size=6),
    st.sampled_from([None, 0, 1, 3]),
    st.sampled_from([(), ("data",), ("data", "0", "x/y")]),
    VALUES,
)
def test_every_element_stands_on_its_lines(
    values: list[Tree], indent: int | None, path: tuple[str, ...], other: Tree
) -> None:
    whole: Tree = values
    for key in reversed(path):
        whole = [whole, other] if key == "0" else {"before": other, key: whole, "after": [other, [other]]}
    text = json.dumps(whole, indent=indent, ensure_ascii=False)
    found = PositionedJson(text.encode(), max_bytes=1 << 20).elements(path)
    lines = text.split("\n")
    assert [strict_json.dumps(item.value) for item in found] == [
        json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() for value in values
    ]
    for element, value in zip(found, values, strict=True):
        part = "\n".join(lines[element.first_line - 1 : element.last_line])
        if indent is not None:
            # Pretty-printed, an element has its lines to itself.
            assert json.loads(part.strip().removesuffix(",").strip()) == value or not values
        else:
            assert element.first_line == element.last_line == 1


def test_number_tokens_stay_as_the_file_wrote_them() -> None:
    data = b'[\n {"v": 1.50},\n 7.5e-01, "x"\n]'
    found = PositionedJson(data, max_bytes=1000).elements(())
    assert [(item.first_line, item.last_line, strict_json.dumps(item.value)) for item in found] == [
        (2, 2, b'{"v":1.50}'),
        (3, 3, b"7.5e-01"),
        (3, 3, b'"x"'),
    ]


def test_a_byte_order_mark_is_not_a_part_of_the_text() -> None:
    assert PositionedJson(b"\xef\xbb\xbf[1]", max_bytes=100).elements(())[0].first_line == 1


@pytest.mark.parametrize("path", [("x",), ("a", "b"), ("a", "0", "1")])
def test_a_path_to_no_list_has_no_elements(path: tuple[str, ...]) -> None:
    assert PositionedJson(b'{"a": [1]}', max_bytes=100).elements(path) == []


@pytest.mark.parametrize("data", [b'{"a":1,"a":2}', b"[NaN]", b"[1] 2", b"\xff", b"[" * 100])
def test_what_could_mean_two_things_is_refused(data: bytes) -> None:
    with pytest.raises(strict_json.StrictJsonError):
        PositionedJson(data, max_bytes=1000)
