"""A model's judgement becomes a verification of the protocol, or is refused as a whole."""

from typing import Any

import pytest
from assay.common.v1 import evidence_pb2
from assay.verifier.v1 import verifier_pb2
from hypothesis import given
from hypothesis import strategies as st

from services.common.evidence.verdict import allowed_by_checks
from services.common.evidence.verifier_protocol import accept
from services.common.llm.failures import FAILURES
from services.common.llm.port import Kind
from services.verifier.domain import verify
from services.verifier.offline.adapter import OfflineReasoner
from services.verifier.openai.reasoner import OpenAIReasoner
from tests.fakes.claims import claim, item, request
from tests.fakes.reasoned import plenty
from tests.fakes.scripted_model import ScriptedModel, saying

TOKENS = 32_000
COMPLETED = verifier_pb2.VERIFIER_STATUS_COMPLETED
INVALID = verifier_pb2.VERIFIER_STATUS_INVALID_OUTPUT
JUDGED = [
    "direct_observation",
    "reasonable_inference",
    "overstated",
    "unsupported",
    "external_unknown",
    "contradicted",
]


def asked() -> verifier_pb2.VerifyRequest:
    return request(
        [
            claim("The pool is full.", claim_id="cause-1", claim_type=evidence_pb2.CLAIM_TYPE_CAUSE),
            claim("It fails.", claim_id="impact-1", critical=False),
        ],
        [
            item("pool is full", claim_id="cause-1"),
            item("20", "/literals/0/count_after", claim_id="cause-1", tool_name="logs_templates"),
            item("20", "/literals/0/count_after", claim_id="impact-1", tool_name="logs_templates"),
        ],
    )


