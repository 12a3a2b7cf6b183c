"""Templates on the recorded incidents, every figure recomputed by other means; bounds; silence."""

import hashlib
import io
import json
import re
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.executor.sources.kept import Kept
from services.executor.sources.log_line import LogLine
from services.executor.sources.log_records import log_lines
from services.executor.sources.text_lines import text_lines
from services.executor.tools import log_masks, log_templates
from services.executor.tools.log_masks import MARK, shape_of
from services.executor.tools.log_window import records
from services.executor.tools.registry import tools
from tests.fakes.bundles import RECORDED, Tree, a_stop, opened, recorded_path, write

SPLITS = {"pg-connection-exhaustion": "2026-11-30T09:10:50Z", "healthy-false-alarm": "2026-11-30T09:38:03Z"}
FAILING = re.compile(
    r'"level":"ERROR"|"status":5\d\d|^\S+ \S+ (?:ERROR|FATAL) |^\S+ \w+ ERROR |\[(?:error|crit)\]|" 5\d\d |'
    r"^.{23} UTC \[[0-9]+\] (?:\S+ )?(?:FATAL|ERROR|PANIC):  | (?:POST|GET) \S+ 5\d\d "
)
WARNING = re.compile(r'"level":"WARN"|^\S+ \S+ WARN |" 4\d\d | (?:POST|GET) \S+ 4\d\d |^\d+:\w .{24} # ')


def read(text: str) -> list[LogLine]:
    return list(log_lines(text_lines(io.BytesIO(text.encode()), a_stop(), max_bytes=1 << 30), None))


def summary_of(text: str, split: int | None = None) -> Tree:
    return log_templates.document(log_templates.summarize(read(text), None, None), split, {}, [])


def clock_of(line: str) -> str:
    """Return a line's clock time, by a plain search; the recordings stay within one day of UTC."""
    found = re.search(r"(?<!\d)(\d\d:\d\d:\d\d)(?:[.,](\d+))?", line[:80])
    return "" if found is None else f"{found.group(1)}.{found.group(2) or ''}"


@pytest.mark.parametrize("incident", RECORDED)
def test_every_figure_is_what_a_plain_count_of_the_file_gives(project: Path, incident: str) -> None:
    path = recorded_path(project, incident)
    bundle = opened(path)
    tool = tools(1 << 20, 30)["logs_templates"]
    split = SPLITS[incident]
    for log in sorted(path.glob("logs/*.log")):
        name = f"logs/{log.name}"
        found: Tree = tool.run(
            bundle, tool.arguments.model_validate_json(f'{{"source":"{name}","split":"{split}"}}'), a_stop()
        ).document
        data = log.read_bytes()
        lines = data.decode().splitlines()
        assert found["sha256"] == hashlib.sha256(data).hexdigest()
        assert int(found["bytes"]) == len(data)
        assert int(found["lines"]) == len(lines)
        check_sides(found, lines, split[11:19])
        check_templates(found, lines)
        check_silence(found, lines)
        check_durations(found, lines, split[11:19])


def check_sides(found: Tree, lines: list[str], split: str) -> None:
    clock = ""
    before = errors_before = errors_after = warnings = 0
    for line in lines:
        clock = clock_of(line) or clock
        early = clock < split
        before += early
        if FAILING.search(line):
            errors_before += early
            errors_after += not early
        elif WARNING.search(line):
            warnings += 1
    assert int(found["lines_before"]) == before
    assert int(found["lines_after"]) == len(lines) - before
    assert (int(found["errors_before"]), int(found["errors_after"])) == (errors_before, errors_after)
    assert int(found["warnings_before"]) + int(found["warnings_after"]) == warnings


