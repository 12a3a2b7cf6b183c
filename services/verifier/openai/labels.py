"""Short names of claims and evidence, which rendering and translation share. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.common.v1 import evidence_pb2
from assay.verifier.v1 import verifier_pb2


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim and its evidence by label, in document order."""

    label: str
    claim: evidence_pb2.VerifiedClaim
    items: dict[str, evidence_pb2.VerifiedEvidence] = field(default_factory=dict)


def labelled(request: verifier_pb2.VerifyRequest) -> list[LabelledClaim]:
    """Return every claim as c1, c2, ... and its evidence as e1, e2, ...

    What several claims cite has one label: it is shown once.
    """
    own: dict[str, list[evidence_pb2.VerifiedEvidence]] = {}
    for item in request.verified_evidence:
        own.setdefault(item.claim_id, []).append(item)
    labels: dict[tuple[str, str, str, str], str] = {}
    found: list[LabelledClaim] = []
    for index, claim in enumerate(request.verified_executor_output.claims, start=1):
        row = LabelledClaim(f"c{index}", claim)
        for item in own.get(claim.claim_id, []):
            key = (item.source_invocation_id, item.tool_name, item.raw_path, item.matched_text)
            row.items.setdefault(labels.setdefault(key, f"e{len(labels) + 1}"), item)
        found.append(row)
    return found


def in_brackets(labels: list[str]) -> str:
    """Return labels as a list in which runs are written e3-e7."""
    return " ".join(_runs([int(label[1:]) for label in labels]))


def _runs(numbers: list[int]) -> Iterator[str]:
    start = 0
    for end in range(1, len(numbers) + 1):
        if end < len(numbers) and numbers[end] == numbers[end - 1] + 1:
            continue
        first, last = numbers[start], numbers[end - 1]
        yield f"e{first}" if first == last else f"e{first}-e{last}"
        start = end
