"""Whole runs of the real stack in which each agent chose its reasoner."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.bundles import recorded_path
from tests.fakes.command_line import LIMIT_SECONDS, Ended, asked, assay, started
from tests.fakes.model_endpoint import ModelEndpoint, replies, scripted
from tests.fakes.sensible_model import agent_of, sensible
from tests.integration.conftest import PROVEN, UNPROVEN
from tests.proof.run_tokens import diagnose as diagnosed
from tests.proof.run_tokens import invented, recorded

WITH_A_MODEL = ("planner", "verifier", "composer")
# Of all requests of these agents together, where the executor found all that it finds by rules.
MOST_TOKENS = 5_500


async def diagnose(
    project: Path, home: Path, endpoint: ModelEndpoint, agents: Sequence[str], fallback: str = "none"
) -> Ended:
    bundle = recorded_path(project, PROVEN)
    question = (bundle / "question.txt").read_text(encoding="utf-8").strip()
    return await diagnosed(bundle, question, home, endpoint, agents, ASSAY_MODEL_FALLBACK_REASONER=fallback)


def thinkers(answer: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for agent in answer["usage"]["agents"]:
        yield agent["agent"], agent["reasoner"], agent["model_failure"]


async def test_three_agents_ask_a_model_and_the_executor_does_not(project: Path, home: Path) -> None:
    async with scripted(sensible) as endpoint:
        ended = await diagnose(project, home, endpoint, WITH_A_MODEL)
    assert ended.code == 0, ended.stderr
    answer = json.loads(ended.stdout)
    assert (answer["status"], answer["effective_verdict"]) == ("SUCCEEDED", "PASS")
    assert answer["suspects"][0]["component"] == "checkout"
    assert {agent: reasoner for agent, reasoner, _ in thinkers(answer)} == {
        "planner": "openai",
        "executor": "offline",
        "verifier": "openai",
        "composer": "openai",
    }
    assert [agent_of(item) for item in endpoint.completions] == ["Plan", "Judgement", "Composition"]
    assert sum(len(item.body) for item in endpoint.completions) / 4 <= MOST_TOKENS


async def test_a_whole_run_with_a_model_costs_few_tokens(home: Path) -> None:
    run = await recorded(PROVEN, home)
    assert run.problems == []
    assert (run.answer["status"], run.answer["effective_verdict"]) == ("SUCCEEDED", "PASS")
    assert run.answer["suspects"][0]["component"] == "checkout"


async def test_so_does_one_that_finds_no_cause(home: Path) -> None:
    run = await recorded(UNPROVEN, home)
    assert run.problems == []
    assert [claim["status"] for claim in run.answer["claims"] if claim["type"] == "cause"] == ["possible"]


async def test_and_one_of_an_invented_cluster(home: Path, tmp_path: Path) -> None:
    run = await invented("a cluster", tmp_path / "bundle", home)
    assert run.problems == []
    assert run.answer["claims"] != []


@pytest.mark.parametrize("agent", WITH_A_MODEL)
async def test_without_the_model_the_run_ends_through_the_graph_and_says_so(
    project: Path, home: Path, agent: str
) -> None:
    async with scripted(replies.always(replies.reset())) as endpoint:
        ended = await diagnose(project, home, endpoint, [agent])
    answer = json.loads(ended.stdout)
    assert answer["status"] == "DEGRADED", ended.stderr
    assert (agent, "openai", "unreachable") in thinkers(answer)
    # The attempt and the one retry of the graph, one request each.
    assert len(endpoint.completions) == 2
    assert "the endpoint cannot be reached" in json.dumps(answer["answer"]) + ended.stderr


async def test_with_a_fallback_the_run_goes_on_offline_and_says_so(project: Path, home: Path) -> None:
    async with scripted(replies.always(replies.reset())) as endpoint:
        ended = await diagnose(project, home, endpoint, WITH_A_MODEL, fallback="offline")
    assert ended.code == 0, ended.stderr
    answer = json.loads(ended.stdout)
    assert (answer["status"], answer["effective_verdict"]) == ("SUCCEEDED", "PASS")
    assert sorted(thinkers(answer)) == [
        ("composer", "offline", "unreachable"),
        ("executor", "offline", ""),
        ("planner", "offline", "unreachable"),
        ("verifier", "offline", "unreachable"),
    ]


NOWHERE = {
    "ASSAY_MODEL_REASONER": "openai",
    "ASSAY_MODEL_BASE_URL": "http://127.0.0.1:1/v1",
    "ASSAY_MODEL_NAME": "scripted",
}
ALL_LACK = "planner, executor, verifier, composer: model endpoint 127.0.0.1:1: the endpoint cannot be reached"


async def test_a_local_stack_waits_for_no_model(project: Path, tmp_path: Path) -> None:
    bundle = str(project / "examples" / "incidents" / PROVEN / "bundle")
    ended = await asked(tmp_path, "diagnose", "Why is it slow?", "--bundle", bundle, **NOWHERE)
    assert ended.code == 3
    assert ALL_LACK in ended.stderr
    told = " ".join(ended.stdout.split())
    assert "A step failed (planner, RETRYABLE_FAILED, agent_failed)" in told
    assert "Its language model gave no result: the endpoint cannot be reached" in told
    listed = await asked(tmp_path, "runs", "--json")
    assert json.loads(listed.stdout)["status"] == "DEGRADED"


def test_services_whose_model_is_away_are_up_and_say_so(tmp_path: Path) -> None:
    process = started(tmp_path, "up", "--json", **NOWHERE)
    try:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        refused = assay(tmp_path, "diagnose", "Why?", "--bundle", "b", "--target", ready["address"])
    finally:
        process.terminate()
        process.communicate(timeout=LIMIT_SECONDS)
    [lacking] = ready["lacking"]
    assert lacking.startswith(ALL_LACK)
    assert (refused.code, refused.stdout) == (1, "")
    assert f"doctor --target {ready['address']}" in refused.stderr
