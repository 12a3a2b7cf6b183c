"""Worker processes: real ones, on a desk of the test's own."""

import asyncio
import os
import pickle
import resource
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from services.common.errors import NotFoundError, UnavailableError
from services.executor.replies import MAX_REPLY_BYTES, WorkerFailedError
from services.executor.sources.stop import StoppedError
from services.executor.workers import OverrunError, Process, WorkerEndedError, Workers
from tests.fakes.command_line import kill, wait_gone
from tests.fakes.held_work import listener
from tests.fakes.processes import is_running, worker_ids
from tests.fakes.worker_desk import CANARY, Notes, Slow


@pytest.fixture
async def workers() -> AsyncIterator[Workers[Notes]]:
    made = Workers(2, Notes, Notes.clear)
    yield made
    await made.close()
    assert worker_ids() == []


async def test_a_process_keeps_what_it_holds_for_one_lease_and_then_forgets_it(
    workers: Workers[Notes],
) -> None:
    assert worker_ids() == []
    async with workers.lease() as worker:
        first = await worker.run(60, Notes.pid)
        await worker.run(60, Notes.add, "one")
        assert await worker.run(60, Notes.add, line="two") == ["one", "two"]
    async with workers.lease() as worker:
        assert await worker.run(60, Notes.pid) == first
        assert await worker.run(60, Notes.add, "three") == ["three"]
    assert first != os.getpid()


async def test_two_leases_work_at_the_same_time_and_the_next_waits_its_turn(workers: Workers[Notes]) -> None:
    leased: list[int] = []

    async def work(number: int, port: int) -> int:
        async with workers.lease() as worker:
            leased.append(number)
            return await worker.run(60, Notes.wait, port)

    async with listener() as held, asyncio.TaskGroup() as tasks:
        started = [tasks.create_task(work(number, held.port)) for number in range(4)]
        first, second = await held.begun(), await held.begun()
        assert len(worker_ids()) == 2
        assert leased == [0, 1]
        for running in (first, second):
            running.close()
        for _ in range(2):
            (await held.begun()).close()
    pids = [task.result() for task in started]
    assert pids[0] != pids[1]
    assert set(pids[2:]) <= set(pids[:2])
    assert leased == [0, 1, 2, 3]


@pytest.mark.parametrize("endless", [Notes.spin, Notes.search])
async def test_what_does_not_end_is_killed_and_the_next_gets_a_new_process(
    workers: Workers[Notes], endless: Callable[[Notes, int], None]
) -> None:
    async with listener() as held, workers.lease() as worker:
        lost = await worker.run(60, Notes.pid)
        with pytest.raises(OverrunError):
            await worker.run(0.2, endless, held.port)
        wait_gone([lost])
        assert await worker.run(60, Notes.pid) != lost


async def test_cancelling_kills_and_frees(workers: Workers[Notes]) -> None:
    async def search(port: int) -> None:
        async with workers.lease() as worker:
            await worker.run(600, Notes.search, port)

    async with listener() as held:
        searches = [asyncio.create_task(search(held.port)) for _ in range(2)]
        for _ in searches:
            await held.begun()
        lost = worker_ids()
        for task in searches:
            task.cancel()
        await asyncio.wait(searches)
        wait_gone(lost)
        async with workers.lease() as worker:
            assert await worker.run(60, Notes.pid) not in lost


async def test_a_process_that_is_killed_at_work_is_one_error(workers: Workers[Notes]) -> None:
    async with listener() as held, workers.lease() as worker:
        pid = await worker.run(60, Notes.pid)
        work = asyncio.create_task(worker.run(60, Notes.search, held.port))
        await held.begun()
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(WorkerEndedError, match="signal 9"):
            await work
        assert await worker.run(60, Notes.add, "again") == ["again"]
        with pytest.raises(WorkerEndedError, match="exit code 7"):
            await worker.run(60, Notes.leave)
        assert await worker.run(60, Notes.add, "again") == ["again"]


async def test_a_process_that_was_killed_while_idle_is_replaced(workers: Workers[Notes]) -> None:
    for _ in range(2):
        async with workers.lease() as worker:
            pid = await worker.run(60, Notes.pid)
        os.kill(pid, signal.SIGKILL)
        wait_gone([pid])


def test_a_process_whose_exit_status_another_thread_is_taking_is_not_alive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def taken(*_: int) -> tuple[int, int]:
        raise ChildProcessError

    process = Process(Notes)
    process.begun()
    running = process.alive
    [pid] = worker_ids()
    kill(pid)
    wait_gone([pid])
    with monkeypatch.context() as patch:
        patch.setattr("os.waitpid", taken)
        ended = not process.alive
    process.reap()
    assert running
    assert ended


async def test_errors_for_people_cross_and_others_leave_their_message_behind(workers: Workers[Notes]) -> None:
    async with workers.lease() as worker:
        pid = await worker.run(60, Notes.pid)
        with pytest.raises(NotFoundError, match="it is not there") as refused:
            await worker.run(60, Notes.refuse)
        assert refused.value.field == "scope.bundle"
        with pytest.raises(StoppedError):
            await worker.run(60, Notes.stop)
        with capture_logs() as logged, pytest.raises(WorkerFailedError) as crashed:
            await worker.run(60, Notes.crash)
        assert await worker.run(60, Notes.pid) == pid
    assert crashed.value.frames[0] == "builtins.KeyError"
    assert "worker_desk.py" in crashed.value.frames[1]
    assert CANARY not in str(crashed.value)
    assert [entry["frames"] for entry in logged] == [crashed.value.frames]


