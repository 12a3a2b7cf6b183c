# ruff: noqa: E501 - a table of lines as their systems write them
"""Each log format by lines as its systems write them."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.executor.sources.instants import Instant, from_epoch, from_iso
from services.executor.sources.log_formats import parse_line
from services.executor.sources.log_line import Severity
from services.executor.tools.log_masks import shape_of
from tests.fakes.cost import grows_as_a_square

FAILURE, WARNING, OTHER = Severity.FAILURE, Severity.WARNING, Severity.OTHER
NEAR = from_iso("2026-11-30T12:00:00Z")

# line, time, level, severity, outcome, duration
LINES = [
    ('{"ts":"2026-11-30T09:05:18.843Z","level":"INFO","msg":"started"}', "2026-11-30T09:05:18.843Z", "INFO", OTHER, "", None),
    ('{"time":1796029878,"level":"error","message":"boom","status":503,"duration_ms":12.5}', "2026-11-30T09:11:18Z", "error", FAILURE, "503", 0.0125),
    ('{"timestamp":1796029878123,"severity":"WARNING","msg":"slow"}', "2026-11-30T09:11:18.123Z", "WARNING", WARNING, "", None),
    ('{"t":1796029878.5,"lvl":"crit","msg":"x"}', "2026-11-30T09:11:18.5Z", "crit", FAILURE, "", None),
    ('{"time":1796029878123456789,"level":50,"msg":"pino"}', "2026-11-30T09:11:18.123456789Z", "50", FAILURE, "", None),
    ('{"@timestamp":"2026-11-30T10:11:18+01:00","log":{"level":"error"},"message":"x"}', "2026-11-30T09:11:18Z", "error", FAILURE, "", None),
    ('{"ts":"2026-11-30T09:05:18Z","msg":"ERROR in the text, no level"}', "2026-11-30T09:05:18Z", "", OTHER, "", None),
    ("2026-11-30T09:11:18Z ERROR it broke", "2026-11-30T09:11:18Z", "ERROR", FAILURE, "", None),
    ("2026-11-30 09:11:18,605 INFO  [cart.api] rid=1 GET /cart/17 200 cache=hit 2.9ms", "2026-11-30T09:11:18.605Z", "INFO", OTHER, "200", 0.0029),
    ("2026-11-30 09:11:18,605 INFO  [cart.api] rid=1 GET /cart/17 503 2900ms", "2026-11-30T09:11:18.605Z", "INFO", FAILURE, "503", 2.9),
    ("2026-11-30 09:11:18,605 - cart - WARNING - retry in 12s", "2026-11-30T09:11:18.605Z", "WARNING", WARNING, "", None),
    ("2026-11-30 10:11:18.605+0100 [main] ERROR c.f.Cart - no", "2026-11-30T09:11:18.605Z", "ERROR", FAILURE, "", None),
    ("2026-11-30T09:11:18Z \x1b[1;31mERROR\x1b[0m it broke", "2026-11-30T09:11:18Z", "ERROR", FAILURE, "", None),
    ("\x1b[90m2026-11-30T09:11:18Z\x1b[0m WARN slow", "2026-11-30T09:11:18Z", "WARN", WARNING, "", None),
    ("[2026-11-30T09:11:18Z] worker INFO sent order=1", "2026-11-30T09:11:18Z", "INFO", OTHER, "", None),
    ("[2026-11-30 09:11:18 +0000] [7] [CRITICAL] WORKER TIMEOUT (pid:9)", "2026-11-30T09:11:18Z", "CRITICAL", FAILURE, "", None),
    ("2026-11-30T09:11:18.1Z 0 [ERROR] [MY-010119] Aborting", "2026-11-30T09:11:18.1Z", "ERROR", FAILURE, "", None),
    ("2026-11-30T09:11:18.1Z 0 [Warning] low", "2026-11-30T09:11:18.1Z", "Warning", WARNING, "", None),
    ("2026-11-30 09:10:53.441 UTC [196] u@d FATAL:  sorry, too many clients already", "2026-11-30T09:10:53.441Z", "FATAL", FAILURE, "", None),
    ("2026-11-30 09:10:53.441 UTC [196] u@d STATEMENT:  SELECT 1", "2026-11-30T09:10:53.441Z", "STATEMENT", OTHER, "", None),
    ("2026-11-30 09:10:53.441 UTC [196] LOG:  duration: 1234.5 ms  statement: SELECT", "2026-11-30T09:10:53.441Z", "LOG", OTHER, "", 1.2345),
    ("2026-11-30 09:10:53.441 CET [196] u@d ERROR:  no fixed offset", None, "ERROR", FAILURE, "", None),
    ("2026/11/30 09:11:01 [error] 51#51: *2264 upstream timed out (110: Connection timed out)", "2026-11-30T09:11:01Z", "error", FAILURE, "", None),
    ("2026/11/30 09:11:01 listening on :8080", "2026-11-30T09:11:01Z", "", OTHER, "", None),
    ('127.0.0.1 - - [30/Nov/2026:10:11:01 +0100] "POST /api/x?y=1 HTTP/1.1" 504 167 "w/5" rt=8.001 rid=f', "2026-11-30T09:11:01Z", "", FAILURE, "504", 8.001),
    ('::1 - mary [30/Nov/2026:09:11:01 +0000] "GET / HTTP/2.0" 499 0 "-" "curl \\"x\\""', "2026-11-30T09:11:01Z", "", WARNING, "499", None),
    ('10.0.0.9 - - [30/Nov/2026:09:11:01 +0000] "GET / HTTP/1.1" 200 12', "2026-11-30T09:11:01Z", "", OTHER, "200", None),
    ("36:M 30 Nov 2026 09:05:16.655 # Out of memory", "2026-11-30T09:05:16.655Z", "#", WARNING, "", None),
    ("36:M 30 Nov 2026 09:05:16.655 * Ready", "2026-11-30T09:05:16.655Z", "*", OTHER, "", None),
    ("[Mon Nov 30 09:11:01.123456 2026] [core:error] [pid 7] AH00124: x", "2026-11-30T09:11:01.123456Z", "error", FAILURE, "", None),
    ("30-Nov-2026 09:11:01.123 SEVERE [main] o.a.c.Catalina x", "2026-11-30T09:11:01.123Z", "SEVERE", FAILURE, "", None),
    ("<11>1 2026-11-30T09:11:01.5Z host app 12 ID1 - it broke", "2026-11-30T09:11:01.5Z", "<11>", FAILURE, "", None),
    ("Nov 30 09:11:01 host sshd[12]: error: closed", "2026-11-30T09:11:01Z", "error", FAILURE, "", None),
    ("<4>Nov  9 09:11:01 host kernel: hot", "2026-11-09T09:11:01Z", "<4>", WARNING, "", None),
    ("E1130 09:05:16.655123       1 store.go:12] no leader", "2026-11-30T09:05:16.655123Z", "E", FAILURE, "", None),
    ('time="2026-11-30T09:11:01Z" level=warning msg="slow" took=3s', "2026-11-30T09:11:01Z", "warning", WARNING, "", 3.0),
    ("ts=2026-11-30T09:11:01.2Z caller=main.go:1 level=error err=x", "2026-11-30T09:11:01.2Z", "error", FAILURE, "", None),
    ('level=error msg="call failed" err="refused \\"x\\"" status=502', None, "error", FAILURE, "502", None),
    ('INFO:httpx:HTTP Request: GET https://api.example/v1/x "HTTP/1.1 503 Service Unavailable"', None, "INFO", FAILURE, "503", None),
    ('2026-11-30 09:11:18,605 INFO httpx HTTP Request: POST http://db:8000/q?a=1 "HTTP/2 200 OK"', "2026-11-30T09:11:18.605Z", "INFO", OTHER, "200", None),
    ("2026-11-30\t09:11:18\tFRA56-P1\t2390\t192.0.2.10\tGET\td1.cloudfront.example\t/a.js\t502\t-\tcurl/8\tq=1\t-\tError\tid==\tshop.example\thttps\t23\t0.512\t-\tTLSv1.3", "2026-11-30T09:11:18Z", "", FAILURE, "502", 0.512),
    ("[  123.456789] Out of memory: Killed process 1234 (java)", None, "", OTHER, "", None),
    ("[123456.789012] nvme0: I/O ERROR: gone", None, "ERROR", FAILURE, "", None),
    ("ERROR:root:it broke", None, "ERROR", FAILURE, "", None),
    ('INFO:     10.0.0.1:3 - "GET /m HTTP/1.1" 500 Internal', None, "INFO", FAILURE, "500", None),
    ('{"__REALTIME_TIMESTAMP":"1796029878123456","PRIORITY":"3","MESSAGE":"it broke","_SYSTEMD_UNIT":"api.service"}', "2026-11-30T09:11:18.123456Z", "<3>", FAILURE, "", None),
    ('{"__REALTIME_TIMESTAMP":"1796029878123456","PRIORITY":"6","MESSAGE":"fine"}', "2026-11-30T09:11:18.123456Z", "<6>", OTHER, "", None),
    ('{"t":{"$date":"2026-11-30T09:11:18.605+00:00"},"s":"E","c":"NETWORK","id":23016,"msg":"no"}', "2026-11-30T09:11:18.605Z", "E", FAILURE, "", None),
    ('{"@t":"2026-11-30T09:11:18.605Z","@m":"no","@l":"Error"}', "2026-11-30T09:11:18.605Z", "Error", FAILURE, "", None),
    ('{"Timestamp":"2026-11-30T09:11:18.605Z","Level":"Warning","RenderedMessage":"no"}', "2026-11-30T09:11:18.605Z", "Warning", WARNING, "", None),
    ('{"jsonPayload":{"message":"no"},"severity":"ERROR","timestamp":"2026-11-30T09:11:18.605Z"}', "2026-11-30T09:11:18.605Z", "ERROR", FAILURE, "", None),
    ("2026-11-30 09:11:18.605 +01:00 [ERR] no", "2026-11-30T08:11:18.605Z", "ERR", FAILURE, "", None),
    ("2026-11-30 09:11:18.605 +01:00 [WRN] no", "2026-11-30T08:11:18.605Z", "WRN", WARNING, "", None),
    ("2026-11-30T09:11:18.605Z\tERROR\tserver/main.go:42\tno", "2026-11-30T09:11:18.605Z", "ERROR", FAILURE, "", None),
    ("2026-11-30T09:11:18.605Z  INFO [/api/error] fine", "2026-11-30T09:11:18.605Z", "INFO", OTHER, "", None),
    ("2026-11-30T09:11:18.605Z [/api/error] fine", "2026-11-30T09:11:18.605Z", "", OTHER, "", None),
    ("[2026-11-30T09:11:18,605][ERROR][o.e.b.Bootstrap] [node-1] no", "2026-11-30T09:11:18.605Z", "ERROR", FAILURE, "", None),
    ("[2026-11-30 09:11:18.605][1][error][upstream] no", "2026-11-30T09:11:18.605Z", "error", FAILURE, "", None),
    ("[2026-11-30 09:11:01,123: ERROR/MainProcess] Task no", "2026-11-30T09:11:01.123Z", "ERROR", FAILURE, "", None),
    ("[2026-11-30, 09:11:01 UTC] {taskinstance.py:1} ERROR - no", "2026-11-30T09:11:01Z", "ERROR", FAILURE, "", None),
    ("2026-11-30  9:11:18 0 [ERROR] Aborting", "2026-11-30T09:11:18Z", "ERROR", FAILURE, "", None),
    ("2026.11.30 09:11:01.123456 [ 12 ] {} <Error> Application: no", "2026-11-30T09:11:01.123456Z", "Error", FAILURE, "", None),
    ("30.11.2026 09:11:18 ERROR no", "2026-11-30T09:11:18Z", "ERROR", FAILURE, "", None),
    ("ERROR [main] 2026-11-30 09:11:01,123 CassandraDaemon.java:1 - no", "2026-11-30T09:11:01.123Z", "ERROR", FAILURE, "", None),
    ("09:11:18.605 [main] ERROR com.foo.Bar - no", None, "ERROR", FAILURE, "", None),
    ("[ERROR] plugin/errors: 2 example.com. A: read udp", None, "ERROR", FAILURE, "", None),
    ("E, [2026-11-30T09:11:18.123456 #12345] ERROR -- : no", "2026-11-30T09:11:18.123456Z", "ERROR", FAILURE, "", None),
    ("[Mon Nov 30 09:11:01 2026] Out of memory: Killed process 12", "2026-11-30T09:11:01Z", "", OTHER, "", None),
    ("Mon Nov 30 09:11:01 UTC 2026 ERROR no", "2026-11-30T09:11:01Z", "ERROR", FAILURE, "", None),
    ("Mon Nov 30 09:11:01 CET 2026 ERROR no fixed offset", None, "ERROR", FAILURE, "", None),
    ("Nov 30, 2026 9:11:01 PM com.foo.Bar run", "2026-11-30T21:11:01Z", "", OTHER, "", None),
    ("Nov 30, 2026 12:11:01 AM com.foo.Bar run", "2026-11-30T00:11:01Z", "", OTHER, "", None),
    ("[30-Nov-2026 09:11:01 UTC] PHP Fatal error:  Uncaught Exception: no", "2026-11-30T09:11:01Z", "error", FAILURE, "", None),
    ("[30-Nov-2026 09:11:01 Europe/Berlin] PHP Warning:  no", None, "Warning", WARNING, "", None),
    ("[30-Nov-2026 09:11:01] WARNING: [pool www] server reached pm.max_children", "2026-11-30T09:11:01Z", "WARNING", WARNING, "", None),
    ("1796029878.123 [12] ERROR:  no", "2026-11-30T09:11:18.123Z", "ERROR", FAILURE, "", None),
    ("1796029878123 ERROR no", "2026-11-30T09:11:18.123Z", "ERROR", FAILURE, "", None),
    ("I20261130 09:05:16.655123       1 store.cc:12] fine", "2026-11-30T09:05:16.655123Z", "I", OTHER, "", None),
    ("fail: Microsoft.Hosting[0]", None, "fail", FAILURE, "", None),
    ('Nov 30 09:11:01 lb haproxy[14387]: 10.0.1.2:33317 [30/Nov/2026:09:11:01.655] http-in static/srv1 10/0/30/69/109 502 2750 - - ---- 1/1/1/1/0 0/0 {a|b} {} "GET /i?x=1 HTTP/1.1"', "2026-11-30T09:11:01.655Z", "", FAILURE, "502", 0.109),
    ('10.0.1.2:33317 [30/Nov/2026:09:11:01.655] http-in static/<NOSRV> 0/-1/-1/-1/5 503 212 - - SC-- 1/1/0/0/3 0/0 "GET / HTTP/1.1"', "2026-11-30T09:11:01.655Z", "", FAILURE, "503", 0.005),
    ('https 2026-11-30T09:11:01.186641Z app/lb/50dc 192.168.1.39:2817 10.0.0.1:80 0.086 0.048 0.037 502 502 0 57 "GET https://www.example.com:443/a HTTP/1.1" "curl" -', "2026-11-30T09:11:01.186641Z", "", FAILURE, "502", 0.171),
    ('http 2026-11-30T09:11:01.186641Z app/lb/50dc 192.168.1.39:2817 - -1 -1 -1 503 - 0 57 "GET http://www.example.com:80/a HTTP/1.1" "curl" -', "2026-11-30T09:11:01.186641Z", "", FAILURE, "503", None),
    ("2026-11-30 09:11:01 10.0.0.1 GET /api/x - 443 - 10.0.0.9 Mozilla/5.0+(X11) - 500 0 0 1203", "2026-11-30T09:11:01Z", "", FAILURE, "500", 1.203),
]  # fmt: skip

PLAIN = [
    "",
    "   at com.example.Cart(Cart.java:17)",
    "Errors were found",
    "2026-13-41 09:11:01 no such day",
    "2026-11-30 29:11:01 no such hour",
    "09:11:01 no date",
    "{not json",
    "[1, 2]",
    "-- end --",
    "1234567890 rows were copied",
    "09:11:01 nothing to tell",
    "[note to self] nothing",
]


@pytest.mark.parametrize(("line", "time", "level", "severity", "outcome", "duration"), LINES)
def test_a_line_says_what_its_system_wrote(
    line: str, time: str | None, level: str, severity: Severity, outcome: str, duration: float | None
) -> None:
    parsed = parse_line(line, NEAR)
    assert parsed is not None
    assert (parsed.time.text if parsed.time else None) == time
    assert (parsed.level, parsed.severity, parsed.outcome) == (level, severity, outcome)
    assert parsed.duration_seconds == duration


@pytest.mark.parametrize("line", PLAIN)
def test_a_line_of_no_format_is_none(line: str) -> None:
    assert parse_line(line, NEAR) is None


@pytest.mark.parametrize("line", ["Nov 30 09:11:01 host sshd: x", "E1130 09:05:16.655123 1 store.go:12] x"])
def test_no_year_is_invented(line: str) -> None:
    parsed = parse_line(line, None)
    assert parsed is not None
    assert parsed.time is None


def test_the_year_is_the_one_nearest_to_the_bundle() -> None:
    parsed = parse_line("Dec 31 23:59:59 host app: x", from_iso("2027-01-01T00:10:00Z"))
    assert parsed is not None
    assert parsed.time is not None
    assert parsed.time.text == "2026-12-31T23:59:59Z"


@given(st.sampled_from([line for line, *_ in LINES]), st.data())
def test_a_damaged_line_gets_no_time_that_it_does_not_hold(line: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(line)))
    damaged = line[:place] + data.draw(st.text(max_size=2)) + line[place + data.draw(st.integers(0, 3)) :]
    parsed = parse_line(damaged, None)
    if parsed is not None and parsed.time is not None:
        assert parsed.time.text[14:19] in damaged or re.search(r"[0-9]{10}", damaged)


@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    parse_line(data.decode("utf-8", "replace"), NEAR)


HOSTILE = [
    '"',
    "'",
    "a",
    "1",
    "a=",
    "/1",
    "0x",
    "a-",
    "1:",
    "a.",
    "x ",
    '"\\',
    "{",
    "[",
    "GET /",
    ' ts="',
    'error="',
]
BEGINNINGS = ["", "2026-11-30T09:11:01Z ", '::1 - - [30/Nov/2026:09:11:01 +0000] "', "<1>1 - h a 1 2 ["]


def read_and_shaped(line: str) -> None:
    parse_line(line, None)
    # Not kept from the reading before.
    shape_of.__wrapped__(line)


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_no_line_holds_up_the_reader(beginning: str) -> None:
    slow = [piece for piece in HOSTILE if grows_as_a_square(read_and_shaped, piece, 8192, beginning)]
    assert slow == []


MOMENTS = st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis wants naive bounds


@given(MOMENTS, st.sampled_from("T "), st.sampled_from(["Z", "+00:00", " UTC", "+0530", "-08"]))
def test_an_iso_time_is_the_instant_that_the_standard_library_reads(
    moment: datetime, between: str, zone: str
) -> None:
    offsets = {"+0530": timedelta(hours=5, minutes=30), "-08": timedelta(hours=-8)}
    local = moment + offsets.get(zone, timedelta())
    text = local.strftime(f"{local.year:04d}-%m-%d{between}%H:%M:%S.%f") + zone
    assert instant_of(from_iso(text)) == moment
    parsed = parse_line(f"{text} INFO x", None)
    assert parsed is not None
    assert instant_of(parsed.time) == moment


@given(st.datetimes(datetime(2002, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001 - as above
def test_an_epoch_is_read_by_its_digits(moment: datetime) -> None:
    micro = int(moment.timestamp()) * 1_000_000 + moment.microsecond
    for token in (f"{micro // 1_000_000}.{moment.microsecond:06d}", str(micro), f"{micro}000"):
        assert instant_of(from_epoch(token)) == moment


def instant_of(found: Instant | None) -> datetime:
    assert found is not None
    assert datetime.fromisoformat(found.text[:26].rstrip("Z")).replace(tzinfo=UTC) == datetime.fromtimestamp(
        0, UTC
    ) + timedelta(microseconds=found.microseconds)
    return datetime.fromtimestamp(0, UTC) + timedelta(microseconds=found.microseconds)


@pytest.mark.parametrize(
    ("near", "line", "expected"),
    [
        ("2027-01-01T00:05:00Z", "Dec 31 23:59:58 host app: x", "2026-12-31T23:59:58Z"),
        ("2026-12-31T23:55:00Z", "Jan  1 00:00:02 host app: x", "2027-01-01T00:00:02Z"),
        ("2027-01-01T00:05:00Z", "E1231 23:59:58.5   1 a.go:7] x", "2026-12-31T23:59:58.5Z"),
        ("2026-12-31T23:55:00Z", "I0101 00:00:02.25   1 a.go:7] x", "2027-01-01T00:00:02.25Z"),
        ("2028-03-01T00:05:00Z", "Feb 29 23:59:58 host app: x", "2028-02-29T23:59:58Z"),
        ("2027-12-31T00:00:00Z", "Feb 29 23:59:58 host app: x", "2028-02-29T23:59:58Z"),
        ("2026-06-30T12:00:00Z", "Jun 30 23:59:58 host app: x", "2026-06-30T23:59:58Z"),
    ],
)
def test_a_line_without_a_year_has_the_one_that_is_nearest(near: str, line: str, expected: str) -> None:
    parsed = parse_line(line, from_iso(near))
    assert parsed is not None
    assert parsed.time is not None
    assert parsed.time.text == expected


@pytest.mark.parametrize("near", ["2026-03-01T00:00:00Z", "2027-02-28T00:00:00Z", "2025-02-28T23:00:00Z"])
def test_february_29_of_a_year_that_has_none_is_no_time(near: str) -> None:
    parsed = parse_line("Feb 29 23:59:58 host app: x", from_iso(near))
    assert parsed is not None
    assert parsed.time is None


@given(st.integers(40_000_000, 3_800_000_000), st.integers(-150, 150))
def test_any_date_within_months_of_a_dated_instant_keeps_its_year(seconds: int, days: int) -> None:
    at = datetime.fromtimestamp(seconds, UTC)
    line = f"{at:%b} {at.day:2d} {at:%H:%M:%S} host app: x"
    parsed = parse_line(line, from_iso(f"{at + timedelta(days=days):%Y-%m-%dT%H:%M:%S}Z"))
    assert parsed is not None
    assert parsed.time is not None
    assert parsed.time.text == f"{at:%Y-%m-%dT%H:%M:%S}Z"
