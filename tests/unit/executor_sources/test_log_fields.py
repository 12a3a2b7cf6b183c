"""What the lines of a log call the component that writes them."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from services.executor.sources.log_fields import constant_component
from tests.fakes.bundles import opened, write


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (['{"service": "cart", "msg": "a"}', '{"service": "cart", "msg": "b"}'], "cart"),
        (['{"service": "cart"}', '{"service": "store"}'], ""),
        (["level=info component=cart msg=x", 'level=info component="cart" msg=y', ""], "cart"),
        (['{"app": "shop", "service": "cart"}'], "cart"),
        (["plain words", "plain words", "app=cart"], ""),
        (['{"service": 7}', '{"service": "a b"}', "[]", "{"], ""),
        ([], ""),
    ],
)
def test_one_name_in_most_lines_is_the_component(lines: list[str], expected: str) -> None:
    assert constant_component(lines) == expected


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_end_of_a_long_log_may_name_another_one(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    first, last = b"app=cart filler\n" * 20_000, b"app=store filler\n" * 20_000
    write(tmp_path, {"logs/a.log": pack(first), "logs/b.log": pack(first + last)})
    assert {source.name: source.owner for source in opened(tmp_path).sources} == {
        "logs/a.log": "cart",
        "logs/b.log": "b",
    }
