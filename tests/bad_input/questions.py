"""Questions, times and ids as people mistype them and strangers make them up."""

from collections.abc import Awaitable, Callable

from tests.bad_input.command import QUESTION, asking, assay
from tests.bad_input.table import Place, Row, Seen

_ANSWERED = "NO CAUSE FOUND (LOW_CONFID)"
# Some of the strings that break other programs.
_NAUGHTY = {
    "a shell's": "$(touch /tmp/x); `id` && rm -rf / #",
    "SQL": "'; DROP TABLE diagnosis_run; --",
    "markup": "<script>alert(1)</script> [red]x[/red] {{7*7}} %s%n",
    "escapes of terminals": "why \x1b]0;owned\x07\x1b[2J\r is it slow?",
    "right to left": "\u202ewhy\u202c لماذا הוא איטי?",
    "emoji and zero width": "why \U0001f468\u200d\U0001f469\u200d\U0001f467 \u200b\ufeff slow? \U000e0041",
    "combining": "Z\u0351\u036b\u0343\u036a" * 200,
    "a path": "../../../../etc/passwd",
}


def _shown(run_id: str) -> Callable[[Place], Awaitable[Seen]]:
    async def runner(place: Place) -> Seen:
        return await assay(place, "show", run_id, "--target", place.shared.address)

    return runner


def _window(start: str, end: str) -> Callable[[Place], Awaitable[Seen]]:
    return asking(QUESTION, "--window-start", start, "--window-end", end)


ROWS = (
    Row("question: empty", asking(""), "QUESTION is empty", "2"),
    Row("question: blank", asking(" \t\u2003\n"), "QUESTION is empty", "2"),
    Row("question: 100 KB", asking("why " * 25_000), "QUESTION has 100000 characters", "2"),
    Row("question: not UTF-8", asking("why \udcff"), "is not UTF-8 text", "2"),
    *(Row(f"question: {name}", asking(text), _ANSWERED, "3", "SUCCEEDED") for name, text in _NAUGHTY.items()),
    Row("question: a flag", asking("--bundle=/etc"), "Missing argument", "2"),
    Row(
        "window: ends before it starts",
        _window("2026-11-30T10:00:00Z", "2026-11-30T09:00:00Z"),
        "--window-end is not after --window-start",
        "2",
    ),
    Row(
        "window: of one instant",
        _window("2026-11-30T10:00:00Z", "2026-11-30T10:00:00Z"),
        "--window-end is not after --window-start",
        "2",
    ),
    Row("window: no time", _window("yesterday", ""), "is not a time in RFC 3339", "2"),
    Row("window: a day that is none", _window("2026-02-30T00:00:00Z", ""), "is not a time in RFC 3339", "2"),
    Row("window: no time zone", _window("2026-11-30T10:00:00", ""), "has no time zone", "2"),
    Row("window: before year 1", _window("0001-01-01T00:00:00+14:00", ""), "is out of range", "2"),
    Row("window: after year 9999", _window("", "9999-12-31T23:59:59-14:00"), "is out of range", "2"),
    Row("window: year 10000", _window("10000-01-01T00:00:00Z", ""), "is not a time in RFC 3339", "2"),
    Row(
        "window: years 1 to 9999",
        _window("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
        _ANSWERED,
        "3",
        "SUCCEEDED",
    ),
    Row(
        "window: in which nothing was recorded",
        _window("1999-01-01T00:00:00Z", "1999-01-02T00:00:00Z"),
        _ANSWERED,
        "3",
        "SUCCEEDED",
    ),
    Row("--intent: neither of the two", asking(QUESTION, "--intent", "guess"), "--intent: 'guess'", "2"),
    Row("--timeout: 0", asking(QUESTION, "--timeout", "0"), "--timeout", "2"),
    Row("--timeout: not a number", asking(QUESTION, "--timeout", "nan"), "--timeout", "2"),
    Row("--timeout: no number at all", asking(QUESTION, "--timeout", "soon"), "--timeout", "2"),
    Row("a flag that is none", asking(QUESTION, "--nope"), "--nope", "2"),
    Row("run id: unknown", _shown("00000000000000000000000000000000"), "there is no run 0000", "2"),
    Row("run id: of another shape", _shown("../../etc/passwd"), "there is no run ../../etc/passwd", "2"),
    Row("run id: blank", _shown(" "), "RUN_ID is empty", "2"),
    Row("run id: 4 KB", _shown("a" * 4096), "run_id has 4096 characters", "2"),
    Row("run id: escapes of terminals", _shown("\x1b[2J\u202e"), "there is no run \\x1b[2J", "2"),
)
