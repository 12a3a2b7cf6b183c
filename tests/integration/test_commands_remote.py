"""The commands with `--target`: a real orchestrator with scripted agents, asked by the real command line."""

import asyncio
import json
import signal
from pathlib import Path

import grpc
import pytest
from assay.orchestrator.v1 import run_pb2

from tests.fakes.agents import Agents, Stack, hanging, stack
from tests.fakes.command_line import LIMIT_SECONDS, Ended, asked, read_until, started

NOWHERE = ("--target", "127.0.0.1:1")


async def ask(running: Stack, home: Path, *arguments: str) -> Ended:
    """Run a command against a running orchestrator; it starts nothing of its own."""
    ended = await asked(home / "home", *arguments, "--target", running.address)
    assert not (home / "home").exists()
    assert "Traceback" not in ended.stderr
    return ended


async def verifying(agents: Agents) -> None:
    """Wait until the verifier has been called."""
    async with asyncio.timeout(LIMIT_SECONDS):
        await agents.verifier.arrival("Verify").wait()


async def test_a_detached_run_is_followed_and_cancelled(tmp_path: Path) -> None:
    agents = hanging("verifier")
    async with stack(tmp_path / "runs.db", agents) as running:
        asking = ("diagnose", "why?", "--bundle", "incident", "--detach", "--idempotency-key", "key-1")
        begun = await ask(running, tmp_path, *asking)
        assert begun.code == 0, begun.stderr
        run_id = begun.stdout.strip()
        assert f"show {run_id} --watch --target {running.address}" in begun.stderr
        # The same key is the same run.
        again = await ask(running, tmp_path, *asking, "--json")
        assert json.loads(again.stdout) == {"run_id": run_id}
        await verifying(agents)

        listed = await ask(running, tmp_path, "runs", "--status", "running", "--json")
        assert [json.loads(line)["run_id"] for line in listed.stdout.splitlines()] == [run_id]
        path = await ask(running, tmp_path, "trace", run_id[:12])
        assert (path.code, "the run has not ended" in path.stdout) == (0, True)

        watching = asyncio.create_task(ask(running, tmp_path, "show", "latest", "--watch", "--json"))
        cancelled = await ask(running, tmp_path, "runs", "cancel", run_id)
        assert (cancelled.code, cancelled.stdout) == (0, f"{run_id}  CANCELLED\n")
        watched = await watching
        assert watched.code == 4
        assert json.loads(watched.stdout)["failure"]["reason_code"] == "cancel_requested"

        once_more = await ask(running, tmp_path, "runs", "cancel", run_id)
        assert (once_more.code, once_more.stdout) == (0, cancelled.stdout)
        assert "had ended before" in once_more.stderr


