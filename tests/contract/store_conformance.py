"""What every adapter of the store port does. An adapter's test module subclasses this and gives a `store`."""

import asyncio
import hashlib
import json

import pytest
from assay.common.v1 import evidence_pb2
from assay.common.v1.context_pb2 import DiagnosisContext
from assay.common.v1.tool_pb2 import Invocation
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent, Run
from assay.orchestrator.v1.state_pb2 import RunState
from google.protobuf.timestamp_pb2 import Timestamp

from orchestrator.store.port import StepConflictError, Store
from services.common.errors import AlreadyExistsError, NotFoundError

# Bytes that are neither text nor JSON, with the NUL that text columns of databases refuse.
OUTPUT = b'{"lines": ["a\x00b", "\xc3\xa9"]}\xff'


def a_run(run_id: str = "run-1", second: int = 1) -> Run:
    return Run(
        run_id=run_id,
        status=run_pb2.RUN_STATUS_RUNNING,
        context=DiagnosisContext(question="why\x00? é"),
        create_time=Timestamp(seconds=second),
    )


def ended(run_id: str = "run-1") -> Run:
    run = a_run(run_id)
    run.status = run_pb2.RUN_STATUS_SUCCEEDED
    run.effective_verdict = evidence_pb2.VERDICT_PASS
    return run


def an_event(sequence: int) -> OrchestrationEvent:
    return OrchestrationEvent(
        sequence=sequence, node="planner", outcome="COMPLETED", reason_code="completed", attempt=1
    )


def an_invocation(invocation_id: str = "inv-1", output: bytes = OUTPUT) -> Invocation:
    return Invocation(
        id=invocation_id,
        tool_name="logs_search",
        arguments_json=b"{}",
        output=output,
        output_sha256=hashlib.sha256(output).hexdigest(),
    )


