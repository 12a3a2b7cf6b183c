"""One recorded output, as a person checks a citation in it."""

import hashlib
import json

import pytest
from assay.common.v1 import tool_pb2
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.invocation_output import check, described, raw, readable
from services.common.evidence import pointer, strict_json
from services.common.visible import visible

DOCUMENT = b'{"a/b": [1.50, "x\\u001b \xc3\xa9", {}, []], "c": null}'


def call(output: bytes = DOCUMENT) -> tool_pb2.Invocation:
    return tool_pb2.Invocation(
        id="inv-1",
        tool_name="logs_search",
        arguments_json=b'{"source": "a.log"}',
        status=tool_pb2.INVOCATION_STATUS_OK,
        kind=tool_pb2.DOCUMENT_KIND_RAW,
        output=output,
        output_sha256=hashlib.sha256(output).hexdigest(),
        truncated=True,
    )


def test_an_output_that_was_changed_is_no_output() -> None:
    found = call()
    check(found)
    found.output = found.output.replace(b"1.50", b"1.51")
    with pytest.raises(CommandError, match="SHA-256 differs") as caught:
        check(found)
    assert caught.value.exit_code is ExitCode.ERROR


def test_one_line_says_what_the_output_is() -> None:
    line = described(call())
    assert line.startswith(
        'inv-1 logs_search {"source": "a.log"}: OK, raw, 48 bytes, cut: the source held more,'
    )


def test_every_value_stands_with_its_pointer() -> None:
    assert readable(call(), None).splitlines() == [
        "/a~1b/0  1.50",
        '/a~1b/1  "x\\u001b é"',
        "/a~1b/2  {}",
        "/a~1b/3  []",
        "/c  null",
    ]


def test_a_scalar_stands_alone_as_a_citation_quotes_it() -> None:
    assert readable(call(), "/a~1b/0\r") == "1.50\n"
    assert readable(call(), "/a~1b/1") == "x\\x1b é\n"
    assert readable(call(), "/c") == "null\n"
    assert readable(call(), "/a~1b/3") == "/a~1b/3  []\n"


def test_raw_is_what_was_recorded() -> None:
    assert raw(call(), None) == DOCUMENT
    assert raw(call(), "/a~1b/1") == "x\x1b é".encode()
    assert raw(call(), "/a~1b/0") == b"1.50"
    assert raw(call(), "/a~1b") == '[1.50,"x\\u001b é",{},[]]'.encode()


@pytest.mark.parametrize("at", ["/nowhere", "nowhere", "/a~2", "/c/0"])
def test_a_place_that_is_not_there(at: str) -> None:
    for show in (raw, readable):
        with pytest.raises(CommandError, match=r"^--pointer: ") as caught:
            show(call(), at)
        assert caught.value.exit_code is ExitCode.USAGE


def test_an_output_that_is_no_json_can_only_be_had_raw() -> None:
    broken = call(b"\xff")
    assert raw(broken, None) == b"\xff"
    with pytest.raises(CommandError, match="--raw prints it") as caught:
        readable(broken, None)
    assert caught.value.exit_code is ExitCode.ERROR


_TEXT = st.text(st.characters(codec="utf-8"))
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | _TEXT,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab/~", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(_JSON.filter(lambda value: isinstance(value, dict | list)))
def test_each_pointer_that_is_shown_leads_to_its_value(value: object) -> None:
    found = call(json.dumps(value).encode())
    document = strict_json.loads(found.output)
    for line in readable(found, None).splitlines():
        at, _, text = line.partition("  ")
        assert line == visible(line)
        shown = strict_json.dumps(pointer.resolve(document, at)).decode()
        assert text == shown or not shown.isprintable()
