"""What the lines of a log call the component that writes them."""

import io

import pytest

from services.executor.sources.log_fields import component_of, constant_component


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


def test_the_end_of_a_long_log_may_name_another_one() -> None:
    first, last = b"app=cart filler\n" * 20_000, b"app=store filler\n" * 20_000
    assert component_of(io.BytesIO(first), len(first)) == "cart"
    assert component_of(io.BytesIO(first + last), len(first + last)) == ""
