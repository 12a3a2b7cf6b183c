"""Followers of a run: each gets what it can hold, none holds up the run, and none outlives its block."""

import asyncio
import gc
import weakref

from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseResponse, RunStarted
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent

from orchestrator.progress import MAX_WAITING, Progress
from orchestrator.watching import watched_messages


def message(number: int) -> DiagnoseResponse:
    return DiagnoseResponse(event=OrchestrationEvent(sequence=number))


async def test_every_follower_gets_what_comes_while_it_follows() -> None:
    progress = Progress()
    progress.publish(message(1))
    with progress.followed() as first:
        progress.publish(message(2))
        with progress.followed() as second:
            progress.publish(message(3))
            progress.end()
            assert [item async for item in second.messages()] == [message(3)]
        assert [item async for item in first.messages()] == [message(2), message(3)]


async def test_following_a_run_that_has_ended_ends_at_once() -> None:
    progress = Progress()
    progress.end()
    with progress.followed() as follower:
        async with asyncio.timeout(60):
            assert [item async for item in follower.messages()] == []


async def test_a_follower_that_does_not_read_loses_the_oldest_and_holds_no_more() -> None:
    progress = Progress()
    with progress.followed() as follower:
        for number in range(MAX_WAITING + 10):
            progress.publish(message(number))
        progress.end()
        kept = [item.event.sequence async for item in follower.messages()]
    assert kept == list(range(10, MAX_WAITING + 10))


async def test_a_follower_is_forgotten_with_its_block() -> None:
    progress = Progress()
    with progress.followed() as follower:
        known = weakref.ref(follower)
    del follower
    gc.collect()
    assert known() is None


async def test_what_is_stored_and_what_comes_are_one_sequence() -> None:
    progress = Progress()
    with progress.followed() as follower:
        progress.publish(DiagnoseResponse(started=RunStarted(run_id="run-1")))
        for number in (1, 2, 3, 4):
            progress.publish(message(number))
        progress.end()
        # The store was read after event 3 had been recorded.
        stored = [OrchestrationEvent(sequence=number) for number in (1, 2, 3)]
        seen = [item async for item in watched_messages("run-1", 1, stored, follower.messages())]
    assert seen == [DiagnoseResponse(started=RunStarted(run_id="run-1")), message(2), message(3), message(4)]
