"""Lines in their context: continuations, inherited times, traces."""

import io
import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.executor.sources.log_line import LogLine, Severity
from services.executor.sources.log_records import is_exception, log_lines
from services.executor.sources.text_lines import MAX_LINE_CHARS, text_lines
from tests.fakes.bundles import a_stop

PYTHON_TRACE = """\
2026-11-30 09:11:18,605 ERROR [cart] unhandled error in POST /cart
Traceback (most recent call last):
  File "/srv/cart.py", line 7, in add
    raise KeyError(sku)
KeyError: 'SKU-1'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/srv/cart.py", line 9, in add
cart.errors.CartError: no such item
2026-11-30 09:11:19,000 INFO  [cart] next
"""


def read(text: str | bytes) -> list[LogLine]:
    data = text if isinstance(text, bytes) else text.encode()
    return list(log_lines(text_lines(io.BytesIO(data), a_stop(), max_bytes=1 << 30), None))


def times(lines: list[LogLine]) -> list[str]:
    return [line.parsed.time.text if line.parsed.time else "" for line in lines]


def test_a_traceback_belongs_to_the_record_that_reports_it() -> None:
    lines = read(PYTHON_TRACE)
    assert [line.continuation for line in lines] == [False, *[True] * 10, False]
    assert set(times(lines)[:11]) == {"2026-11-30T09:11:18.605Z"}
    assert [line.n for line in lines] == list(range(1, 13))
    assert is_exception(lines[10].text)


def test_a_traceback_that_nothing_reports_is_a_failure_of_its_own() -> None:
    lines = read(PYTHON_TRACE.replace("ERROR", "INFO "))
    assert [line.continuation for line in lines[:3]] == [False, False, True]
    assert (lines[1].parsed.level, lines[1].parsed.severity) == ("Traceback", Severity.FAILURE)


def test_a_plain_traceback_below_a_json_error_belongs_to_it() -> None:
    trace = PYTHON_TRACE.split("\n", 1)[1].rsplit("2026", 1)[0]
    lines = read('{"ts":"2026-11-30T09:05:18Z","level":"ERROR","msg":"failed"}\n' + trace + "next\n")
    assert [line.continuation for line in lines] == [False, *[True] * 10, False]


def test_two_tracebacks_in_a_row_are_two_records() -> None:
    trace = "Traceback (most recent call last):\n  File x\nValueError: no\n"
    lines = read("2026-11-30T09:05:18Z INFO up\n" + trace * 2)
    assert [line.continuation for line in lines] == [False, *[False, True, True] * 2]


def test_a_java_trace_is_one_record() -> None:
    lines = read(
        "2026-11-30 09:11:18.605 ERROR 1 --- [main] c.e.Cart : failed\n"
        "java.lang.IllegalStateException: no\n\tat c.e.Cart.add(Cart.java:1)\n"
        "Caused by: java.net.ConnectException: Connection refused\n\t... 3 more\n"
    )
    assert [line.continuation for line in lines] == [False, True, True, True, True]


def test_plain_lines_between_json_lines_are_records_and_indented_ones_continue() -> None:
    lines = read(
        '{"ts":"2026-11-30T09:05:18Z","level":"INFO","msg":"a"}\n/srv/a.py:1: Warning: old\n  code\nplain\n'
    )
    assert [line.continuation for line in lines] == [False, False, True, False]
    assert set(times(lines)) == {"2026-11-30T09:05:18Z"}


def test_a_statement_over_lines_continues_and_keeps_the_time() -> None:
    lines = read("2026-11-30 09:10:53.441 UTC [1] u@d STATEMENT:  SELECT 1\n\tFROM a\n\tWHERE b\n")
    assert [line.continuation for line in lines] == [False, True, True]
    assert set(times(lines)) == {"2026-11-30T09:10:53.441Z"}


def test_lines_before_any_time_have_none() -> None:
    lines = read("starting\n2026-11-30T09:05:18Z INFO up\n")
    assert times(lines) == ["", "2026-11-30T09:05:18Z"]


def test_a_word_of_failure_below_a_dated_line_is_a_part_of_it() -> None:
    lines = read("2026-11-30T09:05:18Z ERROR call failed\nError: connect ECONNREFUSED\n    at x\n")
    assert [line.continuation for line in lines] == [False, True, True]
    assert not read("Error: connect ECONNREFUSED\n")[0].continuation


@given(st.binary(max_size=2000))
def test_every_line_of_any_bytes_is_there_once_with_its_number(data: bytes) -> None:
    lines = read(data)
    expected = data.split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    assert [line.n for line in lines] == list(range(1, len(expected) + 1))
    for line, raw in zip(lines, expected, strict=True):
        text = raw.removesuffix(b"\r").decode("utf-8", "replace")
        assert line.text == (text.removeprefix("\ufeff") if line.n == 1 else text)


