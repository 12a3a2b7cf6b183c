"""What `verifier_evaluation` may be: its keys, their types, and which of them stand together."""

from typing import Annotated, Any, Literal

from assay.common.v1.evidence_pb2 import VerifiedClaim
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

Verdict = Literal["PASS", "LOW_CONFID", "REJECT"]
AgentStatus = Literal["COMPLETED", "INVALID_OUTPUT", "RETRYABLE_FAILED", "NON_RETRYABLE_FAILED", "UNKNOWN"]
Classification = Literal[
    "direct_observation",
    "reasonable_inference",
    "overstated",
    "unsupported",
    "external_unknown",
    "contradicted",
]
Rule = Literal[
    "schema.executor_v2",
    "evidence.invocation_ref",
    "evidence.raw_path",
    "evidence.matched_text",
    "evidence.provenance",
    "evidence.redaction",
]
Text = Annotated[str, Field(min_length=1)]
VERDICT_KEYS = (
    "model_verdict",
    "effective_verdict",
    "verdict",
    "rationale",
    "claim_checks",
    "facts_checked",
)
VERIFIED_KEYS = ("verified_executor_output", "verified_evidence", "executor_structured_output")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Reference(_Strict):
    claim_id: Text
    source_invocation_id: str
    tool_name: str
    raw_path: str


class Check(_Strict):
    claim_id: Text
    classification: Classification
    fabricated: bool
    evidence_refs: list[Reference]
    reason: str
    model_classification: Classification | Literal[""]
    guard_reason: str

    @model_validator(mode="after")
    def _a_changed_check_says_why(self) -> "Check":
        assert bool(self.model_classification) == bool(self.guard_reason)
        assert all(item.claim_id == self.claim_id for item in self.evidence_refs)
        return self


class Fact(_Strict):
    claim_id: Text
    fact_class: Literal["direct_evidence", "indirect_support", "no_evidence", "contradicted"]


def _claim(value: dict[str, object]) -> dict[str, object]:
    assert list(value) == [field.name for field in VerifiedClaim.DESCRIPTOR.fields]
    assert all(value[key] for key in ("claim_id", "claim_type", "status", "statement"))
    return value


# Exactly the members of the message: a claim's fields are written down in two places already.
Claim = Annotated[dict[str, object], AfterValidator(_claim)]


class Output(_Strict):
    version: Literal["executor_evidence_v2"]
    claims: Annotated[list[Claim], Field(min_length=1)]


class Place(_Strict):
    source: str
    first_line: int
    last_line: int
    time: str
    owner: str


class Evidence(_Strict):
    claim_id: Text
    source_invocation_id: Text
    tool_name: Text
    raw_path: str
    matched_text: Text
    derived: bool
    places: list[Place]


class Binding(_Strict):
    claim_index: Annotated[int, Field(ge=0)]
    binding_index: Annotated[int, Field(ge=0)]
    result: Literal["pass", "fail"]
    rule_id: Rule | Literal[""]
    outsider_written: bool


class Finding(_Strict):
    rule_id: Rule
    claim_index: Annotated[int, Field(ge=-1)]
    binding_index: Annotated[int, Field(ge=-1)]
    detail: str


class Gate(_Strict):
    status: Literal["pass", "fail"]
    severity: Literal["none", "low_confid", "reject"]
    checked_bindings: list[Binding]
    rules: Annotated[list[Rule], Field(min_length=1)]
    failed_rules: list[Rule]
    warnings: list[Finding]
    errors: list[Finding]

    @model_validator(mode="after")
    def _fail_is_exactly_a_failed_rule(self) -> "Gate":
        assert (self.status == "fail") == bool(self.failed_rules)
        return self


class Evaluated(_Strict):
    """What one cycle's gate and verification left."""

    model_verdict: Verdict | None = None
    effective_verdict: Verdict | None = None
    verdict: Verdict | None = None
    groundedness_score: Annotated[float, Field(ge=0, le=1)] | None = None
    rationale: str | None = None
    claim_checks: list[Check] | None = None
    facts_checked: list[Fact] | None = None
    verified_executor_output: Output | None = None
    verified_evidence: list[Evidence] | None = None
    executor_structured_output: Output | None = None
    gatekeeper_result: Gate | None = None

    @model_validator(mode="after")
    def _what_stands_together(self) -> "Evaluated":
        present = self.model_fields_set
        for keys in (VERDICT_KEYS, VERIFIED_KEYS):
            assert len(present & set(keys)) in (0, len(keys)), "one of several keys that belong together"
        if "verdict" in present:
            assert "verified_executor_output" in present
            self._check_verdicts()
        if "verified_executor_output" in present:
            assert self.executor_structured_output == self.verified_executor_output
        return self

    def _check_verdicts(self) -> None:
        assert self.verdict == self.effective_verdict
        assert self.verified_executor_output is not None
        claims = [str(item["claim_id"]) for item in self.verified_executor_output.claims]
        assert sorted(item.claim_id for item in self.claim_checks or ()) == sorted(claims)
        assert [item.claim_id for item in self.facts_checked or ()] == [
            item.claim_id for item in self.claim_checks or ()
        ]
        if self.verdict == "PASS":
            assert self.gatekeeper_result is not None
            assert self.gatekeeper_result.severity == "none"


class Prompt(_Strict):
    agent: Literal["planner", "executor", "verifier", "composer"]
    name: Annotated[str, Field(pattern=r"^[a-z_]{1,64}$")]
    version: Annotated[str, Field(pattern=r"^[0-9.]{1,16}$")]
    reasoner: Text
    called: bool


class PromptAudit(_Strict):
    version: Text
    prompts: Annotated[list[Prompt], Field(min_length=4, max_length=4)]

    @model_validator(mode="after")
    def _one_prompt_per_agent(self) -> "PromptAudit":
        assert [item.agent for item in self.prompts] == ["planner", "executor", "verifier", "composer"]
        return self


class Sections(_Strict):
    summary: Annotated[list[Text], Field(min_length=1)]
    confirmed: list[Text]
    possible_directions: list[Text]
    evidence_gaps: list[Text]
    next_checks: list[Text]


class ComposerOutput(_Strict):
    status: AgentStatus
    sections: Sections | None = None
    claim_ids: list[Text] | None = None

    @model_validator(mode="after")
    def _only_a_completed_composer_left_sections(self) -> "ComposerOutput":
        present = self.status == "COMPLETED"
        assert {"sections", "claim_ids"} & self.model_fields_set == (
            {"sections", "claim_ids"} if present else set()
        )
        return self


class RunFailure(_Strict):
    node: str
    status: str
    reason_code: Text


class VerifierEvaluation(Evaluated):
    """The channel of a run that has ended; its top-level keys describe the last cycle."""

    traceability_version: Text
    prompt_audit: PromptAudit
    verifier_status: AgentStatus | None = None
    composer_output: ComposerOutput | None = None
    first_verification: Evaluated | None = None
    failure: RunFailure | None = None

    @model_validator(mode="after")
    def _verdicts_come_from_a_completed_verifier(self) -> "VerifierEvaluation":
        completed = self.verifier_status == "COMPLETED"
        assert ("verdict" in self.model_fields_set) == completed
        if self.first_verification is not None:
            assert "verdict" in self.first_verification.model_fields_set
        if self.composer_output is not None and self.composer_output.status != "COMPLETED":
            assert self.failure is not None
        return self


def checked_evaluation(value: dict[str, Any]) -> VerifierEvaluation:
    """Return the parsed channel; raises ValidationError that names what is wrong."""
    return VerifierEvaluation.model_validate(value)
