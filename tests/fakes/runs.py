"""A run as an orchestrator might return it, for tests of what is shown of it."""

from datetime import UTC, datetime

from assay.common.v1 import answer_pb2, context_pb2, evidence_pb2, tool_pb2
from assay.orchestrator.v1 import run_pb2
from google.protobuf.timestamp_pb2 import Timestamp


def instant(text: str) -> Timestamp:
    """Return a timestamp."""
    result = Timestamp()
    result.FromDatetime(datetime.fromisoformat(text).astimezone(UTC))
    return result


def binding(*places: tuple[str, int], derived: bool = False) -> answer_pb2.AllowedEvidence:
    """Return a passed binding that was read at some places."""
    return answer_pb2.AllowedEvidence(
        evidence=evidence_pb2.VerifiedEvidence(
            claim_id="c1",
            source_invocation_id="inv-1",
            tool_name="logs_search",
            raw_path="/lines/0/text",
            matched_text="connection refused",
            derived=derived,
            places=[evidence_pb2.Place(source=source, first_line=line) for source, line in places],
        )
    )


def proven_run() -> run_pb2.Run:
    """Return a run that ended with PASS and one suspect."""
    claim = evidence_pb2.VerifiedClaim(
        claim_id="c1",
        claim_type=evidence_pb2.CLAIM_TYPE_CAUSE,
        status=evidence_pb2.CLAIM_STATUS_CONFIRMED,
        critical=True,
        statement="api was reconfigured.",
        component="api",
        component_kind="service",
        fault="config.changed",
    )
    allowed = answer_pb2.AllowedClaim(
        claim=claim,
        classification=evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
        confirmed=True,
        evidence=[
            binding(("logs/api.log", 7)),
            binding(("metrics/a.json", 3), ("metrics/b.json", 9), derived=True),
        ],
    )
    return run_pb2.Run(
        run_id="run-1",
        status=run_pb2.RUN_STATUS_SUCCEEDED,
        context=context_pb2.DiagnosisContext(
            question="why?",
            intent=context_pb2.INTENT_CAUSE,
            window=context_pb2.TimeWindow(
                start=instant("2026-11-30T09:00:00Z"), end=instant("2026-11-30T09:10:00Z")
            ),
            scope=context_pb2.Scope(bundle="b"),
        ),
        effective_verdict=evidence_pb2.VERDICT_PASS,
        answer=answer_pb2.Answer(
            summary=[
                answer_pb2.Sentence(text="It broke.", claim_ids=["c1"]),
                answer_pb2.Sentence(text="It is proven.", template_id="verdict.pass"),
            ],
            confirmed=[answer_pb2.Sentence(text="api was reconfigured.", claim_ids=["c1"])],
            evidence_gaps=[answer_pb2.Sentence(text="No events.", gap_ids=["gap-1"])],
            next_checks=[answer_pb2.Sentence(text="Roll it back.", claim_ids=["c1"])],
        ),
        suspects=[
            answer_pb2.Suspect(component="api", kind="service", fault="config.changed", claim_ids=["c1"])
        ],
        claims=[allowed],
        checks=[
            evidence_pb2.ClaimCheck(
                claim_id="c1",
                classification=evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
                evidence_refs=[evidence_pb2.EvidenceReference(claim_id="c1")],
                reason="the line says it",
            )
        ],
        checked=[
            tool_pb2.Checked(
                tool_name="logs_search",
                status=tool_pb2.INVOCATION_STATUS_OK,
                invocation_id="inv-1",
                source="logs/api.log",
                source_kind="log",
            ),
            tool_pb2.Checked(
                tool_name="alerts_list",
                status=tool_pb2.INVOCATION_STATUS_ERROR,
                invocation_id="inv-2",
                source="alerts.json",
                reason="too large, narrow it",
            ),
            tool_pb2.Checked(source="change_event", reason="the bundle has none", source_kind="change_event"),
        ],
        usage=run_pb2.Usage(node_executions=6, tool_invocations=2, tool_output_bytes=123),
    )
