"""What every adapter of the store port does. An adapter's test module subclasses this and gives a `store`."""

import asyncio
import hashlib
import json

import pytest
from assay.common.v1 import evidence_pb2
from assay.common.v1.context_pb2 import DiagnosisContext, TimeWindow
from assay.common.v1.tool_pb2 import Invocation
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent, Run, RunSummary
from assay.orchestrator.v1.state_pb2 import RunState
from google.protobuf.timestamp_pb2 import Timestamp

from orchestrator.store.port import (
    MAX_CHANNELS,
    OWN_CHANNEL,
    Cursor,
    Retention,
    Selection,
    StepConflictError,
    Store,
    Submission,
)
from services.common.errors import AlreadyExistsError, FailedPreconditionError, NotFoundError

# Bytes that are neither text nor JSON, with the NUL that text columns of databases refuse.
OUTPUT = b'{"lines": ["a\x00b", "\xc3\xa9"]}\xff'


ALL = Selection(frozenset(), TimeWindow())
SUBMISSION = Submission("a key\x00é", b"\x00digest")


def a_run(run_id: str = "run-1", second: int = 1, nanos: int = 0) -> Run:
    return Run(
        run_id=run_id,
        status=run_pb2.RUN_STATUS_RUNNING,
        context=DiagnosisContext(question="why\x00? é"),
        create_time=Timestamp(seconds=second, nanos=nanos),
    )


async def listed(
    store: Store, selection: Selection = ALL, after: Cursor | None = None, limit: int = 100
) -> list[str]:
    return [run.run_id for run in await store.runs(selection, after, limit)]


