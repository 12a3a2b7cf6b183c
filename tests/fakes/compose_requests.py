"""ComposeRequests as the recorded incidents and their like lead to them."""

import json
from collections.abc import Sequence

from assay.common.v1 import answer_pb2, context_pb2, evidence_pb2, tool_pb2
from assay.composer.v1 import composer_pb2

TYPES = {
    "symptom": evidence_pb2.CLAIM_TYPE_SYMPTOM,
    "cause": evidence_pb2.CLAIM_TYPE_CAUSE,
    "impact": evidence_pb2.CLAIM_TYPE_IMPACT,
    "context": evidence_pb2.CLAIM_TYPE_CONTEXT,
}
DIRECT = evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION
INFERRED = evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE


def evidence(
    tool_name: str,
    raw_path: str,
    matched_text: str,
    source: str,
    line: int,
    *,
    time: str = "",
    owner: str = "",
    arguments: dict[str, object] | None = None,
) -> answer_pb2.AllowedEvidence:
    """Return one passed binding with its place; the invocation is named after tool and source."""
    return answer_pb2.AllowedEvidence(
        evidence=evidence_pb2.VerifiedEvidence(
            source_invocation_id=f"inv-{tool_name}-{source}",
            tool_name=tool_name,
            raw_path=raw_path,
            matched_text=matched_text,
            derived=tool_name.startswith(("metrics_change", "metrics_satur", "logs_templates")),
            places=[
                evidence_pb2.Place(source=source, first_line=line, last_line=line, time=time, owner=owner)
            ],
        ),
        arguments_json=json.dumps(arguments or {"source": source}).encode(),
    )


def claim(
    claim_id: str,
    statement: str,
    component: str,
    items: Sequence[answer_pb2.AllowedEvidence],
    *,
    classification: evidence_pb2.Classification.ValueType = DIRECT,
    possible: bool = False,
    critical: bool = False,
    fault: str = "",
) -> answer_pb2.AllowedClaim:
    """Return an allowed claim; its type is the first word of its id."""
    for item in items:
        item.evidence.claim_id = claim_id
    status = evidence_pb2.CLAIM_STATUS_POSSIBLE if possible else evidence_pb2.CLAIM_STATUS_CONFIRMED
    return answer_pb2.AllowedClaim(
        claim=evidence_pb2.VerifiedClaim(
            claim_id=claim_id,
            claim_type=TYPES[claim_id.split("-", maxsplit=1)[0]],
            status=status,
            critical=critical,
            statement=statement,
            component=component,
            component_kind="service" if fault else "",
            fault=fault,
        ),
        classification=classification,
        confirmed=not possible and classification == DIRECT,
        evidence=items,
    )


def read(*sources: str) -> list[tool_pb2.Checked]:
    """Return rows of sources that were read."""
    return [
        tool_pb2.Checked(
            tool_name="logs_templates",
            status=tool_pb2.INVOCATION_STATUS_OK,
            invocation_id=f"inv-{source}",
            source=source,
        )
        for source in sources
    ]


def absent(*kinds: str) -> list[tool_pb2.Checked]:
    """Return rows of kinds of source that the scope has none of."""
    return [tool_pb2.Checked(source=kind, reason="the bundle has none") for kind in kinds]


def absent_gaps(*kinds: str) -> list[evidence_pb2.EvidenceGap]:
    """Return the gaps that such rows lead to."""
    return [
        evidence_pb2.EvidenceGap(
            gap_id=f"gap-{kind}", source=evidence_pb2.SourceGap(source=kind, reason="the bundle has none")
        )
        for kind in kinds
    ]


def series(
    source: str, number: int, name: str, labels: str, **members: str
) -> list[answer_pb2.AllowedEvidence]:
    """Return the bindings of one changed series; `before__value` is the member /before/value."""
    made = [
        ("name", name),
        ("labels", labels),
        *((key.replace("__", "/"), text) for key, text in members.items()),
    ]
    return [
        evidence("metrics_change_points", f"/series/{number}/{member}", text, source, 12, arguments={})
        for member, text in made
    ]


