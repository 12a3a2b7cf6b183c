"""Every row of the table both ways, and every path through it."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from assay.common.v1 import evidence_pb2
from assay.gatekeeper.v1.gatekeeper_pb2 import CheckResponse
from assay.orchestrator.v1.run_pb2 import OrchestrationEvent
from assay.orchestrator.v1.state_pb2 import RunState

from orchestrator.graph import DIAGNOSIS, END, Node, NodeResult, Outcome, compile_graph
from orchestrator.graph.state import Updates
from orchestrator.graph.vocabulary import OUTCOMES
from tests.fakes.graph_states import (
    CLEAN_GATE,
    GAP,
    INPUT,
    LOW,
    LOW_GATE,
    NO_GAP,
    NONE,
    PASS,
    REJECT,
    happy_nodes,
)

GRAPH = compile_graph(DIAGNOSIS, dict(happy_nodes()))


def judged(
    verdict: evidence_pb2.Verdict.ValueType,
    gate: CheckResponse = CLEAN_GATE,
    evidence_retries: int = 0,
    *,
    gap: bool = True,
) -> RunState:
    return RunState(
        effective_verdict=verdict,
        gate=gate,
        verified_input=INPUT,
        verification=GAP if gap else NO_GAP,
        evidence_retry_count=evidence_retries,
    )


def step(state: RunState, node: Node, outcome: str) -> tuple[str, dict[str, int]]:
    result = GRAPH.advance(state, node, NodeResult(outcome, "completed"), OrchestrationEvent(node=node))
    counters = ("planner", "verifier", "composer", "evidence")
    after = {name: getattr(result.state, f"{name}_retry_count") for name in counters}
    before = {name: getattr(state, f"{name}_retry_count") for name in counters}
    return result.target, {name: after[name] for name in counters if after[name] != before[name]}


BLANK = RunState()
ROWS = [
    (BLANK, Node.PLANNER, "COMPLETED", Node.EXECUTOR, {}),
    (BLANK, Node.PLANNER, "INVALID_OUTPUT", Node.PLANNER, {"planner": 1}),
    (BLANK, Node.PLANNER, "RETRYABLE_FAILED", Node.PLANNER, {"planner": 1}),
    (RunState(planner_retry_count=1), Node.PLANNER, "INVALID_OUTPUT", Node.FALLBACK, {}),
    (RunState(planner_retry_count=1), Node.PLANNER, "RETRYABLE_FAILED", Node.FALLBACK, {}),
    (RunState(planner_retry_count=1), Node.PLANNER, "COMPLETED", Node.EXECUTOR, {}),
    (BLANK, Node.PLANNER, "NON_RETRYABLE_FAILED", Node.FALLBACK, {}),
    (BLANK, Node.PLANNER, "UNKNOWN", Node.FALLBACK, {}),
    (BLANK, Node.EXECUTOR, "COMPLETED", Node.GATEKEEPER, {}),
    (BLANK, Node.EXECUTOR, "INVALID_OUTPUT", Node.FALLBACK, {}),
    (BLANK, Node.EXECUTOR, "TOOL_BLOCKED", Node.FALLBACK, {}),
    (BLANK, Node.EXECUTOR, "FAILED", Node.FALLBACK, {}),
    (BLANK, Node.EXECUTOR, "UNKNOWN", Node.FALLBACK, {}),
    (RunState(gate=CLEAN_GATE), Node.GATEKEEPER, "PASS", Node.VERIFIED_INPUT, {}),
    (RunState(gate=LOW_GATE), Node.GATEKEEPER, "LOW_CONFID", Node.VERIFIED_INPUT, {}),
    (BLANK, Node.GATEKEEPER, "PASS", Node.FALLBACK, {}),
    (BLANK, Node.GATEKEEPER, "LOW_CONFID", Node.FALLBACK, {}),
    (RunState(gate=CLEAN_GATE), Node.GATEKEEPER, "REJECT", Node.FALLBACK, {}),
    (RunState(gate=CLEAN_GATE), Node.GATEKEEPER, "RETRYABLE_FAILED", Node.FALLBACK, {}),
    (RunState(gate=CLEAN_GATE), Node.GATEKEEPER, "NON_RETRYABLE_FAILED", Node.FALLBACK, {}),
    (RunState(gate=CLEAN_GATE), Node.GATEKEEPER, "INVALID_OUTPUT", Node.FALLBACK, {}),
    (RunState(gate=CLEAN_GATE), Node.GATEKEEPER, "UNKNOWN", Node.FALLBACK, {}),
    (BLANK, Node.VERIFIED_INPUT, "COMPLETED", Node.VERIFIER, {}),
    (BLANK, Node.VERIFIED_INPUT, "INVALID_OUTPUT", Node.FALLBACK, {}),
    (BLANK, Node.VERIFIED_INPUT, "FAILED", Node.FALLBACK, {}),
    (BLANK, Node.VERIFIED_INPUT, "UNKNOWN", Node.FALLBACK, {}),
    (judged(PASS), Node.VERIFIER, "COMPLETED", Node.COMPOSER, {}),
    (judged(REJECT), Node.VERIFIER, "COMPLETED", Node.COMPOSER, {}),
    (judged(LOW), Node.VERIFIER, "COMPLETED", Node.EVIDENCE_RETRY, {}),
    (judged(LOW, LOW_GATE), Node.VERIFIER, "COMPLETED", Node.COMPOSER, {}),
    (judged(LOW, evidence_retries=1), Node.VERIFIER, "COMPLETED", Node.COMPOSER, {}),
    (judged(LOW, gap=False), Node.VERIFIER, "COMPLETED", Node.COMPOSER, {}),
    (judged(NONE), Node.VERIFIER, "COMPLETED", Node.FALLBACK, {}),
    (BLANK, Node.VERIFIER, "INVALID_OUTPUT", Node.VERIFIER, {"verifier": 1}),
    (BLANK, Node.VERIFIER, "RETRYABLE_FAILED", Node.VERIFIER, {"verifier": 1}),
    (RunState(verifier_retry_count=1), Node.VERIFIER, "INVALID_OUTPUT", Node.FALLBACK, {}),
    (RunState(verifier_retry_count=1), Node.VERIFIER, "RETRYABLE_FAILED", Node.FALLBACK, {}),
    (BLANK, Node.VERIFIER, "NON_RETRYABLE_FAILED", Node.FALLBACK, {}),
    (BLANK, Node.VERIFIER, "UNKNOWN", Node.FALLBACK, {}),
    (
        RunState(planner_retry_count=1, verifier_retry_count=1),
        Node.EVIDENCE_RETRY,
        "COMPLETED",
        Node.PLANNER,
        {"planner": 0, "evidence": 1},
    ),
    (BLANK, Node.EVIDENCE_RETRY, "FAILED", Node.FALLBACK, {}),
    (BLANK, Node.EVIDENCE_RETRY, "UNKNOWN", Node.FALLBACK, {}),
    (BLANK, Node.COMPOSER, "COMPLETED", END, {}),
    (BLANK, Node.COMPOSER, "INVALID_OUTPUT", Node.COMPOSER, {"composer": 1}),
    (BLANK, Node.COMPOSER, "RETRYABLE_FAILED", Node.COMPOSER, {"composer": 1}),
    (RunState(composer_retry_count=1), Node.COMPOSER, "INVALID_OUTPUT", Node.FALLBACK, {}),
    (RunState(composer_retry_count=1), Node.COMPOSER, "RETRYABLE_FAILED", Node.FALLBACK, {}),
    (BLANK, Node.COMPOSER, "NON_RETRYABLE_FAILED", Node.FALLBACK, {}),
    (BLANK, Node.COMPOSER, "UNKNOWN", Node.FALLBACK, {}),
    (BLANK, Node.FALLBACK, "COMPLETED", END, {}),
    (BLANK, Node.FALLBACK, "FAILED", END, {}),
    (BLANK, Node.FALLBACK, "UNKNOWN", END, {}),
]


@pytest.mark.parametrize(("state", "node", "outcome", "target", "changes"), ROWS)
def test_each_row(state: RunState, node: Node, outcome: str, target: str, changes: dict[str, int]) -> None:
    assert step(state, node, outcome) == (target, changes)


def test_the_expectations_cover_every_outcome_of_every_node() -> None:
    expected = {(node, Outcome(outcome)) for _, node, outcome, _, _ in ROWS}
    assert expected == {(node, outcome) for node, outcomes in OUTCOMES.items() for outcome in outcomes}


def test_every_row_of_the_table_is_needed() -> None:
    taken = set()
    for state, node, outcome, _, _ in ROWS:
        for index, row in enumerate(DIAGNOSIS.rows):
            if row.node == node and outcome in row.outcomes and (not row.guard or row.guard.holds(state)):
                taken.add(index)
                break
    assert taken == set(range(len(DIAGNOSIS.rows)))


@pytest.mark.parametrize("node", list(Node))
@pytest.mark.parametrize("word", ["", "completed", "SOMETHING_NEW", "unknown_7"])
def test_a_word_that_a_node_does_not_declare_is_unknown_and_never_completes(node: Node, word: str) -> None:
    target, _ = step(judged(PASS), node, word)
    assert GRAPH.outcome(node, NodeResult(word, "completed")) is Outcome.UNKNOWN
    assert target == (END if node is Node.FALLBACK else Node.FALLBACK)


@pytest.mark.parametrize(
    ("classification", "due"),
    [
        (evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION, False),
        (evidence_pb2.CLASSIFICATION_CONTRADICTED, False),
        (evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE, True),
        (evidence_pb2.CLASSIFICATION_OVERSTATED, True),
        (evidence_pb2.CLASSIFICATION_UNSUPPORTED, True),
        (evidence_pb2.CLASSIFICATION_EXTERNAL_UNKNOWN, True),
    ],
)
def test_only_a_critical_claim_without_direct_evidence_starts_the_evidence_retry(
    classification: evidence_pb2.Classification.ValueType, due: bool
) -> None:
    state = judged(LOW)
    state.verification.claim_checks[0].classification = classification
    state.verification.claim_checks[1].classification = evidence_pb2.CLASSIFICATION_UNSUPPORTED
    assert step(state, Node.VERIFIER, "COMPLETED")[0] == (Node.EVIDENCE_RETRY if due else Node.COMPOSER)


# The states in which a node's guards can find a run, beside its counters.
SITUATIONS: dict[Node, list[Updates]] = {
    Node.VERIFIED_INPUT: [{"verified_input": INPUT}],
    Node.GATEKEEPER: [{"gate": gate} for gate in (CLEAN_GATE, LOW_GATE, CheckResponse())],
    Node.VERIFIER: [
        {"effective_verdict": verdict, "verification": checks}
        for verdict in (PASS, LOW, REJECT, NONE)
        for checks in (GAP, NO_GAP)
    ],
}


def paths(
    state: RunState, node: str, so_far: tuple[str, ...] = ()
) -> Iterator[tuple[RunState, tuple[str, ...]]]:
    if node == END:
        yield state, so_far
        return
    seen = set()
    for outcome in OUTCOMES[Node(node)]:
        for updates in SITUATIONS.get(Node(node), [{}]):
            result = NodeResult(outcome, "completed", updates)
            after = GRAPH.advance(state, Node(node), result, OrchestrationEvent(node=node, outcome=outcome))
            # The outcomes of one row lead to the same place; walking one of them is enough.
            key = (after.target, after.state.planner_retry_count, after.state.effective_verdict)
            if key not in seen:
                seen.add(key)
                yield from paths(after.state, after.target, (*so_far, node))


def test_every_path_ends_within_the_limit_and_keeps_the_invariants() -> None:
    count = 0
    for state, path in paths(RunState(), Node.PLANNER):
        count += 1
        assert len(path) <= DIAGNOSIS.recursion_limit
        assert path.count(Node.FALLBACK) <= 1
        assert path.count(Node.EVIDENCE_RETRY) <= 1
        assert path.count(Node.EXECUTOR) <= 2
        assert path.count(Node.PLANNER) <= 4
        assert path.count(Node.COMPOSER) <= 2
        assert path.count(Node.VERIFIER) <= 3
        assert path[-1] in (Node.COMPOSER, Node.FALLBACK)
        cycles = list(pairwise(path)).count((Node.EVIDENCE_RETRY, Node.PLANNER))
        assert state.evidence_retry_count == cycles
        for before, after in pairwise(path):
            if after == Node.VERIFIER:
                assert before in (Node.VERIFIED_INPUT, Node.VERIFIER)
            if after == Node.COMPOSER:
                assert before in (Node.VERIFIER, Node.COMPOSER)
            if after == Node.VERIFIED_INPUT:
                assert before == Node.GATEKEEPER
    assert count > 100