async def test_following_begins_where_it_is_told(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        run_id = await running.submit()
        await running.watch(run_id)
        whole = await ask(running, tmp_path, "show", run_id, "--watch")
        assert [
            line for line in ("1. planner", "3. gatekeeper", "6. composer") if line not in whole.stderr
        ] == []
        late = await ask(running, tmp_path, "show", run_id, "--watch", "--after", "3")
        assert "3. gatekeeper" not in late.stderr
        assert "4. verified_input: COMPLETED" in late.stderr
        assert (late.code, late.stdout) == (whole.code, whole.stdout)
        assert whole.code == 0


async def test_following_ends_in_time_and_leaves_the_run_alone(tmp_path: Path) -> None:
    agents = hanging("verifier")
    async with stack(tmp_path / "runs.db", agents) as running:
        run_id = await running.submit()
        await verifying(agents)
        ended = await ask(running, tmp_path, "show", run_id, "--watch", "--timeout", "1")
        assert (ended.code, "out of time" in ended.stderr) == (4, True)
        run = await ask(running, tmp_path, "show", run_id, "--json")
        assert json.loads(run.stdout)["status"] == "RUNNING"


async def test_ctrl_c_ends_following_and_leaves_the_run_alone(tmp_path: Path) -> None:
    agents = hanging("verifier")
    async with stack(tmp_path / "runs.db", agents) as running:
        run_id = await running.submit()
        await verifying(agents)
        process = started(tmp_path, "show", run_id, "--watch", "--target", running.address)
        await asyncio.to_thread(read_until, process, "gatekeeper: PASS")
        process.send_signal(signal.SIGINT)
        stdout, stderr = await asyncio.to_thread(process.communicate, timeout=LIMIT_SECONDS)
        assert (process.returncode, stdout) == (4, "")
        assert stderr.endswith("assay: no longer following; the run goes on as it was\n")
        assert (await running.stored(run_id)).status == run_pb2.RUN_STATUS_RUNNING


async def test_a_run_is_named_by_a_beginning_that_only_it_has(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        # Of seventeen ids two begin with the same of sixteen digits.
        ids = [(await running.diagnose()).run.run_id for _ in range(17)]
        first = next(digit for digit in "0123456789abcdef" if sum(i.startswith(digit) for i in ids) > 1)
        ambiguous = await ask(running, tmp_path, "trace", first)
        named = [run_id for run_id in ids if run_id.startswith(first)]
        assert ambiguous.code == 2
        assert f"{len(named)} runs begin with {first}" in ambiguous.stderr
        assert sum(run_id in ambiguous.stderr for run_id in named) == min(len(named), 5)
        assert (await ask(running, tmp_path, "show", ids[3][:20], "--json")).stdout.count(ids[3]) > 0
        unknown = await ask(running, tmp_path, "runs", "cancel", "no-such")
        assert (unknown.code, "there is no run no-such; `assay runs` lists them" in unknown.stderr) == (
            2,
            True,
        )
        newest = await ask(running, tmp_path, "trace", "latest\r")
        assert newest.stdout.startswith(f"run {ids[-1]}  SUCCEEDED\n")

        # The list, in pages, filtered and bounded.
        limited = await ask(running, tmp_path, "runs", "--limit", "5")
        assert [line.split()[0] for line in limited.stdout.splitlines()[1:]] == ids[:-6:-1]
        assert "only the newest 5 are listed" in limited.stderr
        none = await ask(running, tmp_path, "runs", "--until", "30d", "--json")
        assert (none.code, none.stdout, none.stderr) == (0, "", "")
        recent = await ask(running, tmp_path, "runs", "--since", "1h", "--status", "SUCCEEDED", "--json")
        assert len(recent.stdout.splitlines()) == 17


async def test_there_may_be_no_run_yet(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        assert await ask(running, tmp_path, "runs") == Ended(0, "", "assay: there is no run yet\n")
        assert await ask(running, tmp_path, "show", "latest") == Ended(2, "", "assay: there is no run yet\n")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("runs", "--status", "ended"), 2, "ended"),
        (("runs", "--since", "1h", "--until", "2h"), 2, "--until is not after --since"),
        (("runs", "--since", "soon"), 2, "--since: 'soon' is not a time"),
        (("runs", "--limit", "0"), 2, "--limit"),
        (("runs", "--json", "prune", "--keep", "1"), 2, "--json is an option of the list"),
        (("runs", "prune"), 2, "give either --keep"),
        (("runs", "prune", "--keep", "1", "--older-than", "1d"), 2, "give either --keep"),
        (("runs", "prune", "--older-than", "2026-01-01T00:00:00Z"), 2, "is not an age"),
        (("runs", "cancel", " "), 2, "RUN_ID is empty"),
        (("runs", "prunes"), 2, "Did you mean 'prune'?"),
        (("tracee", "x"), 2, "Did you mean 'trace'?"),
        (("trace", "x", "--invocation"), 2, "--invocations"),
        (("show", "x", "--after", "1"), 2, "--after is only for --watch"),
        (("show", "x", "--watch", "--after", "9999999999"), 2, "--after"),
        (("show", "x", "--pointer", "/a"), 2, "need --invocation"),
        (("show", "x", "--raw"), 2, "need --invocation"),
        (("show", "x", "--invocation", "i", "--json"), 2, "excludes"),
        (("show", "x", "--invocation", " "), 2, "--invocation is empty"),
        (("diagnose", "why?", "--bundle", "b", "--idempotency-key", "k", *NOWHERE), 2, "only for --detach"),
        (
            ("diagnose", "why?", "--bundle", "b", "--detach", "--idempotency-key", " ", *NOWHERE),
            2,
            "is empty",
        ),
        (("diagnose", "why?", "--bundle", ".", "--detach"), 2, "--detach needs --target"),
        (("tools", "--bundle", "/etc", *NOWHERE), 2, "is not a bundle's name"),
        (("tools", "--bundle", "missing"), 2, "there is no folder"),
        (("tools", *NOWHERE), 1, "is not there"),
        (("runs", *NOWHERE), 1, "is not there"),
        (("trace", "x", *NOWHERE), 1, "is not there"),
        (("runs", "--target", "\x1b[2J"), 2, "is not host:port"),
    ],
)
async def test_bad_input_is_one_clear_message(
    tmp_path: Path,
    arguments: tuple[str, ...],
    code: int,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    project: Path,
) -> None:
    monkeypatch.chdir(project / "examples" / "incidents")
    ended = await asked(tmp_path / "home", *arguments)
    assert (ended.code, ended.stdout) == (code, "")
    assert says in " ".join(ended.stderr.split())
    assert "Traceback" not in ended.stderr
    assert "\x1b" not in ended.stderr
    assert not (tmp_path / "home").exists()


async def test_tools_of_a_remote_service_and_what_it_refuses(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        listed = await ask(running, tmp_path, "tools")
        assert (listed.code, listed.stdout.startswith("logs_search (raw)")) == (0, True)
        executor = running.agents.executor
        executor.replies["ListTools"] = [grpc.StatusCode.NOT_FOUND]
        refused = await ask(running, tmp_path, "tools", "--bundle", "no-such-incident")
        assert (refused.code, refused.stdout) == (2, "")
        await executor.kill()
        gone = await ask(running, tmp_path, "tools")
        assert (gone.code, "executor does not list its tools" in gone.stderr) == (1, True)


async def test_runs_are_pruned_by_age_and_by_number(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        for _ in range(3):
            await running.diagnose()
        old = await ask(running, tmp_path, "runs", "prune", "--older-than", "1d", "--yes")
        assert (old.code, old.stdout) == (0, "0 runs forgotten\n")
        tried = await ask(running, tmp_path, "runs", "prune", "--keep", "1", "--dry-run")
        assert (tried.code, tried.stdout) == (0, "2 runs would be forgotten\n")
        # Nobody is there to be asked.
        unasked = await ask(running, tmp_path, "runs", "prune", "--keep", "1")
        assert (unasked.code, unasked.stdout) == (2, "")
        assert "--yes does it without asking" in unasked.stderr
        done = await ask(running, tmp_path, "runs", "prune", "--keep", "1", "--yes")
        assert (done.code, done.stdout) == (0, "2 runs forgotten\n")
        assert len((await ask(running, tmp_path, "runs", "--json")).stdout.splitlines()) == 1
