"""Mechanisms that a log line states in words, without any series."""

from pathlib import Path

import pytest

from services.executor.analyst.reading.stated import stated_by
from tests.fakes.bindings import problems
from tests.fakes.investigation import Investigation, investigate
from tests.fakes.judged import lowered
from tests.fakes.plain_logs import FAILS_AT, PlainLogs

QUESTION = "Customers see failing requests: what is the root cause?"
CALLS = [("cart", "store")]


def run(bundle: PlainLogs, folder: Path, question: str = QUESTION) -> Investigation:
    found = investigate(bundle.write(folder / "bundle"), question)
    assert problems(found.evidence, found.calls) == []
    return found


def shop(*names: str, known: bool = True) -> PlainLogs:
    bundle = PlainLogs()
    if known:
        bundle.services, bundle.calls = {name: [f"logs/{name}.log"] for name in names}, CALLS
    bundle.routine(*(f"logs/{name}.log" for name in names))
    return bundle


@pytest.mark.parametrize(
    ("text", "fault", "outright"),
    [
        ("write: No space left on device", "disk.exhausted", True),
        ("Disk quota exceeded", "disk.exhausted", True),
        ("Out of memory: Killed process 812 (cart) total-vm:9kB", "memory.exhausted", True),
        ("container cart: OOMKilled", "memory.exhausted", True),
        ("fork: Cannot allocate memory", "memory.exhausted", True),
        ("OOM command not allowed when used memory > 'maxmemory'", "memory.exhausted", False),
        ("certificate verify failed: certificate has expired", "certificate.expired", False),
        ("x509: certificate has expired or is not yet valid", "certificate.expired", False),
        ("accept: Too many open files", "resource.exhausted", True),
        ("FATAL:  sorry, too many clients already", "connections.exhausted", False),
        ("ERROR 1040: Too many connections", "connections.exhausted", False),
        ("ERROR:  deadlock detected", "lock.contention", False),
        ("Lock wait timeout exceeded; try restarting transaction", "lock.contention", False),
        ("cart.service: Main process exited, code=killed, status=9/KILL", "process.down", True),
        ("LOG:  received fast shutdown request", "process.down", True),
        ("1:M 17 Jan 2027 10:00:00.000 # Redis is now ready to exit, bye bye...", "process.down", True),
        ("FATAL:  the database system is shutting down", "dependency.unreachable", False),
        ("dial tcp: lookup store: no such host", "dns.unresolved", False),
        ("connect ECONNREFUSED 10.0.0.5:5432", "dependency.unreachable", False),
    ],
)
def test_the_vocabulary(text: str, fault: str, outright: bool) -> None:
    stated = stated_by(text)

    assert stated is not None
    assert (stated.fault, stated.outright) == (fault, outright)


@pytest.mark.parametrize(
    "text",
    [
        "", "disk fuller", "memory is fine", "connection accepted", "the room is full",
        "[gc] GC(2) Pause Young (Normal) (G1 Evacuation Pause) 9M->2M(32M) 4.1ms",
        "[gc] GC(3) Pause Full (System.gc())",
    ],
)  # fmt: skip
def test_what_states_nothing(text: str) -> None:
    assert stated_by(text) is None


@pytest.mark.parametrize("known", [True, False], ids=["with a topology", "without one"])
def test_the_deepest_that_states_it_is_where_it_begins(known: bool, tmp_path: Path) -> None:
    bundle = shop("cart", "store", known=known)
    text = 'could not write to file "tmp/7": No space left on device'
    bundle.fails("logs/store.log", f"ERROR {text}")
    bundle.fails("logs/cart.log", f"ERROR item 7 failed: {text}")

    found = run(bundle, tmp_path)

    assert found.suspects == [("store", "disk.exhausted", "confirmed")]
    cause = found.of_type("cause")[0]
    assert f"“{text}”" in cause.statement


def test_of_two_that_say_the_same_at_once_neither_is_confirmed(tmp_path: Path) -> None:
    bundle = shop("cart", "store", known=False)
    for name in ("cart", "store"):
        bundle.fails(f"logs/{name}.log", "ERROR write failed: No space left on device")

    found = run(bundle, tmp_path)

    assert {status for _, _, status in found.suspects} == {"possible"}


def test_what_broke_before_leaves_the_statement_a_direction(tmp_path: Path) -> None:
    bundle = shop("cart", "store")
    bundle.fails("logs/store.log", "ERROR index of table parts is damaged", at=FAILS_AT)
    bundle.fails("logs/cart.log", "ERROR accept: Too many open files", at=FAILS_AT + 20)

    found = run(bundle, tmp_path)

    assert ("cart", "resource.exhausted", "possible") in found.suspects