def used_up() -> composer_pb2.ComposeRequest:
    """Return the request after a proven cause: a client that uses up a server's connections."""
    held = series(
        "metrics/pg_connections_by_app.json",
        3,
        "pg_connections_by_app",
        '{application_name="checkout",state="idle"}',
        onset="2026-11-30T09:09:55Z",
        before__value="4",
        extreme__value="76",
    )
    refusal = "FATAL:  sorry, too many clients already"
    line = f"2026-11-30 09:10:53.123 UTC [4242] checkout@shop {refusal}"
    limit = [
        evidence("metrics_saturation", f"/pairs/0/{member}", text, "metrics/pg_max_connections.json", 1)
        for member, text in (
            ("usage_name", "pg_connections_by_app"),
            ("usage_max", "80"),
            ("limit_name", "pg_max_connections"),
            ("limit", "80"),
        )
    ]
    change = "checkout configuration revision 42 rolled out: db.session_pinning false -> true"
    claims = [
        claim(
            "symptom-1",
            f'postgres logged "{refusal}" 2118 times from 2026-11-30T09:10:53Z; 0 before '
            "2026-11-30T09:09:55Z.",
            "postgres",
            [
                evidence(
                    "logs_search",
                    "/lines/0/text",
                    line,
                    "logs/postgres.log",
                    236,
                    time="2026-11-30T09:10:53.123Z",
                    owner="postgres",
                    arguments={"source": "logs/postgres.log", "contains": [refusal]},
                ),
                evidence("logs_templates", "/literals/0/first/text", line, "logs/postgres.log", 236),
                evidence("logs_templates", "/literals/0/count_after", "2118", "logs/postgres.log", 236),
            ],
            critical=True,
        ),
        claim(
            "symptom-2",
            'pg_connections_by_app{application_name="checkout",state="idle"} rose from 4 to 76, beginning at '
            "2026-11-30T09:09:55Z.",
            "checkout",
            held,
        ),
        claim(
            "symptom-3",
            "postgres: the sum of pg_connections_by_app reached 80, where pg_max_connections is 80.",
            "postgres",
            limit,
        ),
        claim(
            "impact-1",
            "nginx answered 1534 requests with status 504 from 2026-11-30T09:11:04Z; 0 before.",
            "nginx",
            [
                evidence(
                    "logs_templates",
                    "/templates/0/first/text",
                    '127.0.0.1 - - [30/Nov/2026:09:11:04 +0000] "POST /api/checkout HTTP/1.1" 504 167',
                    "logs/nginx-access.log",
                    2211,
                    time="2026-11-30T09:11:04Z",
                    owner="nginx",
                )
            ],
        ),
        claim(
            "context-1",
            "redis logged 0 errors in the whole window.",
            "redis",
            [evidence("logs_templates", "/errors_after", "0", "logs/redis.log", 1)],
        ),
        claim(
            "cause-1",
            f'checkout: the change "{change}" took effect at 2026-11-30T09:09:50.277Z, before '
            'pg_connections_by_app{application_name="checkout",state="idle"} began to rise from 4 at '
            "2026-11-30T09:09:55Z.",
            "checkout",
            [
                evidence(
                    "change_events_list",
                    "/elements/1/value/time",
                    "2026-11-30T09:09:50.277Z",
                    "events.json",
                    10,
                ),
                evidence("change_events_list", "/elements/1/value/summary", change, "events.json", 10),
                *series(
                    "metrics/pg_connections_by_app.json",
                    3,
                    "pg_connections_by_app",
                    '{application_name="checkout",state="idle"}',
                    onset="2026-11-30T09:09:55Z",
                ),
            ],
            classification=INFERRED,
            fault="config.changed",
        ),
    ]
    return composer_pb2.ComposeRequest(
        question="HighErrorRate for checkout fires since 09:11:37: what is the root cause?",
        intent=context_pb2.INTENT_CAUSE,
        effective_verdict=evidence_pb2.VERDICT_PASS,
        claims=claims,
        checked=read("alerts.json", "events.json", "logs/postgres.log", "logs/checkout.log"),
    )


