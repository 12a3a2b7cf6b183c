"""Parts of `executor_evidence_v2` documents as plain values, so that a test can make them wrong."""

import json
from typing import Any


def a_binding(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - a wrong value may be anything
    binding = {
        "source_invocation_id": "inv-1",
        "tool_name": "logs_search",
        "raw_path": "/lines/0/text",
        "matched_text": "connection refused",
    }
    return {**binding, **changes}


def a_claim(claim_id: str = "c-1", **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    claim = {
        "claim_id": claim_id,
        "claim_type": "symptom",
        "status": "confirmed",
        "critical": True,
        "statement": "Connections were refused.",
        "component": "api",
        "evidence_bindings": [a_binding()],
    }
    return {**claim, **changes}


def a_document(*claims: dict[str, Any]) -> dict[str, Any]:
    return {"version": "executor_evidence_v2", "claims": list(claims), "evidence_gaps": []}


def encoded(document: object) -> bytes:
    return json.dumps(document).encode()