def test_a_statement_of_somebody_whom_the_others_do_not_need_is_a_direction(tmp_path: Path) -> None:
    bundle = shop("cart", "store", "mailer")
    bundle.fails("logs/mailer.log", "ERROR accept: Too many open files", at=FAILS_AT)
    bundle.fails("logs/cart.log", "ERROR item failed", at=FAILS_AT + 2)

    found = run(bundle, tmp_path)

    assert found.suspects == [("mailer", "resource.exhausted", "possible")]


def test_the_log_of_the_system_names_whom_it_killed(tmp_path: Path) -> None:
    bundle = shop("cart", "store", known=False)
    bundle.lines["logs/syslog"] = [
        (FAILS_AT, "INFO kernel: Out of memory: Killed process 812 (store) rss:9kB")
    ]
    bundle.fails("logs/cart.log", "ERROR no answer", at=FAILS_AT + 2)

    found = run(bundle, tmp_path)

    assert found.suspects == [("store", "memory.exhausted", "confirmed")]


def test_a_wait_that_is_logged_as_routine_belongs_to_the_failures_after_it(tmp_path: Path) -> None:
    bundle = shop("cart", "store")
    bundle.change(FAILS_AT - 4, "store", "migration 7: rewrite of table parts", "migration")
    text = "LOG process 7 still waiting for AccessShareLock on relation 16400 after 1000.1 ms"
    bundle.fails("logs/store.log", text)
    bundle.fails("logs/cart.log", "ERROR gave up", at=FAILS_AT + 5)

    found = run(bundle, tmp_path)

    assert {suspect[:2] for suspect in found.suspects} <= {
        ("store", "data.changed"),
        ("store", "lock.contention"),
    }
    assert found.suspects


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("process 7 still waiting for ShareLock on transaction 9 after 1000.1 ms", "lock.contention"),
        ("still waiting for AccessExclusiveLock on tuple (0,1)", "lock.contention"),
        ("still waiting for the table lock", "lock.contention"),
        ("still waiting for an answer of ledger", None),
        ("still waiting for block 7", None),
        ("recv() failed (104: Connection reset by peer) while reading client request body", None),
        (
            "recv() failed (104: Connection reset by peer) while reading response header",
            "dependency.unreachable",
        ),
    ],
)
def test_whom_a_line_waits_for_is_what_it_names(text: str, fault: str | None) -> None:
    stated = stated_by(text)

    assert (stated.fault if stated else None) == fault


def test_who_waits_for_the_locks_of_what_it_calls_is_explained_by_its_change(tmp_path: Path) -> None:
    bundle = shop("cart", "store")
    bundle.change(FAILS_AT - 4, "store", "migration 7: rewrite of table parts", "migration")
    text = "LOG process 7 still waiting for AccessShareLock on relation 16400 after 1000.1 ms"
    bundle.fails("logs/store.log", text)
    bundle.fails("logs/cart.log", "ERROR canceling statement due to lock timeout", at=FAILS_AT + 5)

    found = run(bundle, tmp_path)

    assert [suspect[:2] for suspect in found.suspects] == [("store", "data.changed")]


def test_a_message_that_stays_the_same_is_told_with_its_quotations(tmp_path: Path) -> None:
    bundle = shop("cart")
    bundle.fails("logs/cart.log", 'ERROR relation "parts" of "shop" does not exist')

    found = run(bundle, tmp_path)

    told = 'cart logged “relation "parts" of "shop" does not exist” 150 times'
    assert any(claim.statement.startswith(told) for claim in found.evidence.claims)


def test_a_silent_dependency_that_cannot_be_reached_is_a_direction(tmp_path: Path) -> None:
    bundle = shop("cart", "store")
    bundle.fails("logs/cart.log", "ERROR call to store failed: Connection refused")

    found = run(bundle, tmp_path)

    assert found.suspects == [("store", "dependency.unreachable", "possible")]


def test_a_peer_that_nobody_names_is_not_blamed_and_neither_is_who_misses_it(tmp_path: Path) -> None:
    bundle = shop("cart", known=False)
    bundle.fails("logs/cart.log", "ERROR call to 10.0.0.5 failed: Connection refused")

    found = run(bundle, tmp_path)

    assert found.suspects == []
    assert any("Connection refused" in claim.statement for claim in found.of_type("symptom"))


