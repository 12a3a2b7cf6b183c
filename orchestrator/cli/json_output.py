"""A run as the one JSON object that `--json` prints."""

import json
from collections.abc import Sequence
from typing import Any

from assay.common.v1 import answer_pb2, context_pb2, evidence_pb2
from assay.orchestrator.v1 import run_pb2

from services.common.evidence.names import plain, rfc3339, short_name

JsonObject = dict[str, Any]

# Inside a claim's own object the prefix says nothing.
_CLAIM_KEYS = {"claim_id": "id", "claim_type": "type", "component_kind": "kind"}


def dumps(run: run_pb2.Run, trace: run_pb2.Trace) -> str:
    """Return the object as one line of ASCII, so that no text in it can reach a terminal as a command."""
    return json.dumps(as_object(run, trace), ensure_ascii=True, allow_nan=False)


def as_object(run: run_pb2.Run, trace: run_pb2.Trace) -> JsonObject:
    """Return the object. Every key is always there; what does not exist is null or empty."""
    checks = {check.claim_id: check for check in run.checks}
    return {
        "run_id": run.run_id,
        "question": run.context.question,
        "intent": short_name(context_pb2.Intent.DESCRIPTOR, run.context.intent) or None,
        "status": short_name(run_pb2.RunStatus.DESCRIPTOR, run.status),
        "effective_verdict": short_name(evidence_pb2.Verdict.DESCRIPTOR, run.effective_verdict) or None,
        "window": _window(run.context),
        "answer": _answer(run.answer),
        "suspects": [_suspect(suspect) for suspect in run.suspects],
        "claims": [_claim(claim, checks) for claim in run.claims],
        "checked": [plain(row) for row in run.checked],
        "failure": plain(run.failure) if run.HasField("failure") else None,
        "trace": plain(trace),
        "usage": plain(run.usage),
    }


def _window(context: context_pb2.DiagnosisContext) -> JsonObject | None:
    if not context.HasField("window"):
        return None
    window = context.window
    return {
        "start": rfc3339(window.start) or None if window.HasField("start") else None,
        "end": rfc3339(window.end) or None if window.HasField("end") else None,
    }


def _answer(answer: answer_pb2.Answer) -> JsonObject:
    return {
        "summary": " ".join(sentence.text for sentence in answer.summary),
        "confirmed": _sentences(answer.confirmed),
        "possible_directions": _sentences(answer.possible_directions),
        "evidence_gaps": _sentences(answer.evidence_gaps),
        "next_checks": _sentences(answer.next_checks),
    }


def _sentences(sentences: Sequence[answer_pb2.Sentence]) -> list[JsonObject]:
    return [_sentence(sentence) for sentence in sentences]


def _sentence(sentence: answer_pb2.Sentence) -> JsonObject:
    result: JsonObject = {"text": sentence.text, "claim_ids": list(sentence.claim_ids)}
    if sentence.gap_ids:
        result["gap_ids"] = list(sentence.gap_ids)
    return result


def _suspect(suspect: answer_pb2.Suspect) -> JsonObject:
    return {
        "component": suspect.component,
        "kind": suspect.kind,
        "fault": suspect.fault,
        "claim_ids": list(suspect.claim_ids),
    }


def _claim(allowed: answer_pb2.AllowedClaim, checks: dict[str, evidence_pb2.ClaimCheck]) -> JsonObject:
    check = checks.get(allowed.claim.claim_id)
    claim = {_CLAIM_KEYS.get(name, name): value for name, value in plain(allowed.claim).items()}
    return {
        **claim,
        "confirmed": allowed.confirmed,
        "check": plain(check) if check else None,
        "evidence_bindings": [_binding(item.evidence) for item in allowed.evidence],
    }


def _binding(evidence: evidence_pb2.VerifiedEvidence) -> JsonObject:
    places = [{"file": place.source, "line": place.first_line or None} for place in evidence.places]
    first = places[0] if places else {"file": "", "line": None}
    result: JsonObject = {
        "source_invocation_id": evidence.source_invocation_id,
        "tool_name": evidence.tool_name,
        "raw_path": evidence.raw_path,
        "matched_text": evidence.matched_text,
        "derived": evidence.derived,
        **first,
    }
    if evidence.derived:
        result["inputs"] = places
    return result