def place(run: Run) -> Cursor:
    return Cursor(run.create_time, run.run_id)


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

    async def test_a_submission_begins_one_run(self, store: Store) -> None:
        assert await store.submitted(SUBMISSION) is None
        assert await store.create_run(a_run(), RunState(), SUBMISSION) == "run-1"
        assert await store.create_run(a_run("run-2"), RunState(), SUBMISSION) == "run-1"
        assert await store.submitted(SUBMISSION) == "run-1"
        assert await store.running() == ["run-1"]
        assert await store.create_run(a_run("run-3"), RunState(), Submission("other", b"x")) == "run-3"

    async def test_of_equal_submissions_at_once_one_begins_a_run(self, store: Store) -> None:
        begun = await asyncio.gather(
            *(store.create_run(a_run(f"run-{number}"), RunState(), SUBMISSION) for number in range(8))
        )
        assert len(set(begun)) == 1
        assert await store.running() == begun[:1]

    async def test_a_key_with_another_request_is_refused_and_stores_nothing(self, store: Store) -> None:
        await store.create_run(a_run(), RunState(), SUBMISSION)
        other = Submission(SUBMISSION.key, b"another digest")
        with pytest.raises(AlreadyExistsError):
            await store.create_run(a_run("run-2"), RunState(), other)
        with pytest.raises(AlreadyExistsError):
            await store.submitted(other)
        assert await store.running() == ["run-1"]

    async def test_a_run_that_cannot_be_created_takes_no_key(self, store: Store) -> None:
        await store.create_run(a_run(), RunState())
        with pytest.raises(AlreadyExistsError):
            await store.create_run(a_run(), RunState(), SUBMISSION)
        assert await store.submitted(SUBMISSION) is None

    async def test_a_list_shows_runs_as_they_stand_the_newest_first(self, store: Store) -> None:
        for number in (2, 3, 1):
            await store.create_run(a_run(f"run-{number}", second=number), RunState())
        end = ended("run-3")
        end.create_time.seconds = 3
        end.end_time.seconds = 9
        end.failure.reason_code = "why"
        end.suspects.add(component="api")
        end.suspects.add(component="db")
        await store.end_run(end)
        shown = await store.runs(ALL, None, 100)
        assert [run.run_id for run in shown] == ["run-3", "run-2", "run-1"]
        assert shown[0] == RunSummary(
            run_id="run-3",
            status=end.status,
            context=end.context,
            create_time=end.create_time,
            end_time=end.end_time,
            effective_verdict=end.effective_verdict,
            failure=end.failure,
            first_suspect=end.suspects[0],
        )
        assert shown[1].status == run_pb2.RUN_STATUS_RUNNING
        assert not shown[1].HasField("end_time")

    async def test_parts_of_a_second_count_in_a_list(self, store: Store) -> None:
        for name, nanos in (("a", 0), ("b", 900_000_000), ("c", 120_000_000), ("d", 123_456_789)):
            await store.create_run(a_run(name, nanos=nanos), RunState())
        assert await listed(store) == ["b", "d", "c", "a"]
        assert await store.running() == ["a", "c", "d", "b"]

    async def test_pages_hold_every_run_once_whatever_begins_meanwhile(self, store: Store) -> None:
        # Two runs per instant, so that a page ends between equal times.
        runs = [a_run(f"run-{number}", second=1 + number // 2) for number in range(9)]
        for run in runs:
            await store.create_run(run, RunState())
        seen: list[str] = []
        after: Cursor | None = None
        while page := await store.runs(ALL, after, 2):
            seen += [run.run_id for run in page]
            after = Cursor(page[-1].create_time, page[-1].run_id)
            await store.create_run(a_run(f"later-{len(seen)}", second=99), RunState())
        assert seen == [run.run_id for run in reversed(runs)]

    async def test_a_page_goes_on_after_a_run_that_is_gone(self, store: Store) -> None:
        for number in (1, 2, 3):
            await store.create_run(a_run(f"run-{number}", second=number), RunState())
        end = ended("run-2")
        end.create_time.seconds = 2
        await store.end_run(end)
        assert await store.prune(Retention()) == 1
        assert await listed(store, after=place(end)) == ["run-1"]

    async def test_a_list_is_filtered_by_status_and_by_time(self, store: Store) -> None:
        for number in range(1, 6):
            await store.create_run(a_run(f"run-{number}", second=number), RunState())
        await store.end_run(ended("run-2"))
        running = Selection(frozenset({run_pb2.RUN_STATUS_RUNNING}), TimeWindow())
        assert await listed(store, running) == ["run-5", "run-4", "run-3", "run-1"]
        several = frozenset({run_pb2.RUN_STATUS_RUNNING, run_pb2.RUN_STATUS_SUCCEEDED})
        window = TimeWindow(start=Timestamp(seconds=2), end=Timestamp(seconds=4))
        assert await listed(store, Selection(several, window)) == ["run-3", "run-2"]
        since = TimeWindow(start=Timestamp(seconds=4, nanos=1))
        assert await listed(store, Selection(frozenset(), since)) == ["run-5"]
        until = TimeWindow(end=Timestamp(seconds=2))
        assert await listed(store, Selection(frozenset(), until)) == ["run-1"]
        assert await listed(store, running, after=place(a_run("run-4", second=4)), limit=1) == ["run-3"]

    async def test_pruning_forgets_the_oldest_ended_runs_with_all_they_have(self, store: Store) -> None:
        for number in range(1, 6):
            submission = Submission(f"key-{number}", b"digest")
            await store.create_run(a_run(f"run-{number}", second=number), RunState(), submission)
            await store.add_invocation(f"run-{number}", an_invocation())
            if number != 1:
                await store.end_run(ended(f"run-{number}"))
        assert await store.prune(Retention(9)) == 0
        assert await store.prunable(Retention(2)) == 2
        assert await store.prune(Retention(2)) == 2
        assert await listed(store) == ["run-5", "run-4", "run-1"]
        assert await store.calls("run-2") == []
        assert await store.submitted(Submission("key-2", b"another")) is None
        assert await store.submitted(Submission("key-5", b"digest")) == "run-5"

    async def test_pruning_by_age_forgets_what_began_before_an_instant(self, store: Store) -> None:
        for number in range(1, 6):
            await store.create_run(a_run(f"run-{number}", second=number), RunState())
            if number != 2:
                end = ended(f"run-{number}")
                end.create_time.seconds = number
                await store.end_run(end)
        bound = Retention(created_before=Timestamp(seconds=4))
        assert await store.prunable(bound) == 2
        assert len(await listed(store)) == 5
        assert await store.prune(bound) == 2
        assert await listed(store) == ["run-5", "run-4", "run-2"]
        assert await store.prunable(bound) == 0

    async def test_channels_are_bounded_and_the_orchestrator_s_own_is_not_counted(self, store: Store) -> None:
        await store.create_run(a_run(), RunState())
        names = [f"channel_{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"[:MAX_CHANNELS]]
        for name in names:
            await store.write_channel("run-1", name, "1")
        with pytest.raises(FailedPreconditionError):
            await store.write_channel("run-1", "one_more", "1")
        await store.write_channel("run-1", names[0], "2")
        await store.write_channel("run-1", OWN_CHANNEL, "3")
        await store.write_channel("run-1", names[1], "4")
        written = json.loads((await store.run("run-1")).self_evaluation_json)
        assert written == dict.fromkeys(names, 1) | {names[0]: 2, OWN_CHANNEL: 3, names[1]: 4}

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
