"""`assay doctor` over the real command: what is fine, what is not, and that it always comes back."""

import asyncio
import json
from pathlib import Path
from typing import Any

import grpc
import pytest

from services.common.processes import AGENTS
from tests.fakes.agents import stack
from tests.fakes.command_line import Ended, assay, services, started
from tests.fakes.silence import silent_listener

BUNDLE = "examples/incidents/healthy-false-alarm/bundle"


def checks(ended: Ended) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["group"], row["name"]): row for row in json.loads(ended.stdout)["checks"]}


def failed(ended: Ended) -> set[str]:
    return {name for (_, name), row in checks(ended).items() if row["ok"] is False}


async def run(home: Path, *arguments: str, **variables: str) -> Ended:
    """Run the command while this test's own servers answer."""
    return await asyncio.to_thread(assay, home, "doctor", "--json", *arguments, **variables)


def test_a_local_stack_of_its_own_is_looked_at_and_ended(tmp_path: Path, project: Path) -> None:
    ended = assay(tmp_path, "doctor", "--json", "--bundle", str(project / BUNDLE))
    assert ended.code == 0, ended.stdout
    found = checks(ended)
    assert json.loads(ended.stdout)["ok"] is True
    for service in ("orchestrator", *AGENTS):
        row = found["services", service]
        assert (row["ok"], row["ready"], row["live"]) == (True, True, True)
        assert row["version"] == found["command", "assay"]["version"]
        assert row["grpc_version"]
        assert row["reasoner"] == ("" if service in ("orchestrator", "gatekeeper") else "offline")
    assert found["store", "runs"]["integrity"] == "sound"
    assert found["store", "runs"]["location"] == str(tmp_path / "assay.sqlite3")
    assert found["clock", "UTC"]["time"].endswith("Z")
    readable = found["sources", "bundle"]["readable"]
    sources = [row for (group, _), row in found.items() if group == "sources" and row.get("available")]
    assert len(sources) == readable > 0
    assert services(tmp_path) == {}


async def test_a_service_that_takes_the_call_and_never_answers(tmp_path: Path) -> None:
    async with silent_listener() as address:
        ended = await run(tmp_path, "--target", address)
    assert ended.code == 1
    assert failed(ended) == {"orchestrator", "agents"}
    assert "does not answer within 3.0 s" in checks(ended)["services", "orchestrator"]["detail"]
    assert "does not tell how they are" in checks(ended)["services", "agents"]["detail"]


async def test_an_agent_that_never_answers_hides_nothing_else(tmp_path: Path) -> None:
    async with (
        silent_listener() as silent,
        stack(tmp_path / "runs.db", verifier_address=silent, listen="127.0.0.1:0") as running,
    ):
        ended = await run(tmp_path, "--target", running.address)
    assert ended.code == 1
    # The orchestrator needs every agent; the others are fine.
    assert failed(ended) == {"orchestrator", "verifier"}
    assert checks(ended)["services", "planner"]["ok"] is True
    assert checks(ended)["store", "runs"]["ok"] is True


async def test_a_bundle_that_is_not_there_fails_alone(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db") as running:
        running.agents.executor.replies["ListTools"] = [grpc.StatusCode.NOT_FOUND]
        ended = await run(tmp_path, "--target", running.address, "--bundle", "gone")
    assert (ended.code, failed(ended)) == (1, {"gone"})


def test_nobody_at_the_target(tmp_path: Path) -> None:
    ended = assay(tmp_path, "doctor", "--target", "127.0.0.1:1")
    assert ended.code == 1
    assert "FAIL orchestrator: 127.0.0.1:1, NOT ready" in ended.stdout
    assert "2 of 6 checks failed." in ended.stdout
    assert ended.stderr == ""


def test_wrong_settings_are_checks_that_fail(tmp_path: Path) -> None:
    variables = {"ASSAY_TIMEOUT_SECOND": "1", "ASSAY_PLANNER_LOG_LEVEL": "loud"}
    ended = assay(tmp_path, "doctor", "--json", **variables)
    assert (ended.code, failed(ended)) == (1, {"problem", "local stack"})
    assert "ASSAY_TIMEOUT_SECOND: no such setting" in checks(ended)["settings", "problem"]["detail"]
    assert services(tmp_path) == {}


def test_a_state_folder_that_another_command_holds(tmp_path: Path) -> None:
    process = started(tmp_path, "up", "--json")
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        ended = assay(tmp_path, "doctor", "--json")
    finally:
        process.terminate()
        process.communicate()
    assert (ended.code, failed(ended)) == (1, {"local stack"})
    assert "another assay command is still using" in checks(ended)["services", "local stack"]["detail"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--target", "nowhere"], "is not host:port"),
        (["--bundle", "/nowhere/at/all"], "there is no folder"),
        (["--bundle", "/etc", "--target", "127.0.0.1:1"], "with --target"),
    ],
)
def test_wrong_usage_is_no_check(tmp_path: Path, arguments: list[str], says: str) -> None:
    ended = assay(tmp_path, "doctor", *arguments)
    assert (ended.code, ended.stdout) == (2, "")
    assert says in ended.stderr