@dataclass(frozen=True)
class Trap:
    """Makes a folder where it is unpickled."""

    folder: Path

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return os.mkdir, (self.folder,)


async def test_what_a_process_that_was_taken_over_answers_is_not_run(
    workers: Workers[Notes], tmp_path: Path
) -> None:
    answer = pickle.dumps((Trap(tmp_path / "trap"), None))
    async with workers.lease() as worker:
        lost = await worker.run(60, Notes.pid)
        with pytest.raises(WorkerEndedError, match="what no worker answers"):
            await worker.run(60, Notes.forge, answer)
        wait_gone([lost])
        assert await worker.run(60, Notes.add, "again") == ["again"]
    assert not (tmp_path / "trap").exists()
    pickle.loads(answer)  # noqa: S301 - the control: it is a trap indeed
    assert (tmp_path / "trap").is_dir()


async def test_a_process_that_is_long_in_ending_is_not_said_to_have_answered(
    workers: Workers[Notes], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listener() as endless, listener() as held, workers.lease() as worker:
        with monkeypatch.context() as patch:
            patch.setattr("services.executor.workers._EXIT_SECONDS", 0.05)
            with pytest.raises(WorkerEndedError, match="it closed its pipe"):
                await worker.run(60, Notes.hang_up, endless.port)
        # The control: where it does end, its exit code is waited for.
        work = asyncio.create_task(worker.run(60, Notes.hang_up, held.port))
        (await held.begun()).close()
        with pytest.raises(WorkerEndedError, match="exit code 7"):
            await work


async def test_an_answer_that_is_too_long_is_not_kept(workers: Workers[Notes]) -> None:
    async with workers.lease() as worker:
        lost = await worker.run(60, Notes.pid)
        with pytest.raises(WorkerEndedError, match="what no worker answers"):
            await worker.run(60, Notes.forge, bytes(MAX_REPLY_BYTES + 1))
        wait_gone([lost])


async def test_a_result_of_another_type_is_a_defect_of_the_operation(workers: Workers[Notes]) -> None:
    async with workers.lease() as worker:
        with capture_logs(), pytest.raises(WorkerFailedError) as failed:
            await worker.run(60, Notes.odd)
    assert failed.value.frames[0] == "builtins.TypeError"


@contextmanager
def no_more_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_a_process_that_cannot_start_is_unavailable_and_may_start_later(
    workers: Workers[Notes],
) -> None:
    async with workers.lease() as worker:
        with no_more_files(), pytest.raises(UnavailableError, match="no worker process can be started: Too"):
            await worker.run(60, Notes.pid)
        assert await worker.run(60, Notes.pid)


async def test_a_process_that_does_not_start_in_time_is_ended() -> None:
    async with listener() as held:
        workers = Workers(1, partial(Slow, held.port), Notes.clear, start_seconds=0.2)
        async with workers.lease() as worker:
            with pytest.raises(UnavailableError, match=r"did not start within 0\.2 s"):
                await worker.run(60, Notes.pid)
        await workers.close()
    assert worker_ids() == []


async def test_cancelling_ends_a_process_that_starts() -> None:
    async with listener() as held:
        workers = Workers(1, partial(Slow, held.port), Notes.clear)
        async with workers.lease() as worker:
            work = asyncio.create_task(worker.run(60, Notes.pid))
            await held.begun()
            [pid] = worker_ids()
            work.cancel()
            await asyncio.wait([work])
            wait_gone([pid])
        await workers.close()


async def test_closing_ends_what_is_at_work() -> None:
    workers = Workers(1, Notes, Notes.clear)
    async with listener() as held, workers.lease() as worker:
        work = asyncio.create_task(worker.run(600, Notes.search, held.port))
        await held.begun()
        [pid] = worker_ids()
        await workers.close()
        assert not is_running(pid)
        with pytest.raises(WorkerEndedError):
            await work


async def test_a_worker_has_no_standard_input_or_output_and_ignores_ctrl_c(workers: Workers[Notes]) -> None:
    async with workers.lease() as worker:
        assert await worker.run(60, Notes.standard_files) == [os.devnull, os.devnull]
        pid = await worker.run(60, Notes.pid)
        os.kill(pid, signal.SIGINT)
        assert await worker.run(60, Notes.pid) == pid


@pytest.mark.parametrize(("maker", "outlives"), [("guarded", False), ("unguarded", True)])
async def test_the_kernel_ends_a_worker_with_its_killed_parent(
    project: Path, maker: str, outlives: bool
) -> None:
    """The worker is in one call of the interpreter, so that no code of its own could notice."""
    async with listener() as held:
        parent = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.fakes.worker_desk", maker, str(held.port)),
            cwd=project,
            stdout=PIPE,
        )
        assert parent.stdout is not None
        pid = int(await parent.stdout.readline())
        await held.begun()
        parent.kill()
        wait_gone([parent.pid])
        if outlives:
            assert is_running(pid)
            os.kill(pid, signal.SIGKILL)
        wait_gone([pid])
        await parent.wait()