def check_templates(found: Tree, lines: list[str]) -> None:
    total = sum(int(template["count"]) for template in found["templates"])
    total += int(found.get("other", {"count": 0})["count"])
    heads = [line for line in lines if line[:1] not in ("", " ", "\t")]
    assert total == len(heads)
    for template in found["templates"]:
        for side in ("first", "last"):
            assert lines[int(template[side]["n"]) - 1] == template[side]["text"]
        assert int(template["count_before"]) + int(template["count_after"]) == int(template["count"])
        same = re.escape(template["outcome"])
        assert sum(bool(re.search(same, line)) for line in lines) >= int(template["count"])


def check_durations(found: Tree, lines: list[str], split: str) -> None:
    stated = [
        (line, float(match.group(1) or 0) or float(match.group(2) or match.group(3)) / 1000)
        for line in lines
        if (match := re.search(r' rt=([0-9.]+) |"ms":([0-9.]+)}| ([0-9.]+)ms$', line))
    ]
    if not stated:
        assert "durations" not in found
        return
    durations = found["durations"]
    long = [(line, clock_of(line) < split) for line, seconds in stated if seconds > 1]
    assert int(durations["count"]) == len(stated)
    assert float(durations["max_seconds"]) == pytest.approx(max(seconds for _, seconds in stated))
    assert int(durations["over_1s_before"]) == sum(early for _, early in long)
    assert int(durations["over_1s_after"]) == sum(not early for _, early in long)
    if long:
        assert (durations["first_over_1s"]["text"], durations["last_over_1s"]["text"]) == (
            long[0][0],
            long[-1][0],
        )


def check_silence(found: Tree, lines: list[str]) -> None:
    if "silence" not in found:
        return
    at = int(found["silence"]["last_before"]["n"])
    seconds = [
        sum(float(part) * unit for part, unit in zip(clock_of(line).split(":"), (3600, 60, 1), strict=True))
        for line in lines
        if clock_of(line)
    ]
    longest = max(after - before for before, after in pairwise(seconds))
    assert float(found["silence"]["seconds"]) == pytest.approx(longest)
    assert lines[at - 1] == found["silence"]["last_before"]["text"]
    assert lines[at] == found["silence"]["first_after"]["text"]


def test_the_counts_of_a_recorded_refusal_are_those_of_grep(project: Path) -> None:
    path = recorded_path(project, "pg-connection-exhaustion")
    text = (path / "logs/postgres.log").read_text()
    found = summary_of(text)
    refused = text.count("FATAL:  sorry, too many clients already")
    template = found["templates"][0]
    assert (template["level"], int(template["count"])) == ("FATAL", refused)
    lines = text.splitlines()
    assert int(template["first"]["n"]) == 1 + next(
        n for n, line in enumerate(lines) if "too many clients" in line
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("took 12 ms", "took 7 ms"),
        ("user=17 gone", "user=ab gone"),
        ("GET /orders/17", "GET /orders/18"),
        ("GET /stock/SKU-0015", "GET /stock/SKU-0200"),
        ('key "a b" missing', 'key "c" missing'),
        ("peer 10.0.0.1:5432 left", "peer 10.2.0.1:99 left"),
        ("id 3f2a9c1b0d4e done", "id 0011223344ff done"),
        ("run 0f8fad5b-d9cb-469f-a165-70867728950e", "run 7c9e6679-7425-40de-944b-e07fc1f90ae7"),
        ("at 0x7f01 failed", "at 0x8002 failed"),
    ],
)
def test_what_varies_is_masked(first: str, second: str) -> None:
    assert shape_of(first) == shape_of(second)
    assert MARK in shape_of(first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("connection refused", "connection reset"),
        ("GET /orders", "GET /carts"),
        ("role master", "role replica"),
        ('x error="refused"', 'x error="reset"'),
        ("x reason=full", "x reason=gone"),
    ],
)
def test_words_are_not_masked(first: str, second: str) -> None:
    assert shape_of(first) != shape_of(second)


@given(st.text(max_size=400))
def test_any_text_has_a_bounded_shape(text: str) -> None:
    assert len(shape_of(text)) <= 512


