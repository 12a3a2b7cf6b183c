"""The guards of the table: named conditions on the state."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from assay.common.v1 import evidence_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2
from assay.orchestrator.v1.state_pb2 import RunState
from assay.verifier.v1.verifier_pb2 import VerifyRequest

from services.common.evidence import verdict


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition on the state. `zero_counter` names the counter that must be 0 for it to hold, if any."""

    name: str
    holds: Callable[[RunState], bool]
    zero_counter: str = ""


def _is_zero(counter: str) -> Guard:
    return Guard(f"{counter} = 0", lambda state: getattr(state, counter) == 0, zero_counter=counter)


def _evidence_retry_due(state: RunState) -> bool:
    return (
        state.effective_verdict == evidence_pb2.VERDICT_LOW_CONFID
        and state.gate.status == gatekeeper_pb2.GATEKEEPER_STATUS_PASS
        and state.evidence_retry_count == 0
        and has_critical_gap(state)
    )


def has_critical_gap(state: RunState) -> bool:
    """Tell whether a critical claim of this cycle has, by its check, no evidence or only indirect support."""
    output = VerifyRequest.FromString(state.verified_input).verified_executor_output
    return bool(verdict.critical_gaps(state.verification.claim_checks, output))


PLANNER_RETRY_LEFT: Final = _is_zero("planner_retry_count")
VERIFIER_RETRY_LEFT: Final = _is_zero("verifier_retry_count")
COMPOSER_RETRY_LEFT: Final = _is_zero("composer_retry_count")
HAS_VERIFIED_BINDING: Final = Guard(
    "at least one verified binding", lambda state: state.gate.verified_binding_count > 0
)
EVIDENCE_RETRY_DUE: Final = Guard(
    "effective LOW_CONFID, ceiling PASS, a critical valid evidence gap, evidence_retry_count = 0",
    _evidence_retry_due,
    zero_counter="evidence_retry_count",
)
HAS_VERDICT: Final = Guard(
    "effective PASS, LOW_CONFID or REJECT",
    lambda state: (
        state.effective_verdict
        in (evidence_pb2.VERDICT_PASS, evidence_pb2.VERDICT_REJECT, evidence_pb2.VERDICT_LOW_CONFID)
    ),
)
