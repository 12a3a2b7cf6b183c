"""Hypothesis strategies for requests to the composer, odd ones included."""

import json

from assay.common.v1 import answer_pb2, context_pb2, evidence_pb2, tool_pb2
from assay.composer.v1 import composer_pb2
from hypothesis import strategies as st

from services.common.evidence.refusals import REASONS
from services.common.evidence.template_slots import UNREACHED
from tests.fakes.compose_requests import TYPES

# What outsiders can put into names and lines: separators, braces, quotes, pattern characters, other scripts.
WORDS = st.text("ab0123 .,;:()[]{}\"'\\/|*+?$^-_ä…\n", min_size=1, max_size=24).filter(str.strip)
INSTANTS = st.sampled_from(["2026-11-30T09:10:53Z", "2027-01-02T03:04:05.678Z", ""])
TOOLS = st.sampled_from(
    [
        "logs_search",
        "logs_templates",
        "metrics_change_points",
        "metrics_saturation",
        "change_events_list",
        "alerts_list",
        "other",
    ]
)
PATHS = st.sampled_from(
    [
        "/lines/0/text",
        "/literals/0/first/text",
        "/series/1/name",
        "/series/1/labels",
        "/series/1/last/value",
        "/series/1/query",
        "/series/2/ended",
        "/pairs/0/usage_name",
        "/elements/0/value/summary",
        "/elements/0/value/time",
        "",
    ]
)
PLACES = st.builds(
    evidence_pb2.Place,
    source=WORDS,
    first_line=st.integers(0, 9999),
    time=INSTANTS,
    owner=st.one_of(st.just(""), WORDS),
)
STATEMENTS = st.lists(
    st.one_of(
        WORDS,
        st.sampled_from(
            ["42 times", '"too many clients"', "at 2026-11-30T09:10:53Z", "no errors", "x.y_z", "10.0.0.1:80"]
        ),
    ),
    min_size=1,
    max_size=5,
).map(" ".join)


@st.composite
def evidence_items(draw: st.DrawFn, claim_id: str) -> answer_pb2.AllowedEvidence:
    item = evidence_pb2.VerifiedEvidence(
        claim_id=claim_id,
        source_invocation_id=draw(st.sampled_from(["inv-1", "inv-2"])),
        tool_name=draw(TOOLS),
        raw_path=draw(PATHS),
        matched_text=draw(st.one_of(WORDS, INSTANTS.filter(bool))),
        derived=draw(st.booleans()),
        places=draw(st.lists(PLACES, max_size=2)),
    )
    arguments = draw(
        st.one_of(
            st.builds(lambda words: json.dumps({"contains": words}).encode(), st.lists(WORDS, max_size=2)),
            st.sampled_from([b"", b"{}", b"[1]", b"no JSON", b'{"contains": 3}']),
        )
    )
    return answer_pb2.AllowedEvidence(evidence=item, arguments_json=arguments)


@st.composite
def allowed_claims(draw: st.DrawFn, number: int) -> answer_pb2.AllowedClaim:
    claim_id = f"claim-{number}"
    status = draw(st.sampled_from([evidence_pb2.CLAIM_STATUS_CONFIRMED, evidence_pb2.CLAIM_STATUS_POSSIBLE]))
    classification = draw(
        st.sampled_from(
            [
                evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
                evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE,
            ]
        )
    )
    return answer_pb2.AllowedClaim(
        claim=evidence_pb2.VerifiedClaim(
            claim_id=claim_id,
            claim_type=draw(st.sampled_from(sorted(TYPES.values()))),
            status=status,
            critical=draw(st.booleans()),
            statement=draw(STATEMENTS),
            component=draw(st.one_of(st.just(""), WORDS)),
        ),
        classification=classification,
        confirmed=status == evidence_pb2.CLAIM_STATUS_CONFIRMED
        and classification == evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
        evidence=draw(st.lists(evidence_items(claim_id), min_size=1, max_size=4)),
    )


@st.composite
def gaps(draw: st.DrawFn, number: int) -> evidence_pb2.EvidenceGap:
    gap = evidence_pb2.EvidenceGap(
        gap_id=f"gap-{number}",
        claim_type=draw(st.sampled_from([evidence_pb2.CLAIM_TYPE_UNSPECIFIED, *TYPES.values()])),
    )
    match draw(st.integers(0, 5)):
        case 0:
            gap.classification = draw(st.sampled_from(evidence_pb2.Classification.values()))
        case 1:
            gap.rule_id = "evidence.raw_path"
        case 2:
            gap.source.source = draw(
                st.one_of(st.sampled_from(["", "log", "metric", "topology", "logs_search"]), WORDS)
            )
            gap.source.reason = draw(
                st.one_of(st.sampled_from(["", " ", "...", "TIMEOUT", UNREACHED]), WORDS)
            )
        case 3:
            gap.no_supported_cause = True
        case 4:
            gap.refusal = draw(st.one_of(st.sampled_from(sorted(REASONS)), WORDS))
    return gap


CHECKED = st.builds(
    tool_pb2.Checked,
    tool_name=st.sampled_from(["", "logs_search"]),
    status=st.sampled_from(tool_pb2.InvocationStatus.values()),
    source=st.one_of(st.sampled_from(["", "topology"]), WORDS),
    reason=st.one_of(st.just(""), st.sampled_from(["the bundle has none", UNREACHED]), WORDS),
)


@st.composite
def requests(draw: st.DrawFn) -> composer_pb2.ComposeRequest:
    verdict = draw(
        st.sampled_from(
            [evidence_pb2.VERDICT_REJECT, evidence_pb2.VERDICT_LOW_CONFID, evidence_pb2.VERDICT_PASS]
        )
    )
    count = 0 if verdict == evidence_pb2.VERDICT_REJECT else draw(st.integers(0, 5))
    return composer_pb2.ComposeRequest(
        question="Why?",
        intent=draw(st.sampled_from([context_pb2.INTENT_CAUSE, context_pb2.INTENT_LOOKUP])),
        effective_verdict=verdict,
        claims=[draw(allowed_claims(number)) for number in range(count)],
        gaps=[draw(gaps(number)) for number in range(draw(st.integers(0, 5)))],
        checked=draw(st.lists(CHECKED, max_size=5)),
    )