@given(
    st.lists(
        st.tuples(st.integers(0, 59), st.sampled_from(["INFO", "ERROR", "WARN"]), st.sampled_from("abc")),
        max_size=60,
    ),
    st.integers(0, 60),
)
def test_no_record_is_lost_or_counted_twice(items: list[tuple[int, str, str]], split: int) -> None:
    text = "".join(f"2026-11-30T09:00:{second:02d}Z {level} {word}\n" for second, level, word in items)
    at = 1796029200_000000 + split * 1_000_000
    found: Tree = summary_of(text, at)
    early = [item for item in items if item[0] < split]
    assert (int(found["lines"]), int(found["lines_before"])) == (len(items), len(early))
    assert int(found["errors_before"]) == sum(level == "ERROR" for _, level, _ in early)
    assert int(found["warnings_before"]) == sum(level == "WARN" for _, level, _ in early)
    assert sum(int(template["count"]) for template in found["templates"]) == len(items)


def test_failures_come_first_then_what_is_new_then_what_is_frequent() -> None:
    text = "".join(
        f"2026-11-30T09:00:{second:02d}Z {line}\n"
        for second, line in enumerate(
            ["INFO old", "INFO old", "ERROR old", "INFO new", "ERROR new", "ERROR old"]
        )
    )
    found: Tree = summary_of(text, 1796029203_000000)
    assert [template["first"]["text"][21:] for template in found["templates"]] == [
        "ERROR new", "ERROR old", "INFO new", "INFO old",
    ]  # fmt: skip


def test_groups_are_bounded_and_the_rest_is_counted() -> None:
    words = [
        f"{chr(97 + a)}{chr(97 + b)}{chr(97 + c)}" for a in range(26) for b in range(26) for c in range(4)
    ]
    found = summary_of("".join(f"2026-11-30T09:00:00Z INFO word {word} x\n" for word in words))
    assert len(found["templates"]) == log_templates.MAX_LISTED
    listed = sum(int(template["count"]) for template in found["templates"])
    assert listed + int(found["other"]["count"]) == len(words)


def steady(count: int, gap: float, pause_at: int, pause: float) -> str:
    lines, now = [], 0.0
    for number in range(count):
        now += pause if number == pause_at else gap
        minute, second = divmod(now, 60)
        lines.append(f"2026-11-30T09:{int(minute):02d}:{second:06.3f}Z INFO tick\n")
    return "".join(lines)


def test_a_pause_of_a_steady_log_is_a_silence() -> None:
    silence = summary_of(steady(300, 0.5, 200, 6.25))["silence"]
    assert (silence["seconds"], silence["typical_seconds"]) == ("6.25", "0.5")
    assert (silence["last_before"]["n"], silence["first_after"]["n"]) == ("200", "201")


@pytest.mark.parametrize(
    "text", [steady(300, 0.5, 200, 1.2), steady(20, 0.5, 10, 60), steady(300, 3, 200, 5)]
)
def test_an_ordinary_pause_and_a_rare_log_are_none(text: str) -> None:
    assert "silence" not in summary_of(text)


def test_a_log_in_bursts_has_no_silence() -> None:
    burst = "".join(
        f"2026-11-30T09:{minute:02d}:00.{number:03d}Z INFO x\n"
        for minute in range(0, 50, 10)
        for number in range(40)
    )
    assert "silence" not in summary_of(burst)


WAITS = [
    "LOG:  process 300 still waiting for RowLock on relation 16402 after 1000.5 ms",
    "LOG:  process 301 still waiting for RowLock on relation 16402 after 1000.8 ms",
    "LOG:  still waiting for RowLock on relation: gave up",
]


def dated(*messages: str) -> str:
    return "".join(
        f"2026-11-30 09:00:{second:02d}.000 UTC [{second}] a@b {message}\n"
        for second, message in enumerate(messages)
    )


def test_a_template_says_what_all_its_lines_say_and_no_line_s_own_values() -> None:
    template = summary_of(dated(*WAITS[:2]))["templates"][0]

    assert (template["count"], template["common"]) == ("2", "still waiting for RowLock on relation")


