"""Everything that a node can answer: statuses, status codes, errors, words that nobody declared."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import grpc
from assay.common.v1 import evidence_pb2
from assay.composer.v1.composer_pb2 import ComposerStatus
from assay.executor.v1.executor_pb2 import ExecutorStatus
from assay.gatekeeper.v1.gatekeeper_pb2 import GatekeeperStatus
from assay.planner.v1.planner_pb2 import PlannerStatus
from assay.verifier.v1.verifier_pb2 import VerifierStatus
from google.protobuf.descriptor import EnumDescriptor

from orchestrator.graph import CallFailedError, NodeResult
from orchestrator.graph.state import StateValue
from orchestrator.nodes.status import result_of
from tests.fakes.graph_states import CLEAN_GATE, GAP, INPUT, LOW_GATE, NO_GAP
from tests.proof import transition_table as table
from tests.proof.transition_table import Facts

STATUSES: Final[dict[str, EnumDescriptor]] = {
    "planner": PlannerStatus.DESCRIPTOR,
    "executor": ExecutorStatus.DESCRIPTOR,
    "gatekeeper": GatekeeperStatus.DESCRIPTOR,
    "verifier": VerifierStatus.DESCRIPTOR,
    "composer": ComposerStatus.DESCRIPTOR,
}
UNKNOWN_NUMBERS: Final = (0, 99, -1)
UNKNOWN_WORDS: Final = ("", "completed", "SOMETHING_NEW", "unknown_7", "DONE")
EVERY_WORD: Final = (
    "COMPLETED", "PASS", "LOW_CONFID", "REJECT", "INVALID_OUTPUT", "TOOL_BLOCKED", "RETRYABLE_FAILED",
    "NON_RETRYABLE_FAILED", "FAILED", "UNKNOWN",
)  # fmt: skip
_GATES: Final = {"PASS": CLEAN_GATE, "LOW_CONFID": LOW_GATE}
_VERDICTS: Final = {
    "PASS": evidence_pb2.VERDICT_PASS,
    "LOW_CONFID": evidence_pb2.VERDICT_LOW_CONFID,
    "REJECT": evidence_pb2.VERDICT_REJECT,
    "": evidence_pb2.VERDICT_UNSPECIFIED,
    "99": 99,
}


@dataclass(frozen=True)
class Answer:
    """What a port does, the outcome that the design gives it, and what it leaves for the guards."""

    name: str
    does: NodeResult | Exception
    outcome: str
    bindings: int | None = None
    ceiling: str | None = None
    effective: str | None = None
    critical_gap: bool | None = None

    def leaves(self, facts: Facts) -> Facts:
        """Return the facts after the node's own updates."""
        names = ("bindings", "ceiling", "effective", "critical_gap")
        told = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return replace(facts, **told)


def every_answer(node: str) -> list[Answer]:
    """Return all answers of a node, the one that completes it first."""
    answers = [*_words(node), *_errors(node)]
    if node in STATUSES:
        answers += [*_statuses(node), *_calls(node)]
    return [answer for plain in answers for answer in _situations(node, plain)]


def one_per_effect(node: str) -> list[Answer]:
    """Return one answer for each outcome that a node can have, in each situation."""
    found: dict[tuple[object, ...], Answer] = {}
    for answer in every_answer(node):
        effect = (answer.outcome, answer.bindings, answer.ceiling, answer.effective, answer.critical_gap)
        found.setdefault(effect, answer)
    return list(found.values())


def _words(node: str) -> Iterator[Answer]:
    for word in (*EVERY_WORD, *UNKNOWN_WORDS):
        outcome = word if word in table.DECLARED[node] else "UNKNOWN"
        yield Answer(f"word {word!r}", NodeResult(word, "completed"), outcome)


def _statuses(node: str) -> Iterator[Answer]:
    enum = STATUSES[node]
    prefix = f"{node}_STATUS_".upper()
    for value in enum.values:
        word = value.name.removeprefix(prefix)
        outcome = "UNKNOWN" if value.number == 0 else word
        yield Answer(f"status {value.name}", result_of(enum, value.number), outcome)
    for number in UNKNOWN_NUMBERS:
        yield Answer(f"status {number}", result_of(enum, number), "UNKNOWN")


def _calls(node: str) -> Iterator[Answer]:
    for code in grpc.StatusCode:
        if code is not grpc.StatusCode.OK:
            outcome = table.from_call(node, code.name)
            yield Answer(f"call {code.name}", CallFailedError(code.name), outcome)
    yield Answer("call with a new code", CallFailedError("NEW_CODE"), table.from_call(node, "NEW_CODE"))


def _errors(node: str) -> Iterator[Answer]:
    yield Answer("out of time", TimeoutError(), table.from_call(node, "DEADLINE_EXCEEDED"))
    yield Answer("defect", ValueError("a defect"), table.from_defect(node))


def _situations(node: str, answer: Answer) -> Iterator[Answer]:
    """An answer that completes its node, with each payload that a guard tells apart."""
    if not isinstance(answer.does, NodeResult):
        yield answer
    elif node == "gatekeeper" and answer.outcome in _GATES:
        gate = _GATES[answer.outcome]
        for bindings in (1, 0):
            counted = type(gate)()
            counted.CopyFrom(gate)
            counted.verified_binding_count = bindings
            updated = _with(answer, f"{bindings} bindings", gate=counted)
            yield replace(updated, bindings=bindings, ceiling=answer.outcome)
    elif node == "verified_input" and answer.outcome == "COMPLETED":
        yield _with(answer, "the input", verified_input=INPUT)
    elif node == "verifier" and answer.outcome == "COMPLETED":
        for effective, number in _VERDICTS.items():
            for gap in (True, False):
                name = f"effective {effective or 'none'}, {'a' if gap else 'no'} critical gap"
                checks = GAP if gap else NO_GAP
                updated = _with(answer, name, effective_verdict=number, verification=checks)
                yield replace(updated, effective=effective, critical_gap=gap)
    else:
        yield answer


def _with(answer: Answer, name: str, **updates: StateValue) -> Answer:
    if not isinstance(answer.does, NodeResult):
        raise TypeError("only a result carries updates")
    return replace(answer, name=f"{answer.name}, {name}", does=replace(answer.does, updates=updates))
