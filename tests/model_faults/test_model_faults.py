"""The table of what an endpoint can do wrong, for each agent that asks one: one whole run per row."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1 import run_pb2

from services.common.evidence.names import short_name
from services.common.llm.failures import FAILURES
from services.common.llm.port import Kind
from tests.model_faults.graph import Setting, ended, executing
from tests.model_faults.table import ALL, ANSWERED, FAULTS, INVALID, ITS_WORDS, Answer, Fault

# One of each kind that any agent can meet.
FOR_ALL = list({row.model_failure: row for row in FAULTS if row.agents == ALL}.values())
in_one_loop = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def executor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    async with executing(tmp_path_factory.mktemp("executor")) as address:
        yield address


def by_agent(rows: tuple[Fault, ...] | tuple[Answer, ...]) -> list[object]:
    return [
        pytest.param(row, agent, id=f"{row.name}, to the {agent}") for row in rows for agent in row.agents
    ]


@in_one_loop
@pytest.mark.parametrize(("fault", "agent"), by_agent(FAULTS))
async def test_a_failure_ends_the_run_through_its_graph_and_is_told(
    fault: Fault, agent: str, executor: str, tmp_path: Path
) -> None:
    setting = Setting((agent,), fault.answering, fault.seconds, fault.caller_seconds)
    seen = await ended(tmp_path, setting, "" if agent == "executor" else executor)
    outcome, attempts = fault.outcome_of(agent), fault.attempts(agent)
    reason = "agent_invalid_output" if outcome == INVALID else "agent_failed"
    assert seen.outcomes(agent) == [outcome] * attempts
    assert seen.trace.events[-1].reason_code == f"{agent}_{outcome.lower()}"
    assert seen.run.status == run_pb2.RUN_STATUS_DEGRADED
    assert seen.run.failure == run_pb2.Failure(
        node=agent, status=outcome, reason_code=reason, model_failure=fault.model_failure
    )
    assert seen.thinker(agent) == ("openai", fault.model_failure)
    assert len(seen.asked[agent]) == fault.requests[attempts - 1]
    assert seen.exit_code == 3
    assert f"A step failed ({agent}, {outcome}, {reason})" in seen.text
    assert fault.told in seen.text.partition("Its language model gave no result: ")[2]
    assert ITS_WORDS not in f"{seen.run}{seen.trace}"


@in_one_loop
@pytest.mark.parametrize(("row", "agent"), by_agent(ANSWERED))
async def test_what_can_be_read_needs_no_second_call_and_what_is_invented_proves_nothing(
    row: Answer, agent: str, executor: str, tmp_path: Path
) -> None:
    setting = Setting((agent,), row.answering)
    seen = await ended(tmp_path, setting, "" if agent == "executor" else executor)
    assert seen.outcomes(agent) == ["COMPLETED"]
    assert len(seen.asked[agent]) == row.requests
    is_rejected = row.verdict == "REJECT"
    assert seen.run.status == (run_pb2.RUN_STATUS_DEGRADED if is_rejected else run_pb2.RUN_STATUS_SUCCEEDED)
    assert short_name(evidence_pb2.Verdict.DESCRIPTOR, seen.run.effective_verdict) == row.verdict
    assert (seen.exit_code, seen.thinker(agent)) == (row.exit_code, ("openai", ""))
    assert ITS_WORDS not in seen.text


@in_one_loop
@pytest.mark.parametrize("fault", FOR_ALL, ids=lambda row: row.name)
async def test_with_a_fallback_the_run_goes_on_by_rules_and_says_so(fault: Fault, tmp_path: Path) -> None:
    setting = Setting(ALL, fault.answering, fault.seconds, fallback="offline")
    seen = await ended(tmp_path, setting)
    assert seen.run.status == run_pb2.RUN_STATUS_SUCCEEDED
    for agent in ALL:
        assert seen.outcomes(agent) == ["COMPLETED"]
        assert seen.thinker(agent) == ("offline", fault.model_failure)
        assert len(seen.asked[agent]) == fault.requests[0]
    assert seen.text.count("because the model gave no result: ") == len(ALL)
    assert seen.text.count(fault.told) == len(ALL)
    assert ITS_WORDS not in f"{seen.run}{seen.trace}"


def test_the_table_holds_every_kind_of_failure() -> None:
    # What exceeds its bound is never sent; where the form was refused, there is another one (ANSWERED).
    unseen = {"over_budget", "unfit_mode"}
    assert {fault.model_failure for fault in FAULTS} == {kind.value for kind in Kind} - unseen


def test_every_row_quotes_the_sentence_of_its_kind() -> None:
    for fault in FAULTS:
        assert fault.told in FAILURES[Kind(fault.model_failure)].sentence
