"""The claims that the real stack makes about the recorded incidents, with all that the guard is given."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assay.common.v1 import context_pb2, evidence_pb2
from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.client import connected
from orchestrator.cli.local_stack import local_stack
from orchestrator.cli.options import local_bundle, request
from services.common.evidence.guard import guard_checks
from tests.fakes.command_line import environment

INCIDENTS: Final = Path(__file__).resolve().parents[2] / "examples" / "incidents"
_TIMEOUT_SECONDS: Final = 300.0
_MODEL: Final = (
    evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
    evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE,
)


@dataclass(frozen=True)
class Incident:
    """One diagnosed incident: the claims that the verdict let stand, and what they rest on."""

    name: str
    context: context_pb2.DiagnosisContext
    claims: Sequence[evidence_pb2.VerifiedClaim]
    evidence: Sequence[evidence_pb2.VerifiedEvidence]
    arguments: Mapping[str, bytes]
    lowered: int

    def own(self, claim: evidence_pb2.VerifiedClaim) -> list[evidence_pb2.VerifiedEvidence]:
        """Return the evidence of a claim."""
        return [item for item in self.evidence if item.claim_id == claim.claim_id]

    def guarded(
        self,
        claim: evidence_pb2.VerifiedClaim,
        statement: str,
        component: str | None = None,
        model: "evidence_pb2.Classification.ValueType" = _MODEL[0],
    ) -> evidence_pb2.ClaimCheck:
        """Return the guarded check of a claim that says something else, and that the verifier believed."""
        changed = evidence_pb2.VerifiedClaim()
        changed.CopyFrom(claim)
        changed.statement = statement
        changed.component = claim.component if component is None else component
        output = evidence_pb2.VerifiedExecutorOutput(
            claims=[changed if item.claim_id == claim.claim_id else item for item in self.claims]
        )
        check = evidence_pb2.ClaimCheck(claim_id=claim.claim_id, classification=model)
        return guard_checks([check], output, self.evidence, self.context, self.arguments)[0]


async def diagnosed() -> list[Incident]:
    """Start the stack on this machine's loopback and diagnose every recorded incident."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(INCIDENTS.glob("*/bundle")):
            bundle = local_bundle(path)
            if bundle.root is None:
                raise ValueError(f"{path} is not a local bundle")
            home = Path(folder) / path.parent.name
            question = (path / "question.txt").read_text(encoding="utf-8").strip()
            async with (
                local_stack(home, bundle.root, environment(home)) as stack,
                connected(stack.address) as client,
            ):
                asked = request(question, bundle, "", "", "")
                found.append(
                    _incident(path.parent.name, await client.diagnose(asked, _TIMEOUT_SECONDS, _ignore))
                )
    return found


def _ignore(_message: object) -> None:
    return


def _incident(name: str, run: run_pb2.Run) -> Incident:
    return Incident(
        name=name,
        context=run.context,
        claims=[allowed.claim for allowed in run.claims],
        evidence=[item.evidence for allowed in run.claims for item in allowed.evidence],
        arguments={
            item.evidence.source_invocation_id: item.arguments_json
            for allowed in run.claims
            for item in allowed.evidence
        },
        lowered=sum(bool(check.model_classification) for check in run.checks),
    )