@pytest.mark.parametrize(
    ("line", "common"),
    [
        (
            "2026-11-30 09:00:00,000 ERROR [a.api] rid=4bf POST /x 503 q=1 gave up on it 5.4ms",
            "gave up on it",
        ),
        (
            "2026/11/30 09:00:00 [error] 5#5: *9 connect() failed (111: Connection refused) on, to: 1.2.3.4",
            "connect() failed (111: Connection refused) on",
        ),
        (
            '{"ts":"2026-11-30T09:00:00Z","level":"ERROR","msg":"insert failed","error":"a long reason"}',
            "insert failed",
        ),
        ('2026-11-30 09:00:00,000 ERROR [a] said "no" to everybody who came', "to everybody who came"),
    ],
)
def test_the_common_part_is_the_telling_one(line: str, common: str) -> None:
    template = summary_of(line + "\n")["templates"][0]

    assert template["common"] == common
    assert common in line


@given(st.lists(st.text(alphabet="ab 1:=\"'x", min_size=1, max_size=30), min_size=1, max_size=20))
def test_what_is_called_common_stands_in_every_line(messages: list[str]) -> None:
    text = "".join(f"2026-11-30T09:00:00Z ERROR failing {message}\n" for message in messages)
    found = summary_of(text)
    for template in found["templates"]:
        common = template.get("common", "")
        alike = [line for line in text.splitlines() if common and common in line]
        assert not common or len(alike) >= int(template["count"])
        assert common in template["first"]["text"]
        assert '"' not in common


def templates_of(folder: Path, **arguments: object) -> Tree:
    """Return the document of the only log of a bundle."""
    bundle = opened(folder)
    tool = tools(1 << 20, 30)["logs_templates"]
    given = json.dumps({"source": "logs/a.log", **arguments})
    return tool.run(bundle, tool.arguments.model_validate_json(given), a_stop()).document


def test_lines_that_hold_a_literal_are_counted_whatever_their_shape(tmp_path: Path) -> None:
    literal = "still waiting for RowLock on relation"
    write(tmp_path, {"logs/a.log": dated(*WAITS, "LOG:  other")})
    found = templates_of(tmp_path, split="2026-11-30T09:00:01Z", literals=[literal, "nowhere"])

    counted, nowhere = found["literals"]
    assert (counted["count"], counted["count_before"], counted["count_after"]) == ("3", "1", "2")
    assert (counted["first"]["n"], counted["last"]["n"]) == ("1", "3")
    assert nowhere == {"text": "nowhere", "count": "0", "count_before": "0", "count_after": "0"}


def test_answers_are_counted_by_status_over_all_paths() -> None:
    paths = ['/a HTTP/1.1" 502', '/b HTTP/1.1" 502', '/a HTTP/1.1" 200', '/a HTTP/1.1" 502']
    text = "".join(
        f'1.2.3.4 - - [30/Nov/2026:09:00:0{second} +0000] "GET {path} 10 "-" "-"\n'
        for second, path in enumerate(paths)
    )
    found: Tree = summary_of(text, 1796029201_000000)

    assert [(row["outcome"], row["count"], row["count_before"]) for row in found["outcomes"]] == [
        ("200", "1", "0"),
        ("502", "3", "1"),
    ]


@pytest.mark.parametrize("incident", RECORDED)
def test_status_totals_and_literals_are_those_of_grep(project: Path, incident: str) -> None:
    path = recorded_path(project, incident)
    bundle, tool = opened(path), tools(1 << 20, 30)["logs_templates"]
    for log in sorted(path.glob("logs/*.log")):
        lines = log.read_text(encoding="utf-8").splitlines()
        name = f"logs/{log.name}"
        plain: Tree = tool.run(bundle, tool.arguments.model_validate({"source": name}), a_stop()).document
        literals = [template["common"] for template in plain["templates"] if "common" in template][:16]
        asked = tool.arguments.model_validate({"source": name, "literals": literals})
        found: Tree = tool.run(bundle, asked, a_stop()).document
        for row in found.get("literals", []):
            assert int(row["count"]) == sum(row["text"] in line for line in lines)
        for row in found.get("outcomes", []) if "access" in name else []:
            assert int(row["count"]) == sum(f'" {row["outcome"]} ' in line for line in lines)


