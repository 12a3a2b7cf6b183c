"""Lines in their context: which lines continue the record above, and which time they have."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from services.executor.sources.instants import Instant
from services.executor.sources.log_formats import parse_line
from services.executor.sources.log_line import LogLine, Parsed, Severity
from services.executor.sources.text_lines import TextLine

# Words that open a trace by themselves; each is a failure that the runtime of a language reports.
_TRACE_START = re.compile(
    r"(Traceback) \(most recent call last\)|(Exception) in thread |(panic): |(fatal error): "
)
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
        parsed = parse_line(line.text, near)
        if parsed is None or state.keeps(parsed):
            yield state.unknown(line)
        else:
            yield state.known(line, parsed)


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

    def unknown(self, line: TextLine) -> LogLine:
        """Place a line of no known form: a trace is its own record unless the record above reports it."""
        start = _TRACE_START.match(line.text)
        # A record that failed reports the first trace below it, and those that are chained to that.
        reported = self._chained if self._in_trace else self._failed
        self._chained = line.text.startswith(_CHAINED) or (self._chained and not line.text)
        if start is not None and not reported:
            self._in_trace = self._failed = True
            word = next(group for group in start.groups() if group)
            return LogLine(*line, Parsed(self._time, word, Severity.FAILURE, line.text), continuation=False)
        continuation = start is not None or self._continues(line.text)
        self._in_trace = (self._in_trace or start is not None) and continuation
        if not continuation:
            self._failed = False
        return LogLine(*line, Parsed(self._time, "", Severity.OTHER, line.text), continuation=continuation)

    def _continues(self, text: str) -> bool:
        if self._text_record or text[:1] in ("", " ", "\t"):
            return True
        return self._in_trace and (is_exception(text) or text.startswith(_CHAINED))
