"""Submitted runs, those who follow them, those who end them, and the list of them."""

import asyncio
import json
from contextlib import aclosing
from pathlib import Path

import grpc
import grpc.aio
import pytest
from assay.common.v1.context_pb2 import Scope
from assay.common.v1.evidence_pb2 import Classification
from assay.orchestrator.v1 import diagnosis_pb2, run_pb2
from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseResponse
from assay.orchestrator.v1.state_pb2 import RunState
from google.protobuf.timestamp_pb2 import Timestamp

from orchestrator.clock import SystemClock
from orchestrator.store.sqlite import open_store
from tests.fakes.agents import (
    CATALOG,
    METHODS,
    Agents,
    Outcome,
    Stack,
    cause,
    executed,
    hanging,
    judging,
    stack,
)

CANCELLED = run_pb2.RUN_STATUS_CANCELLED
SUCCEEDED = run_pb2.RUN_STATUS_SUCCEEDED
RUNNING = run_pb2.RUN_STATUS_RUNNING


async def arrived(running: Stack, name: str) -> None:
    async with asyncio.timeout(60):
        await running.agents.all()[name].arrival(METHODS[name]).wait()


async def page(
    running: Stack, request: diagnosis_pb2.ListRunsRequest | None = None
) -> diagnosis_pb2.ListRunsResponse:
    return await running.stub.ListRuns(request or diagnosis_pb2.ListRunsRequest(), timeout=60)


