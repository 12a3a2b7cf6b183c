"""What is read from a model's text, what is not, and that nothing is made up."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.common.evidence.strict_json import Json, NumberToken, dumps, loads
from services.common.llm.repair import MAX_STARTS, MAX_TEXT_CHARS, NotJsonError, object_in

WANTED = frozenset({"word", "count"})
PLAIN = '{"word": "a", "count": 1}'
VALUE: dict[str, Json] = {"word": "a", "count": NumberToken("1")}


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"\ufeff{PLAIN}",
        f"```json\n{PLAIN}\n```",
        f"Sure! Here it is:\n\n{PLAIN}\n\nAnything else?",
        f"The names {{service}} and {{pod}} are slots. {PLAIN}",
        "{'word': 'a', 'count': 1}",
        '{\'word\': "a", "count": 1,}',
        f"<think>Is it {{'word': 'b', 'count': 2}}?</think>\n{PLAIN}",
        f"<thinking>{{</thinking>{PLAIN}",
        f'{{"name": "answer", "arguments": {PLAIN}}}',
        f'<tool_call>\n{{"name": "answer", "parameters": {PLAIN}}}\n</tool_call>',
        json.dumps({"type": "function", "function": {"name": "answer", "arguments": PLAIN}}),
        f"{PLAIN}\n\nOnce more:\n{PLAIN}",
        f"[{PLAIN}]",
    ],
)
def test_the_one_object_is_read_whatever_stands_around_it(text: str) -> None:
    assert object_in(text, WANTED) == VALUE


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': True, 'b': False, 'c': None}", {"a": True, "b": False, "c": None}),
        ('{"a": [1, 2,], "b": {"c": 1,},}', {"a": [1, 2], "b": {"c": 1}}),
        (r"""{'a': 'it\'s "x" \\ \n'}""", {"a": 'it\'s "x" \\ \n'}),
        (r"""{"a": "it\'s"}""", {"a": "it's"}),
        ('{"a": "line\nnext\tx"}', {"a": "line\nnext\tx"}),
        ('{"a": "</think> {\'b\': 1}"}', {"a": "</think> {'b': 1}"}),
        ("{}", {}),
    ],
)
def test_values_are_those_that_the_text_spells(text: str, value: dict[str, Any]) -> None:
    assert json.loads(dumps(object_in(text, WANTED))) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot do that.",
        "[1, 2]",
        '"word"',
        PLAIN[:-1],
        # The whole is cut off, a part of it is not.
        '{"word": "a", "more": {"word": "b", "count": 2}',
        '{"word": nothing, "more": {"word": "b", "count": 2}}',
        '{"word": "a" "count": 1}',
        '{"word": "a",, "count": 1}',
        '{"word": "a", "word": "b", "count": 1}',
        '{"word": NaN, "count": 1}',
        '{"word": "a", "count": 1]',
        "{'word': 'it's', 'count': 1}",
        '{"word": "\\x41", "count": 1}',
        '{"word": "\\ud800", "count": 1}',
        '{"word": "a\\\nb", "count": 1}',
        "{,}",
        '{"word": [,]}',
        f'{PLAIN} or {{"word": "b", "count": 1}}',
        f"<think>{PLAIN}",
        f"{PLAIN}</think>",
        "{" * (MAX_STARTS + 1) + PLAIN,
        "x" * (MAX_TEXT_CHARS + 1),
    ],
)
def test_what_is_not_one_whole_object_is_none(text: str) -> None:
    with pytest.raises(NotJsonError):
        object_in(text, WANTED)


def test_an_answer_that_looks_like_a_tool_call_is_an_answer() -> None:
    text = '{"name": "x", "arguments": {"word": "a"}}'
    assert object_in(text, {"name", "arguments"}) == json.loads(text)
    assert object_in(text, WANTED) == {"word": "a"}


_KEYS = st.text(st.characters(codec="utf-8"), max_size=8)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | _KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)
_OBJECTS = st.dictionaries(_KEYS, _VALUES, max_size=4)
# Without braces, brackets of thoughts and single quotes, which say something themselves.
_PROSE = st.text(st.sampled_from('ab .,:\n`"“é1-'), max_size=30)


@given(_OBJECTS, _PROSE, _PROSE)
def test_an_object_in_prose_is_read_as_it_stands(value: dict[str, Any], before: str, after: str) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert object_in(before + text + after, value.keys()) == loads(text.encode())


@given(_OBJECTS)
def test_a_python_dictionary_is_read_as_its_json(value: dict[str, Any]) -> None:
    # Python has spellings of characters that JSON has not; those are refused, never guessed.
    text = repr(value)
    try:
        found = object_in(f"result = {text}", value.keys())
    except NotJsonError:
        assert "\\" in text
    else:
        assert json.loads(dumps(found)) == value


_PIECES = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "'",
    "\\",
    "a",
    "1",
    "-",
    "true",
    "None",
    "</think>",
    "```",
    "\n",
    " ",
]


@given(st.lists(st.sampled_from(_PIECES)).map("".join) | st.text())
def test_nothing_is_made_up(text: str) -> None:
    try:
        found = object_in(text, WANTED)
    except NotJsonError:
        return
    for leaf in _leaves(found):
        assert leaf in text


def _leaves(value: Json) -> list[str]:
    """Return the numbers and the plain words of a value: those stand in a text as they are."""
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in [*_leaves(key), *_leaves(item)]]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value] if isinstance(value, str) and value.isalnum() else []


@pytest.mark.parametrize(
    "text",
    [
        "{" * 500_000,
        '{"a":[' * 200_000,
        '{"a":"' + "\\" * 1_000_000,
        "{'a':" + "'" * 1_000_000,
        '{"' * 400_000,
    ],
)
def test_hostile_text_is_refused(text: str) -> None:
    with pytest.raises(NotJsonError):
        object_in(text, WANTED)
