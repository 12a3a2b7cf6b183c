"""Who may call what, on real servers with certificates: every method of every process, every kind of caller.

`make matrix` prints the table.
"""

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf.descriptor import ServiceDescriptor
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from services.common.errors import PermissionDeniedError
from services.common.processes import SERVICES
from services.common.rpc import server
from services.common.rpc.callers import TABLE, Role, role_of
from services.common.rpc.identity import Peers, allowed_roles
from services.common.rpc.interceptors import anybody
from tests.contract.test_isolation import CONTRACTS
from tests.fakes.certificates import DOMAIN, USER, Trust
from tests.fuzz.servers import METHODS, servers
from tests.matrix.callers import KINDS, Decision
from tests.matrix.decisions import as_table, made, rows


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return Trust(tmp_path / "certificates")


async def test_every_caller_may_call_exactly_what_is_its_own(tmp_path: Path, trust: Trust) -> None:
    async with servers(tmp_path, trust.settings) as running:
        calls = await made(running, trust)
        # Nobody was refused into a broken service.
        assert not running.log.taken()
    table = as_table(calls)
    assert len(calls) == len(list(rows())) * len(KINDS)
    assert {call.found for call in calls} == set(Decision)
    assert not [call for call in calls if call.is_wrong], table
    assert "wrong decisions 0\n" in table


async def test_without_the_check_the_matrix_shows_wrong_decisions(
    tmp_path: Path, trust: Trust, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_caller", lambda _: anybody)
    async with servers(tmp_path, trust.settings) as running:
        calls = await made(running, trust, processes=["gatekeeper"])
    wrong = [call for call in calls if call.is_wrong]
    assert {call.kind.name for call in wrong} >= {
        "planner",
        "stranger",
        "common name",
        "two URI names",
        "metadata",
    }
    assert {call.found for call in wrong} == {Decision.ALLOWED}
    assert f"wrong decisions {len(wrong)}\n" in as_table(calls)


def services() -> Iterator[ServiceDescriptor]:
    for name in CONTRACTS:
        yield from importlib.import_module(f"assay.{name}_pb2").DESCRIPTOR.services_by_name.values()
    yield health_pb2.DESCRIPTOR.services_by_name["Health"]
    yield reflection_pb2.DESCRIPTOR.services_by_name["ServerReflection"]


def test_every_method_has_a_row_and_every_row_its_method() -> None:
    methods = {f"/{service.full_name}/{method.name}" for service in services() for method in service.methods}
    assert methods == set(TABLE)


def test_every_process_has_methods_in_the_matrix() -> None:
    assert {row.process for row in rows()} == set(SERVICES)
    assert {method.path for method in METHODS.values()} <= {row.path for row in rows()}


def test_a_method_without_a_row_is_denied_to_everybody() -> None:
    path = "/assay.scribe.v1.ScribeService/Write"
    with pytest.raises(PermissionDeniedError, match="no row"):
        allowed_roles(path)
    shows = {"peer_uri": [USER.encode()], "peer_spiffe_id": [USER.encode()]}
    with pytest.raises(PermissionDeniedError, match="no row"):
        Peers(DOMAIN, frozenset({USER})).check(path, shows)


@pytest.mark.parametrize(
    ("identity", "role"),
    [
        ("spiffe://assay.local/planner", Role.PLANNER),
        ("spiffe://assay.local/orchestrator", Role.ORCHESTRATOR),
        ("https://example.org/alice", Role.USER),
        # Listing a service among the users makes it no user.
        ("spiffe://assay.local/verifier", Role.VERIFIER),
        ("spiffe://assay.local/user", None),
        ("spiffe://assay.local/", None),
        ("spiffe://assay.local.example/planner", None),
        ("https://example.org/alice/", None),
        ("planner", None),
        ("", None),
    ],
)
def test_a_role_is_that_of_the_whole_identity(identity: str, role: Role | None) -> None:
    users = frozenset({"https://example.org/alice", "spiffe://assay.local/verifier"})
    assert role_of(identity, "assay.local", users) is role