def test_the_exception_behind_a_failure_is_what_is_quoted(tmp_path: Path) -> None:
    bundle = shop("cart")
    trace = "\n".join(
        ["ERROR item failed", "Traceback (most recent call last):", '  File "a.py", line 3, in f',
         "OSError: [Errno 28] No space left on device: 'x.tmp'"]
    )  # fmt: skip
    bundle.fails("logs/cart.log", trace)

    found = run(bundle, tmp_path)

    assert found.suspects == [("cart", "disk.exhausted", "confirmed")]
    assert "OSError: [Errno 28] No space left on device" in found.of_type("cause")[0].statement
    impact = found.of_type("impact")[0]
    assert 'names "OSError: [Errno 28] No space left on device' in impact.statement


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("getaddrinfo ENOTFOUND store.internal", "dns.unresolved"),
        ("java.net.UnknownHostException: store", "dns.unresolved"),
        ("dial tcp: lookup store on 10.0.0.2:53: server misbehaving", "dns.unresolved"),
        ("could not translate host name", "dns.unresolved"),
        ("store: 429 Too Many Requests", "requests.limited"),
        ("rate limit exceeded for key 7", "requests.limited"),
        ("token used before issued", "clock.skewed"),
        ("[gc] GC(312) Pause Full (G1 Compaction Pause) 3071M->3068M(3072M) 4213.1ms", "memory.exhausted"),
        ("chronyd[7]: System clock wrong by -94.2 seconds", "clock.skewed"),
    ],
)
def test_what_is_wrong_between_two_is_stated(text: str, fault: str) -> None:
    stated = stated_by(text)

    assert stated is not None
    assert (stated.fault, stated.outright) == (fault, False)


def test_who_limits_requests_is_named_and_not_who_is_limited(tmp_path: Path) -> None:
    bundle = shop("cart", "store")
    bundle.fails(
        "logs/cart.log",
        'level=error msg="no place found" err="store: GET https://store/v1/x: 429 Too Many Requests"',
    )

    found = run(bundle, tmp_path)

    assert found.suspects == [("store", "requests.limited", "possible")]
    assert "429 Too Many Requests" in found.of_type("cause")[0].statement


def test_one_name_that_is_not_resolved_is_told_of_its_owner(tmp_path: Path) -> None:
    bundle = shop("cart", "store")
    bundle.fails("logs/cart.log", "ERROR call of store.prod.internal: Name or service not known")

    found = run(bundle, tmp_path)

    assert found.suspects == [("store", "dns.unresolved", "possible")]


def test_names_of_several_that_are_not_resolved_blame_none_of_them(tmp_path: Path) -> None:
    bundle = shop("cart", "store", "rates")
    bundle.calls = [("cart", "store"), ("cart", "rates")]
    bundle.fails("logs/cart.log", "ERROR store: lookup store on 10.0.0.2:53: server misbehaving")
    bundle.fails("logs/cart.log", "WARN rates are old, lookup rates on 10.0.0.2:53: i/o timeout", every=3)

    found = run(bundle, tmp_path)

    assert found.suspects == [("cart", "dns.unresolved", "possible")]


def test_names_that_are_not_resolved_are_told_of_who_resolves_them(tmp_path: Path) -> None:
    bundle = shop("cart", "store", "coredns")
    bundle.fails("logs/cart.log", "ERROR call of store: Temporary failure in name resolution")

    found = run(bundle, tmp_path)

    assert found.suspects == [("coredns", "dns.unresolved", "possible")]


def test_the_unit_that_the_service_manager_speaks_of_is_the_service(tmp_path: Path) -> None:
    bundle = shop("cart", "store")
    bundle.lines["logs/journal.log"] = [
        (FAILS_AT, "node-2 kernel: java invoked oom-killer: order=0"),
        (FAILS_AT + 0.1, "node-2 kernel: Memory cgroup out of memory: Killed process 812 (java)"),
        (FAILS_AT + 0.2, "node-2 systemd[1]: store.service: Failed with result 'oom-kill'."),
    ]
    bundle.fails("logs/cart.log", "ERROR no answer", at=FAILS_AT + 2)

    found = run(bundle, tmp_path)

    assert found.suspects == [("store", "memory.exhausted", "confirmed")]
    # Two lines that state it are two observations.
    assert lowered(found, QUESTION) == []


@pytest.mark.parametrize("changed", [True, False])
def test_a_stranger_that_answers_with_failures_comes_before_an_unproven_change(
    changed: bool, tmp_path: Path
) -> None:
    bundle = shop("cart")
    bundle.calls = [("cart", "paybank")]
    if changed:
        bundle.change(FAILS_AT - 20, "cart", "cart 2.0.0 -> 2.0.1")
    bundle.fails("logs/cart.log", "ERROR BankException: paybank answered 503 Service Unavailable")

    found = run(bundle, tmp_path)

    assert found.suspects[0] == ("paybank", "dependency.failing", "possible")
    assert lowered(found, QUESTION) == []
