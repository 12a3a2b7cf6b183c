"""What logs hold, counted apart; the callers of requests in each form; durations. Counted by hand here."""

import json
from pathlib import Path
from typing import Any

import pytest

from services.executor.tools import log_groups
from services.executor.tools.registry import tools
from tests.fakes.bundles import Tree, a_stop, opened, write

TOOLS = tools(1 << 20, 30)
COMMON = (
    '10.0.0.1 - - [30/Nov/2026:09:00:01 +0000] "GET /a?q=1 HTTP/1.1" 200 12 rt=0.100\n'
    '10.0.0.2 - ann [30/Nov/2026:09:00:02 +0000] "POST /a HTTP/1.1" 503 12 rt=2.500\n'
    '10.0.0.1 - - [30/Nov/2026:09:01:03 +0000] "POST /b HTTP/1.1" 503 12 rt=0.300\n'
    '10.0.0.1 - - [30/Nov/2026:10:01:03 +0000] "GET /GET HTTP/1.1" 404 12\n'
)
# The server's own name before the client; a user's name of two words, so that the client is not certain.
VHOST = (
    'shop.example:443 10.0.0.7 - - [30/Nov/2026:09:00:01 +0000] "GET /a HTTP/1.1" 200 12\n'
    '10.0.0.8 - ann lee [30/Nov/2026:09:00:02 +0000] "GET /a HTTP/1.1" 200 12\n'
)
HAPROXY = (
    "Nov 30 09:00:01 lb haproxy[7]: 10.0.0.3:5000 [30/Nov/2026:09:00:01.100] web app/a1 0/0/1/9/10 200 15 "
    '- - ---- 1/1/0/0/0 0/0 "GET /a HTTP/1.1"\n'
)
ALB = (
    "https 2026-11-30T09:00:01.000000Z app/lb/1 10.0.0.4:5000 10.1.0.1:80 0.001 0.020 0.000 502 502 10 20 "
    '"GET https://shop.example:443/a?b=1 HTTP/1.1" "curl" - -\n'
)
IIS = "2026-11-30 09:00:01 10.1.0.1 GET /a q=1 443 - 10.0.0.5 curl/8 - 500 0 0 31\n"
CLOUDFRONT = (
    "2026-11-30\t09:00:01\tFRA56-P1\t2390\t10.0.0.9\tGET\td1.cloudfront.example\t/a\t502\t-\tcurl/8\tq=1\t-\tError\t"
    "id==\tshop.example\thttps\t23\t0.5\t-\tTLSv1.3\n"
)
OF_FIELDS = "".join(
    json.dumps({"time": "2026-11-30T09:00:01Z", "level": "info", "status": 200, **more}) + "\n"
    for more in (
        {"remote_addr": "10.0.0.6", "method": "get", "path": "/a"},
        {"request": {"remote_ip": "10.0.0.6", "method": "PUT", "uri": "/a?b"}, "duration_ms": 40},
        {"msg": "no caller"},
    )
)


def counted(folder: Path, files: dict[str, Tree], **arguments: Tree) -> Any:  # noqa: ANN401 - a JSON document
    write(folder, files)
    tool = TOOLS["logs_count"]
    made = tool.run(opened(folder), tool.arguments.model_validate_json(json.dumps(arguments)), a_stop())
    return made.document


def groups(document: Any) -> dict[str, int]:  # noqa: ANN401 - a JSON document
    return {row["text"]: int(row["count"]) for row in document["grouped"]}


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("status", {"503": 2, "200": 1, "404": 1}),
        ("client", {"10.0.0.1": 3, "10.0.0.2": 1}),
        ("method", {"GET": 2, "POST": 2}),
        ("path", {"/a": 2, "/b": 1, "/GET": 1}),
        ("minute", {"2026-11-30T09:00:00Z": 2, "2026-11-30T09:01:00Z": 1, "2026-11-30T10:01:00Z": 1}),
        ("hour", {"2026-11-30T09:00:00Z": 3, "2026-11-30T10:00:00Z": 1}),
    ],
)
def test_requests_are_counted_apart(tmp_path: Path, by: str, expected: dict[str, int]) -> None:
    found = counted(tmp_path, {"logs/a.log": COMMON}, by=by)
    assert groups(found) == expected
    assert list(groups(found)) == list(expected)
    assert (found["groups"], found["groups_unstated"]) == (str(len(expected)), "0")


