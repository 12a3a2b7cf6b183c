"""A deploy replaces processes one by one: an orchestrator runs with older agents, and the reverse."""

from pathlib import Path

import pytest
from assay.common.v1 import context_pb2, evidence_pb2
from assay.orchestrator.v1 import diagnosis_pb2, diagnosis_pb2_grpc, run_pb2, status_pb2, status_pb2_grpc

from services.common.processes import AGENTS
from tests.fuzz.servers import BUNDLE, Servers, servers
from tests.rolling.older import Contracts, Older

PLAN, EXECUTE = "/assay.planner.v1.PlannerService/Plan", "/assay.executor.v1.ExecutorService/Execute"
VERIFY, COMPOSE = "/assay.verifier.v1.VerifierService/Verify", "/assay.composer.v1.ComposerService/Compose"
PROCESS = "/assay.common.v1.ProcessService/GetProcess"


async def diagnosed(running: Servers) -> run_pb2.Run:
    stub = diagnosis_pb2_grpc.DiagnosisServiceStub(running.channels["orchestrator"])
    scope = context_pb2.Scope(bundle=BUNDLE)
    request = diagnosis_pb2.DiagnoseRequest(question="Why does api fail?", scope=scope)
    messages = [message async for message in stub.Diagnose(request, timeout=60)]
    return messages[-1].run


def shown(run: run_pb2.Run) -> tuple[str, str, list[str]]:
    """Return what must not depend on the versions: status, verdict, suspects."""
    return (
        run_pb2.RunStatus.Name(run.status),
        evidence_pb2.Verdict.Name(run.effective_verdict),
        [suspect.component for suspect in run.suspects],
    )


@pytest.mark.parametrize(
    ("requests", "responses"),
    [(False, True), (True, False), (True, True)],
    ids=["agents", "orchestrator", "both"],
)
async def test_a_run_ends_alike_when_one_side_is_older(
    tmp_path: Path, requests: bool, responses: bool
) -> None:
    async with servers(tmp_path / "new") as running:
        today = await diagnosed(running)
    older = Older(requests, responses)
    async with servers(tmp_path / "old", between=older.before) as running:
        run = await diagnosed(running)
        assert not running.log.taken()
    assert today.status == run_pb2.RUN_STATUS_SUCCEEDED
    assert shown(run) == shown(today)
    # Something was taken away: the older version did not know it.
    taken = {key for key, count in older.taken.items() if count}
    assert ({(path, "response") for path in (PLAN, EXECUTE, VERIFY, COMPOSE)} <= taken) == responses
    # What the planner is told of tools came from the executor, whose answer an older one had cut before.
    assert ((PLAN, "request") in taken) == (requests and not responses)


async def test_agents_without_a_service_that_is_newer_are_told_of(tmp_path: Path) -> None:
    older = Older(requests=True, responses=True)
    assert not older.contracts.has(PROCESS)
    async with servers(tmp_path, between=older.before) as running:
        stub = status_pb2_grpc.StatusServiceStub(running.channels["orchestrator"])
        status = await stub.GetStatus(status_pb2.GetStatusRequest(), timeout=60)
    assert [agent.name for agent in status.agents] == list(AGENTS)
    assert {agent.problem for agent in status.agents} == {
        "it does not describe itself: it is older than the orchestrator, or something else"
    }
    assert {agent.ready for agent in status.agents} == {True}


async def test_what_was_always_needed_is_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The positive control: a version that lacks what a run cannot do without."""
    kept = Contracts.response

    def emptied(contracts: Contracts, path: str, data: bytes) -> bytes:
        return b"" if path == PLAN else kept(contracts, path, data)

    monkeypatch.setattr(Contracts, "response", emptied)
    async with servers(tmp_path, between=Older(requests=False, responses=True).before) as running:
        run = await diagnosed(running)
    assert run.status == run_pb2.RUN_STATUS_DEGRADED
    assert run.failure.node == "planner"