def test_the_document_states_the_instants_that_made_its_counts(project: Path) -> None:
    bundle = opened(recorded_path(project, RECORDED[0]))
    tool = tools(1 << 20, 30)["logs_templates"]
    asked = '{"source":"logs/redis.log","split":"2026-11-30T10:10:50+01:00"}'
    found: Tree = tool.run(bundle, tool.arguments.model_validate_json(asked), a_stop()).document

    assert found["split"] == "2026-11-30T09:10:50Z"
    assert "start" not in found


WORDS = st.sampled_from(
    (
        *(
            "10.0.0.1:80",
            "1234567.8",
            "1.2.3.4.5",
            "12.5",
            "1234567",
            "::1",
            "a:b:c:d",
            "0xff",
            "/v1/x9",
            "12ms",
        ),
        *(
            "job-17",
            "deadbeef",
            "(13:",
            "[Errno",
            "5]",
            '"a 1"',
            'k="v 2"',
            "error=7",
            'error="no 3"',
            "id",
            "=",
        ),
        *("'x'", '"', "\\", '("b")', "\t", "Denied)", "it's"),
    )
)


@given(
    st.text(st.sampled_from("ab F09.:-_/x%,;[]{}()=\"'\\\t\u00a0\n"), max_size=80)
    | st.lists(WORDS, max_size=12).map(" ".join)
)
def test_masking_word_by_word_is_masking_the_whole(message: str) -> None:
    by_word = shape_of.__wrapped__(message)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(log_masks, "_SPANNING", re.compile(""))  # always the whole
        assert shape_of.__wrapped__(message) == by_word


@given(
    st.lists(
        st.tuples(
            st.integers(0, 59), st.sampled_from(["INFO a", "ERROR b", "WARN é", "  at more", "no time"])
        ),
        max_size=60,
    ),
    st.lists(st.integers(0, 60), min_size=1, max_size=3),
    st.integers(0, 59),
)
def test_a_second_summary_is_what_a_first_one_would_be(
    tmp_path_factory: pytest.TempPathFactory, items: list[tuple[int, str]], splits: list[int], start: int
) -> None:
    dates = (f"2026-11-30T09:00:{second:02d}Z " if text[:1].isupper() else "" for second, text in items)
    text = "".join(f"{date}{words}\n" for date, (_, words) in zip(dates, items, strict=True))
    folder = write(tmp_path_factory.mktemp("log"), {"logs/a.log": text or "x\n"})
    bundle = opened(folder)
    tool = tools(1 << 20, 30)["logs_templates"]
    given_start = f"2026-11-30T09:00:{start:02d}Z"
    for split in splits:
        given = json.dumps(
            {
                "source": "logs/a.log",
                "start": given_start,
                "split": f"2026-11-30T09:{split // 60:02d}:{split % 60:02d}Z",
                "literals": ["é", "at more", "09:00", "Z W"],
            }
        )
        arguments = tool.arguments.model_validate_json(given)
        again: Tree = tool.run(bundle, arguments, a_stop()).document
        assert again == tool.run(opened(folder), arguments, a_stop()).document
        shown = [line for record in records(read(text), microseconds(given_start), None) for line in record]
        for tally in again["literals"]:
            assert int(tally["count"]) == sum(tally["text"] in line.text for line in shown)


def microseconds(when: str) -> int:
    return int(datetime.fromisoformat(when).timestamp()) * 1_000_000


def test_what_is_kept_is_bounded() -> None:
    kept = Kept(10)
    for name, weight in (("a", 4), ("b", 4), ("c", 4), ("huge", 11)):
        kept.put(name, name, weight)
    assert [kept.get(name) for name in ("a", "b", "c", "huge")] == [None, "b", "c", None]