@pytest.mark.parametrize(
    ("log", "client", "method"),
    [
        (HAPROXY, "10.0.0.3", "GET"),
        (ALB, "10.0.0.4", "GET"),
        (IIS, "10.0.0.5", "GET"),
        (CLOUDFRONT, "10.0.0.9", "GET"),
    ],
)
def test_the_client_and_the_method_are_read_in_each_form(
    tmp_path: Path, log: str, client: str, method: str
) -> None:
    assert groups(counted(tmp_path / "c", {"logs/a.log": log}, by="client")) == {client: 1}
    assert groups(counted(tmp_path / "m", {"logs/a.log": log}, by="method")) == {method: 1}
    assert groups(counted(tmp_path / "p", {"logs/a.log": log}, by="path")) == {"/a": 1}


def test_fields_name_the_client_the_method_and_the_path(tmp_path: Path) -> None:
    files: dict[str, Tree] = {"logs/a.log": OF_FIELDS}
    found = counted(tmp_path / "c", files, by="client")
    assert (groups(found), found["groups_unstated"]) == ({"10.0.0.6": 2}, "1")
    assert groups(counted(tmp_path / "m", files, by="method")) == {"GET": 1, "PUT": 1}
    assert groups(counted(tmp_path / "p", files, by="path")) == {"/a": 2}


def test_a_server_that_stands_before_the_client_is_none_and_what_is_not_certain_is_unstated(
    tmp_path: Path,
) -> None:
    found = counted(tmp_path, {"logs/a.log": VHOST}, by="client")
    assert (groups(found), found["groups_unstated"]) == ({"10.0.0.7": 1}, "1")


def test_a_method_is_not_a_word_of_the_path(tmp_path: Path) -> None:
    found = counted(tmp_path, {"logs/a.log": COMMON}, methods=["GET"], outcomes=["4xx"])
    assert (found["count"], found["methods"]) == ("1", ["GET"])
    assert counted(tmp_path / "p", {"logs/a.log": COMMON}, methods=["POST"])["count"] == "2"


def test_a_client_is_one_address_as_a_whole(tmp_path: Path) -> None:
    log = COMMON.replace("10.0.0.2", "10.0.0.11")
    found = counted(tmp_path, {"logs/a.log": log}, clients=["10.0.0.1"], outcomes=["5xx"])
    assert (found["count"], found["clients"]) == ("1", ["10.0.0.1"])


def test_requests_above_a_duration_and_the_slowest(tmp_path: Path) -> None:
    found = counted(tmp_path, {"logs/a.log": COMMON}, slower_than=0.3)
    assert (found["count"], found["timed"], found["requests"]) == ("1", "3", "4")
    document = counted(tmp_path / "s", {"logs/a.log": COMMON}, outcomes=["5xx"], show=1, slowest=True)
    (row,) = document["logs"][0]["excerpts"]
    assert (row["n"], row["seconds"]) == ("2", "2.5")


def test_messages_are_counted_by_what_does_not_vary(tmp_path: Path) -> None:
    log = (
        "2026-11-30T09:00:00Z ERROR lost order 17\n  at line 3\n"
        "2026-11-30T09:00:01Z ERROR lost order 18\n2026-11-30T09:00:02Z ERROR out of paper\n"
    )
    found = counted(tmp_path, {"logs/a.log": log}, by="message", severities=["failure"])
    assert [int(row["count"]) for row in found["grouped"]] == [2, 1]
    assert found["grouped"][0]["first"]["n"] == "1"


def test_more_different_ones_than_are_remembered_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_groups, "MAX_DISTINCT", 1)
    found = counted(tmp_path, {"logs/a.log": COMMON}, by="client")
    assert (found["groups"], found["groups_left_out"]) == ("1", "1")


@pytest.mark.parametrize(
    ("more", "is_asked"),
    [
        ('{"status": 200, "path": "/a/7"}', True),
        ('{"status": 200, "path": "/b/a"}', False),
        ('{"status": 200, "path": "/ab"}', False),
        ('{"status": 200, "msg": "done path=/a"}', True),
        ('{"status": 200, "msg": "done path=/b/a next=/ab"}', False),
    ],
)
def test_a_path_is_the_request_s_or_else_any_that_the_line_holds(
    tmp_path: Path, more: str, is_asked: bool
) -> None:
    line = json.dumps({"time": "2026-11-30T09:00:01Z", "level": "info", **json.loads(more)})
    document = counted(tmp_path, {"a.log": f"{line}\n"}, paths=["/a"])
    assert (document["paths"], document["requests"], document["count"]) == (["/a"], "1", str(int(is_asked)))


def test_those_with_the_greatest_count_are_told_in_their_order(tmp_path: Path) -> None:
    document = counted(tmp_path, {"a.log": COMMON}, by="minute")
    assert [(row["text"], row["count"]) for row in document["most"]] == [("2026-11-30T09:00:00Z", "2")]
    document = counted(tmp_path, {"a.log": COMMON}, by="hour", outcomes=["404", "200"])
    assert (document["most_alike"], len(document["most"])) == ("2", 2)