def test_a_long_line_is_cut_marked_and_the_next_one_is_whole() -> None:
    lines = read("x" * 200_000 + "\nnext\n" + "é" * MAX_LINE_CHARS + "\n")
    assert [(len(line.text), line.cut) for line in lines] == [
        (MAX_LINE_CHARS, True),
        (4, False),
        (MAX_LINE_CHARS, False),
    ]


def test_an_endless_line_is_read_in_pieces() -> None:
    class Endless(io.RawIOBase):
        given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            size = min(len(buffer), 64 << 20, (64 << 20) - self.given)
            buffer[:size] = b"a" * size
            self.given += size
            return size

    lines = list(text_lines(io.BufferedReader(Endless()), a_stop(), max_bytes=1 << 30))
    assert [(line.n, len(line.text), line.cut) for line in lines] == [(1, MAX_LINE_CHARS, True)]


STAMP = "2026-11-30T09:11:18.123456789Z"
TRACE = ["Traceback (most recent call last):", '  File "a.py", line 1', "KeyError: 'x'", "INFO next"]


def docker(text: str) -> str:
    return json.dumps({"log": f"{text}\n", "stream": "stderr", "time": STAMP})


def cri(text: str) -> str:
    return f"{STAMP} stderr F {text}"


def compose(text: str) -> str:
    return f"api_1    | {text}"


def kubectl(text: str) -> str:
    return f"[pod/api-7f/api] {text}"


@pytest.mark.parametrize("wrap", [docker, cri, compose, kubectl])
def test_a_trace_in_a_container_s_log_is_one_failure(wrap: Callable[[str], str]) -> None:
    lines = read("\n".join(map(wrap, TRACE)) + "\n")
    assert [line.continuation for line in lines] == [False, True, True, False]
    assert (lines[0].parsed.level, lines[0].parsed.severity) == ("Traceback", Severity.FAILURE)
    assert lines[2].text == wrap(TRACE[2])
    assert lines[0].parsed.message == TRACE[0]


@pytest.mark.parametrize("wrap", [docker, cri])
def test_what_a_container_wrote_is_read_with_the_runtime_s_time(wrap: Callable[[str], str]) -> None:
    written = [
        "2026-11-30 10:11:18,605 ERROR [main] no",
        '{"level":"error","msg":"no"}',
        "E1130 09:11:18.000000 1 x.go:12] no",
        '10.0.0.1 - - [30/Nov/2026:09:11:01 +0000] "GET / HTTP/1.1" 502 11',
        "listening on :8080",
        "    indented",
    ]
    lines = read("\n".join(map(wrap, written)) + "\n")
    assert set(times(lines)) == {STAMP}
    failures = [line.parsed.severity is Severity.FAILURE for line in lines]
    assert failures == [True, True, True, True, False, False]
    assert lines[3].parsed.outcome == "502"
    assert [line.continuation for line in lines] == [False] * 5 + [True]


def test_lines_of_compose_have_the_times_that_they_hold() -> None:
    lines = read(compose("2026-11-30T09:11:18Z ERROR no") + "\n" + compose("  more") + "\n")
    assert times(lines) == ["2026-11-30T09:11:18Z"] * 2
    assert lines[0].parsed.severity is Severity.FAILURE
    assert lines[1].continuation


@pytest.mark.parametrize(
    "text",
    [
        "TypeError: Cannot read properties of undefined\n    at run (/srv/a.js:1:2)\n",
        "java.lang.IllegalStateException: no\n\tat a.B.c(B.java:1)\nCaused by: java.io.IOException: gone\n",
        "panic: no\n\ngoroutine 1 [running]:\n\tmain.go:1\n",
        'Exception in thread "main" java.lang.Error: no\n\tat a.B.c(B.java:1)\n',
    ],
)
@pytest.mark.parametrize(
    "before", ["", '{"level":"info","msg":"fine"}\n', "2026-11-30T09:11:18Z INFO fine\n"]
)
def test_an_error_that_nobody_caught_is_one_failure(before: str, text: str) -> None:
    lines = read(before + text)[before.count("\n") :]
    assert [line.continuation for line in lines] == [False] + [True] * (len(lines) - 1)
    assert lines[0].parsed.severity is Severity.FAILURE


@pytest.mark.parametrize(
    "line", ['{"log":"x"', '{"log":1,"stream":"stdout","time":"x"}', '{"log":[]}', "[pod/a", "a | b"]
)
def test_what_only_looks_wrapped_is_a_line(line: str) -> None:
    assert [each.text for each in read(line)] == [line]