def passed_by() -> composer_pb2.ComposeRequest:
    """Return the request after an abstention: something was seen and nothing explains it."""
    claims = [
        claim(
            "symptom-1",
            "nginx answered 20 requests in more than 1 s, from 2026-11-30T09:38:06Z to 2026-11-30T09:38:07Z.",
            "nginx",
            [
                evidence(
                    "logs_templates",
                    "/durations/first_over_1s/text",
                    '127.0.0.1 - - [30/Nov/2026:09:38:06 +0000] "GET /api/inventory/SKU-0096 HTTP/1.1" 200',
                    "logs/nginx-access.log",
                    1866,
                    time="2026-11-30T09:38:06Z",
                    owner="nginx",
                ),
                evidence("logs_templates", "/durations/over_1s_after", "20", "logs/nginx-access.log", 1866),
            ],
            critical=True,
        ),
        claim(
            "symptom-2",
            'http_latency_p95{route="/checkout"} rose from 0.0098 to 2.9833, beginning at '
            "2026-11-30T09:38:10Z, and was back in its usual range at 2026-11-30T09:38:45Z.",
            "checkout",
            series(
                "metrics/http_latency_p95.json",
                0,
                "http_latency_p95",
                '{route="/checkout"}',
                onset="2026-11-30T09:38:10Z",
                before__value="0.0098",
                extreme__value="2.9833",
                ended="2026-11-30T09:38:45Z",
            ),
        ),
        claim(
            "context-1",
            "inventory logged nothing between 2026-11-30T09:38:02Z and 2026-11-30T09:38:06Z.",
            "inventory",
            [
                evidence(
                    "logs_templates",
                    "/silence/last_before/text",
                    "2026-11-30 09:38:02,443 INFO  [inventory.api] GET /inventory/SKU-0015 200",
                    "logs/inventory.log",
                    1543,
                    time="2026-11-30T09:38:02.443Z",
                    owner="inventory",
                )
            ],
        ),
        claim(
            "context-2",
            "checkout logged 0 errors.",
            "checkout",
            [evidence("logs_templates", "/errors_after", "0", "logs/checkout.log", 1)],
        ),
    ]
    gaps = [
        evidence_pb2.EvidenceGap(
            gap_id="gap-1",
            claim_type=evidence_pb2.CLAIM_TYPE_CONTEXT,
            classification=evidence_pb2.CLASSIFICATION_OVERSTATED,
        ),
        evidence_pb2.EvidenceGap(
            gap_id="gap-2",
            source=evidence_pb2.SourceGap(source="logs/notifier.log", reason="not readable as text."),
        ),
        evidence_pb2.EvidenceGap(
            gap_id="gap-3", claim_type=evidence_pb2.CLAIM_TYPE_CAUSE, no_supported_cause=True
        ),
    ]
    return composer_pb2.ComposeRequest(
        question="CheckoutLatencyP99High is still firing: what is making checkout slow?",
        intent=context_pb2.INTENT_CAUSE,
        effective_verdict=evidence_pb2.VERDICT_LOW_CONFID,
        claims=claims,
        gaps=gaps,
        checked=[
            *read("alerts.json", "logs/inventory.log", "logs/nginx-access.log"),
            tool_pb2.Checked(
                tool_name="logs_templates",
                status=tool_pb2.INVOCATION_STATUS_ERROR,
                invocation_id="inv-9",
                source="logs/notifier.log",
                reason="not readable as text.",
            ),
        ],
    )


def looks_back() -> answer_pb2.AllowedClaim:
    """Return the claim on an alert's series that is high only because its query looks back."""
    source, name = "metrics/http_latency_p99_4m.json", "http_latency_p99_4m"
    return claim(
        "context-9",
        f'checkout: {name} is last at 2.127; its query looks back over "[4m]", while '
        "http_latency_p95 was back in its usual range at 2026-11-30T09:38:45Z.",
        "checkout",
        [
            *series(
                source, 1, name, "{}", last__value="2.127", query="histogram_quantile(0.99, rate(x[4m]))"
            ),
            *series(
                "metrics/http_latency_p95.json", 0, "http_latency_p95", "{}", ended="2026-11-30T09:38:45Z"
            ),
        ],
    )


