"""The `executor_evidence_v2` document: the only thing an executor may say.

It travels as bytes and is parsed strictly, because a typed message could not show a duplicate or an unknown
key. Every key that is not named here is refused.
"""

import json
from collections import Counter
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from services.common.evidence import strict_json
from services.common.evidence.faults import FAULTS

VERSION = "executor_evidence_v2"
MAX_CLAIMS = 128
MAX_BINDINGS = 32
MAX_GAPS = 128

ClaimTypeName = Literal["symptom", "cause", "impact", "context"]
ClaimStatusName = Literal["confirmed", "possible"]
ComponentKind = Literal[
    "",
    "service",
    "database",
    "cache",
    "queue",
    "proxy",
    "job",
    "pod",
    "workload",
    "node",
    "volume",
    "network",
    "external",
]

Name = Annotated[str, StringConstraints(min_length=1, max_length=256)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=2048)]


class DocumentError(ValueError):
    """The bytes are not a legal document. Each problem names a place and a rule, never the text there."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class _Strict(BaseModel):
    # Pydantic would otherwise show the refused input in its errors.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


class EvidenceBinding(_Strict):
    """A claim's tie to one place of one recorded output."""

    source_invocation_id: Name
    tool_name: Name
    raw_path: Annotated[str, StringConstraints(max_length=1024)]
    matched_text: Annotated[str, StringConstraints(min_length=1, max_length=8192)]


class Claim(_Strict):
    """One statement and what it rests on."""

    claim_id: Name
    claim_type: ClaimTypeName
    status: ClaimStatusName
    critical: bool
    statement: Text
    component: Annotated[str, StringConstraints(max_length=256)]
    component_kind: ComponentKind = ""
    fault: str = ""
    evidence_bindings: Annotated[list[EvidenceBinding], Field(max_length=MAX_BINDINGS)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.status == "confirmed" and not self.evidence_bindings:
            raise ValueError("a confirmed claim needs at least one evidence binding")
        if self.fault and self.fault not in FAULTS:
            raise ValueError("the fault is not on the documented list")
        if self.claim_type != "cause" and (self.fault or self.component_kind):
            raise ValueError("only a cause names a component kind or a fault")
        return self


class ExecutorEvidence(_Strict):
    """The whole document."""

    version: Literal["executor_evidence_v2"]
    claims: Annotated[list[Claim], Field(max_length=MAX_CLAIMS)]
    evidence_gaps: Annotated[list[Text], Field(max_length=MAX_GAPS)] = []

    @model_validator(mode="after")
    def _check(self) -> Self:
        if any(count > 1 for count in Counter(claim.claim_id for claim in self.claims).values()):
            raise ValueError("two claims have one claim_id")
        return self


def is_outline(data: bytes) -> bool:
    """Tell whether bytes are one JSON object of the version with a claims list, and not too large.

    That much makes an executor's output a document at all; everything stricter is the Gatekeeper's to say.
    """
    if len(data) > strict_json.MAX_BYTES:
        return False
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(value, dict) and value.get("version") == VERSION and isinstance(value.get("claims"), list)
    )


def parse(data: bytes) -> ExecutorEvidence:
    """Parse a document strictly; raises DocumentError with every problem that was found."""
    try:
        value = strict_json.loads(data)
    except strict_json.StrictJsonError as error:
        raise DocumentError([str(error)]) from None
    try:
        return ExecutorEvidence.model_validate(_typed(value))
    except ValidationError as error:
        raise DocumentError([_problem(item["loc"], item["msg"]) for item in error.errors()]) from None


def bound_invocations(data: bytes) -> set[str]:
    """Return the invocation ids that the claims of a document are bound to; none when it is not legal."""
    try:
        claims = parse(data).claims
    except DocumentError:
        return set()
    return {binding.source_invocation_id for claim in claims for binding in claim.evidence_bindings}


def serialize(document: ExecutorEvidence) -> bytes:
    """Write a document as it travels."""
    return document.model_dump_json().encode("utf-8")


def is_critical(claim: Claim) -> bool:
    """Tell whether the verdict hangs on a claim: the executor's flag, and every confirmed cause."""
    return claim.critical or (claim.claim_type == "cause" and claim.status == "confirmed")


def _typed(value: strict_json.Json) -> object:
    """Return a value whose number tokens are numbers: a token is a str, and would pass for a text."""
    match value:
        case strict_json.NumberToken():
            return value.value()
        case list():
            return [_typed(item) for item in value]
        case dict():
            return {key: _typed(item) for key, item in value.items()}
        case _:
            return value


def _problem(location: tuple[int | str, ...], message: str) -> str:
    known = {*ExecutorEvidence.model_fields, *Claim.model_fields, *EvidenceBinding.model_fields}
    # An unknown key is a stranger's text: it is counted, not shown.
    shown = [str(part) if isinstance(part, int) or part in known else "(unknown key)" for part in location]
    return f"/{'/'.join(shown)}: {message}"
