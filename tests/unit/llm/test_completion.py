"""A response's body, read without trust."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.common.llm.completion import Completion, Usage, read_completion
from services.common.llm.port import Kind


def body(message: object, finish_reason: object = "stop", **more: object) -> bytes:
    choice = {"message": message, "finish_reason": finish_reason}
    return json.dumps({"choices": [choice], **more}).encode()


def call(arguments: object) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "x", "arguments": arguments}}


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "a"}, "a"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, 1, {}]}, "ab"),
        ({"content": None, "tool_calls": [call("{}")]}, "{}"),
        ({"content": "a", "tool_calls": [call("{}")]}, "a"),
    ],
)
def test_the_text_is_found(message: object, text: str) -> None:
    assert read_completion(body(message)) == Completion(text, None, Usage())


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", Kind.NO_COMPLETION),
        (b"<html>", Kind.NO_COMPLETION),
        (b'{"choices": [{"message": {"content": "\xff"}}]}', Kind.NO_COMPLETION),
        (b'{"choices": []', Kind.NO_COMPLETION),
        (b"[]", Kind.EMPTY),
        (b"{}", Kind.EMPTY),
        (b'{"error": {"message": "no"}}', Kind.EMPTY),
        (b'{"choices": {"0": 1}}', Kind.EMPTY),
        (b'{"choices": []}', Kind.EMPTY),
        (b'{"choices": [null]}', Kind.EMPTY),
        (body(None), Kind.EMPTY),
        (body({"content": None}), Kind.EMPTY),
        (body({"content": " \n"}), Kind.EMPTY),
        (body({"content": 5}), Kind.EMPTY),
        (body({"content": None, "tool_calls": [call("{}"), call("{}")]}), Kind.EMPTY),
        (body({"content": None, "tool_calls": [call({})]}), Kind.EMPTY),
        (body({"content": "a"}, "length"), Kind.CUT_OFF),
        (body({"content": None}, "length"), Kind.CUT_OFF),
        (body({"content": "a"}, "content_filter"), Kind.CONTENT_FILTERED),
        (body({"content": None, "refusal": "no"}), Kind.REFUSAL),
    ],
)
def test_what_is_no_whole_answer_has_its_kind(data: bytes, kind: Kind) -> None:
    assert read_completion(data).failure is kind


@pytest.mark.parametrize(
    ("usage", "found"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 4}, Usage(3, 4)),
        ({"prompt_tokens": 3}, Usage(3, None)),
        ({"prompt_tokens": -3, "completion_tokens": 4.5}, Usage()),
        ({"prompt_tokens": "3", "completion_tokens": True}, Usage()),
        ({"prompt_tokens": 10**40, "completion_tokens": 0}, Usage(None, 0)),
        (None, Usage()),
        ([], Usage()),
    ],
)
def test_tokens_are_believed_when_they_are_counts(usage: object, found: Usage) -> None:
    assert read_completion(body({"content": "a"}, usage=usage)).usage == found


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "usage", "tool_calls", "function", "arguments"]
            ),
            inner,
            max_size=4,
        )
    ),
)


@given(st.binary() | _JSON.map(lambda value: json.dumps(value).encode()))
def test_whatever_a_body_holds_there_is_a_result(data: bytes) -> None:
    found = read_completion(data)
    assert found.text.strip() or found.failure is not None
