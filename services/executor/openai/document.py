"""From a model's claims to an `executor_evidence_v2` document, within its limits by construction. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from services.common.evidence import strict_json
from services.common.evidence.document import (
    MAX_BINDINGS,
    MAX_CLAIMS,
    Claim,
    EvidenceBinding,
    ExecutorEvidence,
    serialize,
)
from services.common.evidence.faults import FAULTS
from services.common.evidence.matching import hides
from services.common.evidence.template_slots import CHANGE_TOOL
from services.executor.desk import Gathered
from services.executor.openai.answer import StatedClaim
from services.executor.openai.borne_out import is_borne_out
from services.executor.openai.citing import Citing
from services.executor.recorded import RecordedCall

_MAX_ID, _MAX_COMPONENT, _MAX_STATEMENT = 256, 256, 2048
# For what stands around the claims.
_FRAME_BYTES: Final = 4096


def document(gathered: Gathered, stated: Sequence[StatedClaim]) -> bytes:
    """Return the document. What is no claim at all is left out, and how many were is a gap of it.

    A reference that leads nowhere stays, as a binding that the gate fails. A confirmed claim without any
    reference counts as possible: the contract knows no other. So does a cause that cites a recorded change
    and no effect: every busy system is changed shortly before something breaks.
    """
    citing = Citing(gathered.calls)
    claims: list[Claim] = []
    left = strict_json.MAX_BYTES - _FRAME_BYTES
    for claim in _legal(stated, citing):
        left -= len(claim.model_dump_json().encode()) + 1
        if left < 0 or len(claims) == MAX_CLAIMS:
            break
        claims.append(claim)
    lost = len(stated) - len(claims)
    gaps = [f"{lost} of the claims were left out: no legal statement, or too many"] if lost else []
    return serialize(ExecutorEvidence(version="executor_evidence_v2", claims=claims, evidence_gaps=gaps))


def _legal(stated: Sequence[StatedClaim], citing: Citing) -> Iterator[Claim]:
    ids: set[str] = set()
    for number, claim in enumerate(stated, 1):
        if _is_legal(claim):
            claim_id = _free_id(claim.id, number, ids)
            ids.add(claim_id)
            bindings = citing.bindings(claim.refs, claim.statement, claim.component)
            yield _claim(claim, claim_id, bindings[:MAX_BINDINGS], citing.calls)


def _claim(
    stated: StatedClaim, claim_id: str, bindings: list[EvidenceBinding], calls: Sequence[RecordedCall]
) -> Claim:
    is_cause = stated.type == "cause"
    is_shown = is_cause and stated.fault in FAULTS and is_borne_out(stated.fault, bindings, calls)
    return Claim(
        claim_id=claim_id,
        claim_type=stated.type,
        status="possible" if not bindings or (is_cause and _are_changes(bindings)) else stated.status,
        critical=stated.critical,
        statement=stated.statement,
        component=stated.component,
        component_kind=stated.kind if is_cause else "",
        fault=stated.fault if is_shown else "",
        evidence_bindings=bindings,
    )


def _are_changes(bindings: Sequence[EvidenceBinding]) -> bool:
    return all(binding.tool_name == CHANGE_TOOL for binding in bindings)


def _is_legal(claim: StatedClaim) -> bool:
    shown = claim.statement.strip() and not hides(claim.statement) and not hides(claim.component)
    return bool(shown) and len(claim.statement) <= _MAX_STATEMENT and len(claim.component) <= _MAX_COMPONENT


def _free_id(wanted: str, number: int, taken: set[str]) -> str:
    if wanted.strip() and len(wanted) <= _MAX_ID and not hides(wanted) and wanted not in taken:
        return wanted
    return next(
        f"claim-{each}" for each in range(number, number + MAX_CLAIMS + 1) if f"claim-{each}" not in taken
    )
