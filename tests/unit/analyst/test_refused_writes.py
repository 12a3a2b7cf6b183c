"""A store that refuses writes, as its client tells it: the store is meant, and never the client."""

from pathlib import Path

import pytest

from services.executor.analyst.reading.stated import stated_by
from services.executor.tools.kubernetes.container_log import fault_of_line
from tests.fakes.bindings import problems
from tests.fakes.investigation import Investigation, investigate
from tests.fakes.judged import lowered
from tests.fakes.plain_logs import FAILS_AT, PlainLogs

QUESTION = "Customers see failing requests: what is the root cause?"
REPLICA = "ERROR ReplyError: READONLY You can't write against a read only replica."
FULL = 'ERROR pq: could not extend file "base/16/7": No space left on device (SQLSTATE 53100)'
UNKNOWN = "Log lines state what failed, but not which of the known components it is about."


def told(
    line: str, callees: tuple[str, ...], folder: Path, teller: str = "cart", known: bool = True
) -> Investigation:
    bundle = PlainLogs()
    names = ("cart", *callees)
    if known:
        bundle.services = {name: [f"logs/{name}.log"] for name in names}
        bundle.calls = [("cart", callee) for callee in callees]
    bundle.routine(*(f"logs/{name}.log" for name in names))
    bundle.fails(f"logs/{teller}.log", line, at=FAILS_AT)
    found = investigate(bundle.write(folder / "bundle"), QUESTION)
    assert [*problems(found.evidence, found.calls), *lowered(found, QUESTION)] == []
    return found


@pytest.mark.parametrize(
    "text",
    [
        "READONLY You can't write against a read only replica.",
        "MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.",
        "cannot execute INSERT in a read-only transaction",
        "The MySQL server is running with the --read-only option so it cannot execute this statement",
        "MongoServerError: NotWritablePrimary: not primary",
        "MISCONF Errors writing to the AOF file: No such device",
        "NOREPLICAS Not enough good replicas to write.",
        "insert rejected: the server is in read-only mode",
        "write refused: read-only mode",
        "blocked by: [FORBIDDEN/12/index read-only / allow delete (api)]",
    ],
)
def test_a_refusal_of_writes_is_of_the_store(text: str) -> None:
    stated = stated_by(text)

    assert stated is not None
    assert (stated.fault, stated.outright, stated.is_of_peer) == ("dependency.read_only", False, True)


@pytest.mark.parametrize(
    "text",
    [
        "opened the catalogue in read-only mode",
        "begin read-only transaction 7",
        "node is read-only: false",
        "added read-only replica db-2",
        "settings: index read-only=false",
        "edit refused for user 17: account is in read-only mode",
        "permission denied: dashboard shared in read-only mode",
        "can't open the editor, falling back to read-only mode",
        "statement 7 cannot be cached in a read-only transaction",
        "setting noreplicas is off, misconf is off",
        "was running with the --read-only option until 09:00",
    ],
)
def test_what_is_only_to_be_read_refuses_nothing(text: str) -> None:
    assert stated_by(text) is None
    assert fault_of_line(text) == ""


@pytest.mark.parametrize(
    ("text", "of_peer"),
    [
        ("OOM command not allowed when used memory > 'maxmemory'", True),
        ("psycopg2.errors.DiskFull: could not extend file: No space left on device", True),
        ("write refused: disk is full, read-only mode", True),
        ("OSError: [Errno 28] No space left on device: 'x.tmp'", False),
        ("probe answered 500: write: No space left on device", False),
        ("java.lang.OutOfMemoryError: Java heap space", False),
    ],
)
def test_what_is_full_is_of_the_store_only_where_a_store_answers(text: str, of_peer: bool) -> None:
    stated = stated_by(text)

    assert stated is not None
    assert stated.is_of_peer is of_peer


@pytest.mark.parametrize(
    ("line", "fault"), [(REPLICA, "dependency.read_only"), (FULL, "disk.exhausted")], ids=["replica", "full"]
)
@pytest.mark.parametrize(
    ("callees", "named"),
    [
        (("rates", "postgres"), ""),
        (("vault", "shelf"), " from shelf:7000"),
        (("redis", "postgres"), " redis"),
    ],
    ids=["the only store", "a host", "a product"],
)
def test_the_store_is_a_direction(
    line: str, fault: str, callees: tuple[str, ...], named: str, tmp_path: Path
) -> None:
    found = told(line + named, callees, tmp_path)

    store = {"": "postgres", " redis": "redis"}.get(named, "shelf")
    assert found.suspects == [(store, fault, "possible")]
    assert "cart first logged" in found.of_type("cause")[0].statement


@pytest.mark.parametrize(
    "line", [REPLICA, FULL, "ERROR OOM command not allowed when used memory > 'maxmemory'."]
)
@pytest.mark.parametrize("known", [True, False])
def test_a_store_that_nobody_names_is_not_guessed_and_the_client_is_not_blamed(
    line: str, known: bool, tmp_path: Path
) -> None:
    found = told(line, ("cache", "ledger-db"), tmp_path, known=known)

    assert found.suspects == []
    assert UNKNOWN in found.evidence.evidence_gaps
    assert any(each.statement.startswith("cart logged") for each in found.evidence.claims)


def test_without_a_topology_a_log_of_its_own_makes_it_known(tmp_path: Path) -> None:
    found = told(f"{REPLICA} (vault:6379)", ("vault", "shelf"), tmp_path, known=False)

    assert found.suspects == [("vault", "dependency.read_only", "possible")]


def test_what_the_store_says_of_itself_proves_it(tmp_path: Path) -> None:
    found = told(FULL, ("postgres",), tmp_path, teller="postgres")

    assert found.suspects == [("postgres", "disk.exhausted", "confirmed")]


def test_the_words_of_the_refusal_are_what_is_told(tmp_path: Path) -> None:
    error = "READONLY You can't write against a read only replica."
    found = told(f'level=error msg="cannot store basket" err="{error}"', ("redis",), tmp_path)

    said = [each.statement for each in found.evidence.claims if each.claim_type in ("impact", "symptom")]
    assert said[0].startswith(f'cart logged "{error}" 150 times')


def test_a_client_that_is_called_like_a_store_is_none(tmp_path: Path) -> None:
    bundle = PlainLogs()
    bundle.services = {name: [f"logs/{name}.log"] for name in ("queue-worker", "vault-db")}
    bundle.calls = [("queue-worker", "vault-db")]
    bundle.routine("logs/queue-worker.log", "logs/vault-db.log")
    bundle.fails("logs/queue-worker.log", REPLICA)

    found = investigate(bundle.write(tmp_path / "bundle"), QUESTION)

    assert found.suspects == [("vault-db", "dependency.read_only", "possible")]


def test_a_change_of_the_store_explains_that_it_takes_no_writes(tmp_path: Path) -> None:
    bundle = PlainLogs()
    bundle.services = {name: [f"logs/{name}.log"] for name in ("cart", "redis")}
    bundle.calls = [("cart", "redis")]
    bundle.routine("logs/cart.log", "logs/redis.log")
    bundle.change(FAILS_AT - 5, "redis", "redis primary moved to node-b", "config")
    bundle.fails("logs/redis.log", "ERROR replication lag grows", at=FAILS_AT - 1)
    bundle.fails("logs/cart.log", REPLICA)

    found = investigate(bundle.write(tmp_path / "bundle"), QUESTION)

    assert [suspect[:2] for suspect in found.suspects] == [("redis", "config.changed")]
