"""The short form of the enumeration finds nothing, and finds every row of the table that is changed."""

from dataclasses import replace
from itertools import chain

import pytest
from structlog.testing import capture_logs

from orchestrator.graph import DIAGNOSIS, END, GraphDefinition, GraphError, Node
from orchestrator.graph.vocabulary import OUTCOMES
from tests.proof import enumeration
from tests.proof.node_answers import EVERY_WORD, STATUSES, every_answer
from tests.proof.path_rules import MAX_NODES
from tests.proof.transition_table import DECLARED


async def test_every_state_and_every_row_is_as_the_design_says() -> None:
    figures = await enumeration.enumerate_graph(short=True)
    assert figures.violations == []
    assert figures.states > 30
    assert figures.edges > 30 * figures.states / 2
    assert figures.paths > 100
    assert 15 < figures.longest <= MAX_NODES


def test_every_status_of_every_contract_is_an_outcome_of_the_design() -> None:
    for node, enum in STATUSES.items():
        names = {value.name.removeprefix(f"{node}_STATUS_".upper()) for value in enum.values if value.number}
        # The other outcomes come from failed calls and replies.
        assert names <= set(DECLARED[node])
    assert {str(node): {*map(str, outcomes)} for node, outcomes in OUTCOMES.items()} == {
        node: {*outcomes, "UNKNOWN"} for node, outcomes in DECLARED.items()
    }
    assert set(EVERY_WORD) == {str(word) for word in chain(*OUTCOMES.values())}


def test_every_answer_has_a_name_of_its_own() -> None:
    for node in Node:
        names = [answer.name for answer in every_answer(node)]
        assert len(set(names)) == len(names) > 10


async def finds_something(definition: GraphDefinition) -> bool:
    with capture_logs():
        try:
            async for problems in enumeration.steps(definition, short=True):
                if problems:
                    return True
        except GraphError:
            # Refused when it is compiled.
            return True
    return False


@pytest.mark.parametrize("index", range(len(DIAGNOSIS.rows)))
async def test_a_changed_target_is_found(index: int) -> None:
    rows = list(DIAGNOSIS.rows)
    other = Node.FALLBACK if rows[index].target not in (Node.FALLBACK, END) else Node.COMPOSER
    rows[index] = replace(rows[index], target=other)
    assert await finds_something(replace(DIAGNOSIS, rows=tuple(rows)))


@pytest.mark.parametrize(
    "index", [index for index, row in enumerate(DIAGNOSIS.rows) if row.guard and not row.changes]
)
async def test_a_lost_guard_is_found(index: int) -> None:
    rows = list(DIAGNOSIS.rows)
    rows[index] = replace(rows[index], guard=None)
    assert await finds_something(replace(DIAGNOSIS, rows=tuple(rows)))


async def test_a_retry_that_is_not_given_back_to_the_planner_is_found() -> None:
    rows = [
        replace(row, changes={"evidence_retry_count": 1}) if "evidence_retry_count" in row.changes else row
        for row in DIAGNOSIS.rows
    ]
    assert await finds_something(replace(DIAGNOSIS, rows=tuple(rows)))