def check(label: str, judged: str = "direct_observation", *refs: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {
        "claim": label,
        "judged": judged,
        "refs": list(refs),
        "invented": False,
        "why": "it says so",
        **more,
    }


BOTH = [check("c1", "direct_observation", "e1", "e2"), check("c2", "overstated", "e2")]


def judgement(checks: list[dict[str, Any]], **more: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"checks": checks, "verdict": "pass", "score": 0.8, "why": "carried", **more}


async def judged(model: ScriptedModel, *, falls_back: bool = False) -> verifier_pb2.VerifyResponse:
    instead = OfflineReasoner() if falls_back else None
    return await verify(OpenAIReasoner(model, TOKENS, instead), asked(), plenty)


async def test_labels_become_references() -> None:
    answer = await judged(saying(judgement(BOTH)))
    assert answer.status == COMPLETED
    first, second = answer.verification.claim_checks
    assert first == evidence_pb2.ClaimCheck(
        claim_id="cause-1",
        classification=evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
        evidence_refs=[
            evidence_pb2.EvidenceReference(
                claim_id="cause-1", source_invocation_id="inv-1", tool_name=tool, raw_path=path
            )
            for tool, path in [
                ("logs_search", "/lines/0/text"),
                ("logs_templates", "/literals/0/count_after"),
            ]
        ],
        reason="it says so",
    )
    # One label for what two claims cite; each reference is its own claim's.
    assert [reference.claim_id for reference in second.evidence_refs] == ["impact-1"]
    assert answer.verification.model_verdict == evidence_pb2.VERDICT_PASS
    assert answer.verification.groundedness_score == 0.8
    assert (answer.reasoning.reasoner, answer.reasoning.prompt_name) == ("openai", "verifier_openai")


async def test_the_verdict_is_at_most_what_the_checks_allow() -> None:
    answer = await judged(saying(judgement([check("c1", "overstated"), check("c2", "unsupported")])))
    assert answer.status == COMPLETED
    assert answer.verification.model_verdict == evidence_pb2.VERDICT_LOW_CONFID


async def test_an_invented_critical_claim_rejects() -> None:
    checks = [check("c1", "unsupported", invented=True), check("c2", "overstated")]
    answer = await judged(saying(judgement(checks)))
    assert answer.verification.model_verdict == evidence_pb2.VERDICT_REJECT


@pytest.mark.parametrize(
    "said",
    [
        judgement([]),
        judgement(BOTH[:1]),
        judgement([*BOTH, BOTH[0]]),
        judgement([BOTH[0], check("c3", "overstated")]),
        judgement([BOTH[0], check("impact-1", "overstated")]),
        judgement([BOTH[0], check("c2", "overstated", "e1")]),
        judgement([BOTH[0], check("c2", "overstated", "e9")]),
        judgement([check("c1"), BOTH[1]]),
        judgement(BOTH, score=0.4),
        judgement(BOTH, score=1.5),
        judgement(BOTH, score=float("nan")),
        judgement(BOTH, verdict="reject"),
    ],
)
async def test_a_judgement_that_breaks_the_protocol_is_none(said: dict[str, Any]) -> None:
    answer = await judged(saying(said))
    assert (answer.status, answer.reasoning.model_failure) == (INVALID, "broke_rules")
    assert not answer.HasField("verification")


async def test_long_and_odd_reasons_are_bounded_and_visible() -> None:
    checks = [{**row, "why": "\u202e\ud800" + "x" * 3000} for row in BOTH]
    answer = await judged(saying(judgement(checks, why="\n" + "y" * 9000)))
    assert answer.status == COMPLETED
    reasons = [row.reason for row in answer.verification.claim_checks]
    assert all(reason.startswith(r"\u202e\ud800xxx") and len(reason) == 200 for reason in reasons)
    assert answer.verification.rationale.startswith(r"\nyyy")
    assert len(answer.verification.rationale) == 1000


@pytest.mark.parametrize("kind", Kind)
async def test_a_failed_call_is_what_the_table_says(kind: Kind) -> None:
    answer = await judged(saying(kind))
    expected = verifier_pb2.VerifierStatus.Value(f"VERIFIER_STATUS_{FAILURES[kind].failed_as.value}")
    assert (answer.status, answer.reasoning.model_failure) == (expected, kind.value)


@pytest.mark.parametrize("said", [Kind.UNREACHABLE, judgement([])])
async def test_with_another_reasoner_it_goes_on_and_says_so(said: dict[str, Any] | Kind) -> None:
    answer = await judged(saying(said), falls_back=True)
    alone = await verify(OfflineReasoner(), asked(), plenty)
    assert (answer.status, answer.verification) == (COMPLETED, alone.verification)
    assert (answer.reasoning.reasoner, answer.reasoning.prompt_name) == ("offline", "verifier_offline_rules")
    assert answer.reasoning.model_failure in ("unreachable", "broke_rules")


CHECKS = st.builds(
    check,
    st.sampled_from(["c1", "c2", "c3", "cause-1"]),
    st.sampled_from(JUDGED),
    invented=st.booleans(),
    refs=st.lists(st.sampled_from(["e1", "e2", "e3", "x"]), max_size=3),
    why=st.text(max_size=20),
)
LEGAL = st.tuples(
    st.builds(check, st.just("c1"), st.sampled_from(JUDGED), st.just("e1"), invented=st.booleans()),
    st.builds(check, st.just("c2"), st.sampled_from(JUDGED), st.just("e2"), invented=st.booleans()),
).map(list)
JUDGEMENTS = st.builds(
    judgement,
    st.one_of(LEGAL, st.lists(CHECKS, max_size=3)),
    verdict=st.sampled_from(["pass", "low_confid", "reject"]),
    score=st.floats(),
    why=st.text(max_size=20),
)


@given(JUDGEMENTS)
async def test_whatever_the_model_says_the_response_is_legal(said: dict[str, Any]) -> None:
    answer = await judged(saying(said))
    assert answer.status in (COMPLETED, INVALID)
    assert answer.HasField("verification") == (answer.status == COMPLETED)
    if answer.status == COMPLETED:
        output = asked().verified_executor_output
        accept(answer.verification, output, asked().verified_evidence)
        allowed = allowed_by_checks(
            answer.verification.claim_checks, output, asked().diagnosis_context.intent
        )
        assert answer.verification.model_verdict <= allowed