async def test_a_submitted_run_goes_on_without_its_caller(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        run_id = await running.submit()
        watched = await running.watch(run_id)
        assert watched.run.status == SUCCEEDED
        assert watched.run == await running.stored(run_id)


async def test_a_submitted_run_is_the_same_as_a_diagnosed_one(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        submitted = (await running.watch(await running.submit())).run
        diagnosed = (await running.diagnose()).run
    for run in (submitted, diagnosed):
        for field in ("run_id", "create_time", "end_time"):
            run.ClearField(field)
    assert submitted == diagnosed


async def test_the_same_submission_is_the_same_run_however_often_and_whenever(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db", max_runs=1, max_waiting_runs=7) as running:
        at_once = await asyncio.gather(*(running.submit() for _ in range(8)))
        assert (await running.watch(at_once[0])).run.status == SUCCEEDED
        assert {await running.submit(), *at_once} == set(at_once[:1])
        assert len((await page(running)).runs) == 1
        await running.agents.executor.kill()
        assert await running.submit() == at_once[0]
        assert len(running.agents.planner.wire["Plan"]) == 1
    async with stack(tmp_path / "runs.db") as running:
        assert await running.submit() == at_once[0]


class MovedClock(SystemClock):
    """The machine's clock, moved on by a test."""

    ahead = 0.0

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead


async def test_submitted_runs_wait_for_their_turn_and_their_time_counts_from_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = MovedClock()
    monkeypatch.setattr("orchestrator.composition.SystemClock", lambda: clock)
    agents = hanging("planner")
    async with stack(tmp_path / "runs.db", agents, max_runs=1, run_seconds=300) as running:
        first = await running.submit("key-1")
        await arrived(running, "planner")
        second = await running.submit("key-2")
        assert (await running.stored(second)).status == RUNNING
        agents.planner.replies["Plan"] = Agents().planner.replies["Plan"]
        # While it waits, more time passes than a run has.
        clock.ahead = 301.0
        await running.cancel(first)
        assert (await running.watch(second)).run.status == SUCCEEDED


async def test_two_hundred_submissions_at_once_all_end(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        ids = await asyncio.gather(*(running.submit(f"key-{number}") for number in range(200)))
        async with asyncio.timeout(300):
            ends = await asyncio.gather(*(running.watch(run_id) for run_id in ids))
    assert len(set(ids)) == 200
    assert {end.run.status for end in ends} == {SUCCEEDED}


async def test_a_run_is_followed_from_the_begin_as_its_caller_saw_it(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db", hanging("planner")) as running:
        run_id = await running.submit()
        await arrived(running, "planner")
        following = [running.watching(run_id) for _ in range(3)]
        begun = [[await anext(messages)] for messages in following]
        await running.agents.planner.kill()
        followers = [
            Outcome([*first, *[message async for message in messages]])
            for first, messages in zip(begun, following, strict=True)
        ]
        late = await running.watch(run_id)
        trace = await running.trace(run_id)
    for outcome in [*followers, late]:
        events = [item.event for item in outcome.messages if item.HasField("event")]
        assert events == list(trace.events)
        assert outcome.messages[0].started.run_id == run_id
        assert outcome.run == late.run
    assert [item.WhichOneof("payload") for item in late.messages] == [
        "started",
        *["event"] * len(trace.events),
        "run",
    ]


@pytest.mark.parametrize("after", [0, 1, 3, 99])
async def test_a_run_is_followed_from_any_event(tmp_path: Path, after: int) -> None:
    async with stack(tmp_path / "runs.db", hanging("gatekeeper")) as running:
        run_id = await running.submit()
        await arrived(running, "gatekeeper")
        async with aclosing(running.watching(run_id, after)) as messages:
            seen = [await anext(messages)]
            seen += [await anext(messages) for _ in range(2 - min(after, 2))]
            await running.agents.gatekeeper.kill()
            seen += [message async for message in messages]
        ended = await running.watch(run_id, after)
    sequences = [item.event.sequence for item in seen if item.HasField("event")]
    assert sequences == list(range(after + 1, 5))
    assert sequences == [item.event.sequence for item in ended.messages if item.HasField("event")]
    assert seen[-1].run == ended.run


async def test_a_follower_that_leaves_changes_nothing(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db", hanging("verifier")) as running:
        run_id = await running.submit()
        await arrived(running, "verifier")
        call = running.stub.WatchRun(diagnosis_pb2.WatchRunRequest(run_id=run_id), timeout=60)
        await anext(aiter(call))
        call.cancel()
        assert (await running.stored(run_id)).status == RUNNING
        await running.agents.verifier.kill()
        assert (await running.watch(run_id)).path[-1] == "fallback:COMPLETED"


async def test_a_diagnosed_run_can_be_followed_and_cancelled_by_others(tmp_path: Path) -> None:
    agents = hanging("verifier")
    async with (
        stack(tmp_path / "runs.db", agents) as running,
        running.diagnosing(agents.verifier, "Verify") as task,
    ):
        run_id = (await page(running)).runs[0].run_id
        watching = asyncio.create_task(running.watch(run_id))
        cancelled = await running.cancel(run_id)
        assert (await task).run == (await watching).run == cancelled
    assert cancelled.failure.reason_code == "cancel_requested"


@pytest.mark.parametrize("name", METHODS)
async def test_a_cancelled_run_ends_at_once_and_so_does_its_call(tmp_path: Path, name: str) -> None:
    # Nothing else ends it in time: the agent never answers, and could take longer than this test waits.
    bounds = {"run_seconds": 600.0, f"{name}_seconds": 600.0}
    async with stack(tmp_path / "runs.db", hanging(name), **bounds) as running:
        run_id = await running.submit()
        await arrived(running, name)
        run = await running.cancel(run_id)
        async with asyncio.timeout(60):
            await running.agents.all()[name].dropped(METHODS[name]).wait()
        assert run == await running.stored(run_id)
        assert await running.cancel(run_id) == run
    assert (run.status, run.failure.reason_code) == (CANCELLED, "cancel_requested")
    assert not run.HasField("answer")
    assert run.HasField("end_time")


async def test_a_run_that_waits_is_cancelled_at_once_and_frees_its_place(tmp_path: Path) -> None:
    agents = hanging("planner")
    async with stack(tmp_path / "runs.db", agents, max_runs=1, max_waiting_runs=1) as running:
        first = await running.submit("key-1")
        await arrived(running, "planner")
        second = await running.submit("key-2")
        assert (await running.cancel(second)).status == CANCELLED
        third = await running.submit("key-3")
        assert len(agents.planner.wire["Plan"]) == 1
        agents.planner.replies["Plan"] = Agents().planner.replies["Plan"]
        await running.cancel(first)
        assert (await running.watch(third)).run.status == SUCCEEDED


async def test_a_run_that_has_ended_stays_as_it_is_when_cancelled(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        run = (await running.diagnose()).run
        assert await running.cancel(run.run_id) == run


async def test_a_stopping_orchestrator_stores_what_it_cancels_of_submitted_runs(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db", hanging("verifier"), max_runs=1) as running:
        walking = await running.submit("key-1")
        await arrived(running, "verifier")
        waiting = await running.submit("key-2")
        watching = asyncio.create_task(running.watch(waiting))
        async with aclosing(running.watching(walking)) as messages:
            await anext(messages)
            await running.stop()
            told = [message async for message in messages][-1].run
        assert (await watching).run.run_id == waiting
        store = await open_store(tmp_path / "runs.db", busy_seconds=1, keep_runs=10)
        runs = [await store.run(walking), await store.run(waiting)]
        assert await store.running() == []
        await store.close()
    assert runs[0] == told
    assert {(run.status, run.failure.reason_code) for run in runs} == {(CANCELLED, "orchestrator_stopped")}


async def test_the_tool_calls_of_a_run_are_listed_without_outputs(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        run_id = (await running.diagnose()).run.run_id
        request = diagnosis_pb2.ListInvocationsRequest(run_id=run_id)
        response = await running.stub.ListInvocations(request, timeout=60)
        assert response.invocations
        for shown in response.invocations:
            assert not shown.invocation.output
            asked = diagnosis_pb2.GetInvocationRequest(run_id=run_id, invocation_id=shown.invocation.id)
            whole = (await running.stub.GetInvocation(asked, timeout=60)).invocation
            assert shown.output_bytes == len(whole.output) > 0
            whole.ClearField("output")
            assert shown.invocation == whole


async def test_a_run_without_tool_calls_has_an_empty_list(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db", hanging("planner")) as running:
        run_id = await running.submit()
        request = diagnosis_pb2.ListInvocationsRequest(run_id=run_id)
        assert not (await running.stub.ListInvocations(request, timeout=60)).invocations


async def test_pruning_by_age_can_be_tried_first(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        ids = [(await running.diagnose()).run.run_id for _ in range(3)]
        newest = (await page(running)).runs[0]
        request = diagnosis_pb2.PruneRunsRequest(created_before=newest.create_time, dry_run=True)
        assert (await running.stub.PruneRuns(request, timeout=60)).forgotten == 2
        assert len((await page(running)).runs) == 3
        request.dry_run = False
        assert (await running.stub.PruneRuns(request, timeout=60)).forgotten == 2
        assert [run.run_id for run in (await page(running)).runs] == ids[-1:]


async def test_a_list_names_the_first_suspect(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        suspects = (await running.diagnose()).run.suspects
        assert (await page(running)).runs[0].first_suspect == suspects[0]


async def test_tools_are_listed_as_the_executor_offers_them(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        for request in (
            diagnosis_pb2.ListToolsRequest(),
            diagnosis_pb2.ListToolsRequest(scope=Scope(bundle="incident")),
        ):
            response = await running.stub.ListTools(request, timeout=60)
            assert response.catalog == CATALOG
            # Word for word what was asked for: no scope stays no scope.
            assert running.agents.executor.requests("ListTools")[-1].HasField("scope") is bool(
                request.HasField("scope")
            )


async def test_runs_are_listed_in_pages(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        ids = [(await running.diagnose()).run.run_id for _ in range(5)]
        seen: list[str] = []
        request = diagnosis_pb2.ListRunsRequest(page_size=2)
        for size in (2, 2, 1):
            response = await page(running, request)
            assert len(response.runs) == size
            seen += [run.run_id for run in response.runs]
            request.page_token = response.next_page_token
            # What begins between two pages is in none of the later ones.
            await running.diagnose()
        whole = await page(running)
    assert seen == ids[::-1]
    assert request.page_token == ""
    assert len(whole.runs) == 8
    assert whole.runs[-1].context.question == "Why does api fail?"
    assert whole.runs[-1].status == SUCCEEDED
    assert whole.runs[-1].HasField("end_time")


async def test_a_page_is_never_larger_than_its_bound(tmp_path: Path) -> None:
    store = await open_store(tmp_path / "runs.db", busy_seconds=1, keep_runs=1000)
    for number in range(103):
        run = run_pb2.Run(run_id=f"run-{number}", status=RUNNING, create_time=Timestamp(seconds=number))
        await store.create_run(run, RunState())
        run.status = SUCCEEDED
        await store.end_run(run)
    await store.close()
    async with stack(tmp_path / "runs.db") as running:
        assert len((await page(running)).runs) == 50
        most = await page(running, diagnosis_pb2.ListRunsRequest(page_size=2_000_000_000))
        assert len(most.runs) == 100
        request = diagnosis_pb2.ListRunsRequest(page_token=most.next_page_token)
        rest = await page(running, request)
    assert [run.run_id for run in rest.runs] == ["run-2", "run-1", "run-0"]
    assert rest.next_page_token == ""


async def test_runs_are_filtered(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db", hanging("verifier")) as running:
        first = await running.submit("key-1")
        await arrived(running, "verifier")
        await running.cancel(first)
        second = await running.submit("key-2")
        created = {run.run_id: run.create_time for run in (await page(running)).runs}
        for status, expected in ((CANCELLED, [first]), (RUNNING, [second]), (SUCCEEDED, [])):
            request = diagnosis_pb2.ListRunsRequest(statuses=[status])
            assert [run.run_id for run in (await page(running, request)).runs] == expected
        request = diagnosis_pb2.ListRunsRequest(statuses=[CANCELLED, RUNNING])
        request.create_time.start.CopyFrom(created[second])
        assert [run.run_id for run in (await page(running, request)).runs] == [second]
        request.ClearField("create_time")
        request.create_time.end.CopyFrom(created[second])
        assert [run.run_id for run in (await page(running, request)).runs] == [first]


async def record(running: Stack, run_id: str, channel: str, value: bytes) -> None:
    request = diagnosis_pb2.RecordEvaluationRequest(run_id=run_id, channel=channel, value_json=value)
    await running.stub.RecordEvaluation(request, timeout=60)


async def test_an_evaluation_is_written_beside_the_others_while_the_run_runs_and_after(
    tmp_path: Path,
) -> None:
    async with stack(tmp_path / "runs.db", hanging("verifier")) as running:
        run_id = await running.submit()
        await arrived(running, "verifier")
        await record(running, run_id, "rule_evaluation", b'{"score": 0.50, "note": "\xc3\xa9\\u0000"}')
        await running.cancel(run_id)
        before = json.loads((await running.stored(run_id)).self_evaluation_json)
        await record(running, run_id, "aiops_rule_evaluation", b"[1]")
        await record(running, run_id, "aiops_rule_evaluation", b"[1e400, 12345678901234567890]")
        data = (await running.stored(run_id)).self_evaluation_json
    after = json.loads(data)
    assert before["rule_evaluation"] == {"score": 0.5, "note": "é\x00"}
    assert after == before | {"aiops_rule_evaluation": after["aiops_rule_evaluation"]}
    assert b"[1e400,12345678901234567890]" in data
    assert after["verifier_evaluation"]["failure"]["reason_code"] == "cancel_requested"


async def test_ended_runs_are_forgotten_when_asked(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        runs = [(await running.diagnose()).run for _ in range(4)]
        running.agents.verifier.replies["Verify"] = hanging("verifier").verifier.replies["Verify"]
        living = await running.submit()
        for keep, forgotten in ((5, 0), (2, 2), (0, 2), (0, 0)):
            response = await running.stub.PruneRuns(diagnosis_pb2.PruneRunsRequest(keep=keep), timeout=60)
            assert response.forgotten == forgotten
        assert [run.run_id for run in (await page(running)).runs] == [living]
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await running.stored(runs[0].run_id)
        assert error.value.code() is grpc.StatusCode.NOT_FOUND
        await running.cancel(living)


async def test_a_slow_follower_of_a_second_cycle_misses_no_event(tmp_path: Path) -> None:
    low = judging(cause_1=Classification.CLASSIFICATION_UNSUPPORTED)
    agents = Agents()
    agents.verifier.replies["Verify"] = [low, low]
    agents.executor.replies["Execute"] = [executed(cause()), executed(calls=())]
    async with stack(tmp_path / "runs.db", agents) as running:
        run_id = await running.submit()
        seen: list[DiagnoseResponse] = []
        async for message in running.watching(run_id):
            seen.append(message)
            # Every message is followed by a call of its own, so that the run is always ahead.
            await running.trace(run_id)
        trace = await running.trace(run_id)
    assert [item.event for item in seen if item.HasField("event")] == list(trace.events)
    assert trace.evidence_retry_count == 1