class StoreConformance:
    """Inherited by the test class of each adapter."""

    async def test_a_run_is_read_back_as_it_was_created(self, store: Store) -> None:
        await store.create_run(a_run(), RunState(planner_retry_count=1))
        run = await store.run("run-1")
        assert json.loads(run.self_evaluation_json) == {}
        run.ClearField("self_evaluation_json")
        assert run == a_run()
        assert (await store.checkpoint("run-1")).planner_retry_count == 1
        assert await store.running() == ["run-1"]

    async def test_an_id_is_taken_once(self, store: Store) -> None:
        await store.create_run(a_run(), RunState())
        with pytest.raises(AlreadyExistsError):
            await store.create_run(a_run(), RunState())

    async def test_a_step_appends_its_event_and_replaces_the_checkpoint(self, store: Store) -> None:
        await store.create_run(a_run(), RunState())
        await store.record_step("run-1", an_event(1), RunState(planner_retry_count=1))
        await store.record_step("run-1", an_event(2), RunState(evidence_retry_count=1))
        history = await store.history("run-1")
        assert [event.sequence for event in history.events] == [1, 2]
        assert history.evidence_retry_count == 1
        assert history.status == run_pb2.RUN_STATUS_RUNNING
        assert await store.checkpoint("run-1") == RunState(evidence_retry_count=1)

    @pytest.mark.parametrize("sequence", [0, 1, 3])
    async def test_only_the_next_step_is_recorded(self, store: Store, sequence: int) -> None:
        await store.create_run(a_run(), RunState())
        await store.record_step("run-1", an_event(1), RunState(planner_retry_count=1))
        with pytest.raises(StepConflictError):
            await store.record_step("run-1", an_event(sequence), RunState())
        assert len((await store.history("run-1")).events) == 1
        assert (await store.checkpoint("run-1")).planner_retry_count == 1

    async def test_of_two_equal_steps_at_once_one_is_recorded(self, store: Store) -> None:
        await store.create_run(a_run(), RunState())
        results = await asyncio.gather(
            *(store.record_step("run-1", an_event(1), RunState()) for _ in range(5)), return_exceptions=True
        )
        assert sum(result is None for result in results) == 1
        assert sum(isinstance(result, StepConflictError) for result in results) == 4

    async def test_an_ended_run_takes_no_step_and_ends_once(self, store: Store) -> None:
        await store.create_run(a_run(), RunState())
        await store.end_run(ended())
        assert (await store.run("run-1")).effective_verdict == evidence_pb2.VERDICT_PASS
        assert (await store.history("run-1")).status == run_pb2.RUN_STATUS_SUCCEEDED
        assert await store.running() == []
        with pytest.raises(StepConflictError):
            await store.record_step("run-1", an_event(1), RunState())
        with pytest.raises(StepConflictError):
            await store.end_run(ended())
        with pytest.raises(NotFoundError):
            await store.checkpoint("run-1")

    async def test_an_invocation_is_read_back_byte_for_byte(self, store: Store) -> None:
        await store.create_run(a_run(), RunState())
        await store.add_invocation("run-1", an_invocation())
        assert await store.invocation("run-1", "inv-1") == an_invocation()

    async def test_calls_come_without_outputs_in_order(self, store: Store) -> None:
        await store.create_run(a_run(), RunState())
        for name in ("inv-b", "inv-a", "inv-c"):
            await store.add_invocation("run-1", an_invocation(name))
        calls = await store.calls("run-1")
        assert [call.invocation.id for call in calls] == ["inv-b", "inv-a", "inv-c"]
        assert {call.invocation.output for call in calls} == {b""}
        assert {call.output_bytes for call in calls} == {len(OUTPUT)}

    async def test_outputs_of_the_run_only(self, store: Store) -> None:
        await store.create_run(a_run(), RunState())
        await store.create_run(a_run("run-2"), RunState())
        await store.add_invocation("run-1", an_invocation())
        await store.add_invocation("run-2", an_invocation("inv-1", b"other"))
        await store.add_invocation("run-2", an_invocation("inv-2", b"other"))
        assert await store.outputs("run-1", ["inv-1", "inv-2", "inv-3"]) == {"inv-1": OUTPUT}
        assert await store.outputs("run-1", []) == {}
        many = [f"no-{number}" for number in range(2_000)]
        assert await store.outputs("run-2", [*many, "inv-2"]) == {"inv-2": b"other"}

    async def test_an_invocation_id_is_taken_once_per_run(self, store: Store) -> None:
        await store.create_run(a_run(), RunState())
        await store.add_invocation("run-1", an_invocation())
        with pytest.raises(AlreadyExistsError):
            await store.add_invocation("run-1", an_invocation(output=b"other"))
        assert (await store.invocation("run-1", "inv-1")).output == OUTPUT

    async def test_channels_survive_each_other(self, store: Store) -> None:
        await store.create_run(a_run(), RunState())
        await store.write_channel("run-1", "rule_evaluation", '{"score": 0.50}')
        await store.write_channel("run-1", "aiops_rule_evaluation", '["a\\u0000b"]')
        await store.write_channel("run-1", "verifier_evaluation", '{"verdict": "PASS"}')
        await store.write_channel("run-1", "verifier_evaluation", '{"verdict": "REJECT"}')
        await store.end_run(ended())
        assert json.loads((await store.run("run-1")).self_evaluation_json) == {
            "rule_evaluation": {"score": 0.5},
            "aiops_rule_evaluation": ["a\x00b"],
            "verifier_evaluation": {"verdict": "REJECT"},
        }

    async def test_channels_written_at_once_all_arrive(self, store: Store) -> None:
        await store.create_run(a_run(), RunState())
        names = [f"channel_{letter}" for letter in "abcdefgh"]
        await asyncio.gather(*(store.write_channel("run-1", name, "1") for name in names))
        written = json.loads((await store.run("run-1")).self_evaluation_json)
        assert written == dict.fromkeys(names, 1)

    @pytest.mark.parametrize("name", ["", "a.b", "$", "a']", "Upper", "x" * 65])
    async def test_a_channel_name_is_a_plain_word(self, store: Store, name: str) -> None:
        await store.create_run(a_run(), RunState())
        with pytest.raises(ValueError, match="channel"):
            await store.write_channel("run-1", name, "1")

    async def test_what_does_not_exist_is_not_found(self, store: Store) -> None:
        await store.create_run(a_run(), RunState())
        for missing in (
            store.run("no"),
            store.history("no"),
            store.checkpoint("no"),
            store.invocation("run-1", "no"),
            store.invocation("no", "inv-1"),
            store.add_invocation("no", an_invocation()),
            store.write_channel("no", "rule_evaluation", "1"),
            store.end_run(ended("no")),
        ):
            with pytest.raises(NotFoundError):
                await missing

    async def test_a_cancelled_step_is_there_whole_or_not_at_all(self, store: Store) -> None:
        await store.create_run(a_run(), RunState())
        for hops in range(12):
            before = len((await store.history("run-1")).events)
            step = asyncio.create_task(
                store.record_step("run-1", an_event(before + 1), RunState(planner_retry_count=before + 1))
            )
            for _ in range(hops):
                await asyncio.wait([step], timeout=0.0005)
            step.cancel()
            await asyncio.wait([step])
            after = len((await store.history("run-1")).events)
            assert (await store.checkpoint("run-1")).planner_retry_count == after
