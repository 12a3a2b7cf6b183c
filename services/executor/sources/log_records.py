"""Lines in their context: which lines continue the record above, and which time they have."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from services.executor.sources.instants import Instant
from services.executor.sources.log_envelopes import Wrapped, unwrapped
from services.executor.sources.log_formats import parse_line
from services.executor.sources.log_line import LogLine, Parsed, Severity
from services.executor.sources.text_lines import TextLine

# Words that open a trace by themselves; each is a failure that the runtime of a language reports.
_TRACE_START = re.compile(
    r"(Traceback) \(most recent call last\)|(Exception) in thread |(panic): |(fatal error): "
)
# What Node and Java print first of an error that nobody caught.
_THROWN = re.compile(r"((?:[A-Za-z_][\w$]{0,80}\.){0,20}[A-Z][\w$]{0,80}(?:Error|Exception))(?:: |$)")
_EXCEPTION = re.compile(r"(?:Caused by: )?(?:[A-Za-z_][\w$]{0,80}\.){0,20}[A-Z][\w$]{0,80}(?:: |$)")
_CHAINED: Final = (
    "During handling of the above exception",
    "The above exception was the direct cause",
    "Caused by: ",
    "goroutine ",
)


def log_lines(
    lines: Iterable[TextLine], near: Instant | None, state: "RecordState | None" = None
) -> Iterator[LogLine]:
    """Yield every line with what it says, in file order. `near` dates formats without a year.

    `state` is what the lines before said, and is kept up to date; without it the lines begin a file.
    """
    state = state or RecordState()
    for line in lines:
        wrapped = unwrapped(line.text)
        if wrapped is not None:
            yield _inner(line, wrapped, near, state)
            continue
        parsed = _untraced(line.text, near)
        if parsed is None or state.keeps(parsed):
            yield state.unknown(line, line.text)
        else:
            yield state.known(line, parsed)


def _inner(line: TextLine, wrapped: Wrapped, near: Instant | None, state: "RecordState") -> LogLine:
    """Place a line by what a program wrote of it, with the runtime's time before its own."""
    parsed = _untraced(wrapped.text, near)
    if wrapped.time is None:
        is_part = parsed is None or state.keeps(parsed)
        return state.unknown(line, wrapped.text) if is_part or parsed is None else state.known(line, parsed)
    if parsed is None:
        return state.unknown(line, wrapped.text, wrapped.time)
    # Each line has a time: what has no form of its own is no part of the record above, unless it looks so.
    return state.known(line, parsed._replace(time=wrapped.time, structured=True))


def _untraced(text: str, near: Instant | None) -> Parsed | None:
    """Read a line; None also where it begins a trace: "panic: ..." is no message of a logger."""
    parsed = parse_line(text, near)
    is_trace = parsed is not None and parsed.time is None and _TRACE_START.match(text) is not None
    return None if is_trace else parsed


def parsed_alone(text: str, near: Instant | None) -> Parsed | None:
    """Read one line without its context, wrapped or not; None when it begins no record of a known format."""
    wrapped = unwrapped(text)
    if wrapped is None:
        return parse_line(text, near)
    parsed = parse_line(wrapped.text, near)
    if wrapped.time is None:
        return parsed
    return (parsed or Parsed(None, "", Severity.OTHER, wrapped.text))._replace(time=wrapped.time)


def is_exception(text: str) -> bool:
    """Tell whether a line of a trace names the exception: `module.Name: what happened`."""
    return _EXCEPTION.match(text) is not None


class RecordState:
    """The record above. A copy of it continues at the same line."""

    def __init__(self) -> None:
        self._time: Instant | None = None
        self._text_record = False
        self._failed = False
        self._in_trace = False
        self._chained = False

    def keeps(self, parsed: Parsed) -> bool:
        """Tell whether a line belongs to the record above although it begins with a level word.

        "Error: ..." below a dated line is a part of what that line reports; "ERROR ..." is another logger.
        """
        return (
            self._text_record and parsed.time is None and not parsed.structured and not parsed.level.isupper()
        )

    def known(self, line: TextLine, parsed: Parsed) -> LogLine:
        if parsed.time is None:
            parsed = parsed._replace(time=self._time)
        else:
            self._text_record = not parsed.structured
            self._time = parsed.time
        self._failed = parsed.severity is Severity.FAILURE
        self._in_trace = False
        return LogLine(*line, parsed, continuation=False)

    def unknown(self, line: TextLine, text: str, time: Instant | None = None) -> LogLine:
        """Place a line of no known form: a trace is its own record unless the record above reports it.

        `text` is what of the line its program wrote, `time` the instant that something else gave it.
        """
        if time is not None:
            self._time, self._text_record = time, False
        start = _TRACE_START.match(text) or (None if self._in_trace else _THROWN.match(text))
        # A record that failed reports the first trace below it, and those that are chained to that.
        reported = self._chained if self._in_trace else self._failed
        self._chained = text.startswith(_CHAINED) or (self._chained and not text)
        if start is not None and not reported:
            self._in_trace = self._failed = True
            word = next(group for group in start.groups() if group)
            return LogLine(*line, Parsed(self._time, word, Severity.FAILURE, text), continuation=False)
        continuation = start is not None or self._continues(text)
        self._in_trace = (self._in_trace or start is not None) and continuation
        if not continuation:
            self._failed = False
        return LogLine(*line, Parsed(self._time, "", Severity.OTHER, text), continuation=continuation)

    def _continues(self, text: str) -> bool:
        if self._text_record or text[:1] in ("", " ", "\t"):
            return True
        return self._in_trace and (is_exception(text) or text.startswith(_CHAINED))