def direction() -> composer_pb2.ComposeRequest:
    """Return the request with a possible cause only: work that waits for locks."""
    text = "process 812 still waiting for ShareLock on transaction 991 after 1000.123 ms"
    claims = [
        claim(
            "symptom-1",
            f'warehouse-db logged "{text}" 14 times from 2027-02-01T22:14:09Z.',
            "warehouse-db",
            [
                evidence(
                    "logs_search",
                    "/lines/4/text",
                    f"2027-02-01 22:14:09.003 UTC [812] LOG:  {text}",
                    "logs/warehouse-db.log",
                    88,
                    time="2027-02-01T22:14:09.003Z",
                    owner="warehouse-db",
                    arguments={"source": "logs/warehouse-db.log", "contains": ["still waiting for"]},
                ),
                evidence("logs_templates", "/templates/1/count_after", "14", "logs/warehouse-db.log", 88),
            ],
            critical=True,
        ),
        claim(
            "cause-1",
            'billing: the change "add index on invoices" took effect at 2027-02-01T22:14:00Z, before '
            "db_lock_waiters began to rise from 0 at 2027-02-01T22:14:05Z.",
            "billing",
            [
                evidence(
                    "change_events_list",
                    "/elements/0/value/summary",
                    "add index on invoices",
                    "changes.json",
                    3,
                ),
                evidence(
                    "change_events_list", "/elements/0/value/time", "2027-02-01T22:14:00Z", "changes.json", 3
                ),
                *series(
                    "metrics/db_lock_waiters.json",
                    0,
                    "db_lock_waiters",
                    "{}",
                    onset="2027-02-01T22:14:05Z",
                    before__value="0",
                ),
            ],
            possible=True,
            fault="data.changed",
        ),
    ]
    return composer_pb2.ComposeRequest(
        question="Why do invoices hang?",
        intent=context_pb2.INTENT_CAUSE,
        effective_verdict=evidence_pb2.VERDICT_LOW_CONFID,
        claims=claims,
        gaps=[
            evidence_pb2.EvidenceGap(
                gap_id="gap-1",
                source=evidence_pb2.SourceGap(source="topology", reason="the bundle has none"),
            ),
            evidence_pb2.EvidenceGap(
                gap_id="gap-2",
                source=evidence_pb2.SourceGap(source="alert", reason="the bundle has none"),
            ),
        ],
        checked=read("changes.json", "logs/warehouse-db.log"),
    )


def lookup() -> composer_pb2.ComposeRequest:
    """Return the request for a fact."""
    return composer_pb2.ComposeRequest(
        question="How many connections does PostgreSQL accept?",
        intent=context_pb2.INTENT_LOOKUP,
        effective_verdict=evidence_pb2.VERDICT_PASS,
        claims=[
            claim(
                "context-1",
                "pg_max_connections is 80.",
                "postgres",
                [
                    evidence(
                        "metrics_saturation", "/pairs/0/limit", "80", "metrics/pg_max_connections.json", 9
                    )
                ],
                critical=True,
            )
        ],
        checked=read("metrics/pg_max_connections.json"),
    )


def rejected() -> composer_pb2.ComposeRequest:
    """Return the request after contradicted claims."""
    return composer_pb2.ComposeRequest(
        question="Why is it down?",
        intent=context_pb2.INTENT_CAUSE,
        effective_verdict=evidence_pb2.VERDICT_REJECT,
        gaps=[
            evidence_pb2.EvidenceGap(
                gap_id="gap-1",
                claim_type=evidence_pb2.CLAIM_TYPE_CAUSE,
                classification=evidence_pb2.CLASSIFICATION_CONTRADICTED,
            ),
            evidence_pb2.EvidenceGap(
                gap_id="gap-2", claim_type=evidence_pb2.CLAIM_TYPE_CAUSE, no_supported_cause=True
            ),
        ],
        checked=[
            *read("logs/api.log"),
            tool_pb2.Checked(source="metric", reason="the bundle has none"),
        ],
    )


ALL = (used_up, passed_by, direction, lookup, rejected)
