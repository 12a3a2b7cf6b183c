"""What the gate must say of a document, worked out without any code of the gate.

The rules are those of the design, written down once more: the keys and bounds of `executor_evidence_v2`, and
when a text is a true literal of a recorded output.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from services.common.evidence.faults import FAULTS
from tests.fuzz import plain_json
from tests.fuzz.plain_json import Number, Plain

MAX_DOCUMENT_BYTES: Final = 1 << 20
_BY_THE_READER: Final = {
    "source",
    "owner",
    "n",
    "time",
    "first_line",
    "last_line",
    "inputs",
    "sha256",
    "bytes",
}
_KINDS: Final = {
    "", "service", "database", "cache", "queue", "proxy", "job", "pod", "workload", "node", "volume",
    "network", "external",
}  # fmt: skip
_CLAIM: Final = {
    "claim_id", "claim_type", "status", "critical", "statement", "component", "component_kind", "fault",
    "evidence_bindings",
}  # fmt: skip
_BINDING: Final = {"source_invocation_id", "tool_name", "raw_path", "matched_text"}
_HIDING: Final = (
    (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0x061C, 0x061C), (0x200E, 0x200F), (0x202A, 0x202E),
    (0x2066, 0x2069), (0xE0000, 0xE01EF),
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """What a run recorded: the tool and the output of each invocation. An output is read once."""

    tools: Mapping[str, str]
    outputs: Mapping[str, bytes]
    read: dict[str, Plain] = field(default_factory=dict)

    def output(self, invocation_id: str) -> Plain:
        """Return an output's value."""
        if invocation_id not in self.read:
            self.read[invocation_id] = plain_json.read(self.outputs[invocation_id])
        return self.read[invocation_id]


def judge(document: bytes, run: Run) -> list[bool] | None:
    """Return for each binding whether it is a true literal; None when the document is not legal."""
    if len(document) > MAX_DOCUMENT_BYTES:
        return None
    try:
        value = plain_json.read(document)
    except plain_json.NotPlainError:
        return None
    claims = _claims(value)
    if claims is None:
        return None
    return [_is_true(binding, run) for claim in claims for binding in _bindings(claim)]


def _claims(value: Plain) -> list[dict[str, Plain]] | None:
    if not isinstance(value, dict) or not {"version", "claims"} <= value.keys():
        return None
    claims, gaps = value["claims"], value.get("evidence_gaps", [])
    legal = (
        value.keys() <= {"version", "claims", "evidence_gaps"}
        and _text(value["version"]) == "executor_evidence_v2"
        and isinstance(gaps, list)
        and len(gaps) <= 128
        and all(_is_text(gap, 1, 2048) for gap in gaps)
    )
    if not legal or not isinstance(claims, list) or len(claims) > 128:
        return None
    found = [claim for claim in claims if isinstance(claim, dict) and _is_claim(claim)]
    ids = Counter(_text(claim["claim_id"]) for claim in found)
    return found if len(found) == len(claims) == len(ids) else None


def _is_claim(claim: dict[str, Plain]) -> bool:
    if not _CLAIM - {"component_kind", "fault"} <= claim.keys() <= _CLAIM:
        return False
    bindings, kind, fault = (
        claim["evidence_bindings"],
        claim.get("component_kind", ""),
        claim.get("fault", ""),
    )
    return (
        _is_text(claim["claim_id"], 1, 256)
        and _text(claim["claim_type"]) in ("symptom", "cause", "impact", "context")
        and _text(claim["status"]) in ("confirmed", "possible")
        and isinstance(claim["critical"], bool)
        and _is_text(claim["statement"], 1, 2048)
        and _is_text(claim["component"], 0, 256)
        and _text(kind) in _KINDS
        and (_text(fault) == "" or _text(fault) in FAULTS)
        and (claim["claim_type"] == "cause" or (kind == "" and fault == ""))
        and isinstance(bindings, list)
        and len(bindings) <= 32
        and all(_is_binding(binding) for binding in bindings)
        and (bool(bindings) or claim["status"] != "confirmed")
    )


def _is_binding(binding: Plain) -> bool:
    return (
        isinstance(binding, dict)
        and binding.keys() == _BINDING
        and _is_text(binding["source_invocation_id"], 1, 256)
        and _is_text(binding["tool_name"], 1, 256)
        and _is_text(binding["raw_path"], 0, 1024)
        and _is_text(binding["matched_text"], 1, 8192)
    )


def _bindings(claim: dict[str, Plain]) -> list[dict[str, Plain]]:
    bindings = claim["evidence_bindings"]
    return [item for item in bindings if isinstance(item, dict)] if isinstance(bindings, list) else []


def _text(value: Plain) -> str | None:
    return value if isinstance(value, str) and not isinstance(value, Number) else None


def _is_text(value: Plain, least: int, most: int) -> bool:
    text = _text(value)
    return text is not None and least <= len(text) <= most


def _is_true(binding: Mapping[str, Plain], run: Run) -> bool:
    invocation_id, tool, pointer, text = (
        str(binding[name]) for name in ("source_invocation_id", "tool_name", "raw_path", "matched_text")
    )
    if run.tools.get(invocation_id) != tool:
        return False
    try:
        names, value = plain_json.at(run.output(invocation_id), pointer)
    except plain_json.NowhereError:
        return False
    said = names[: names.index("value")] if "value" in names else names
    if _BY_THE_READER & {*said} or _hides(text):
        return False
    if isinstance(value, bool) or value is None:
        return text == {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, Number):
        return text == str(value)
    if not isinstance(value, str) or (text != value and len(text) < 4):
        return False
    return _stands_beside(text, value)


def _stands_beside(text: str, value: str) -> bool:
    """Tell whether a text stands somewhere in a value without touching what stands for a secret."""
    taken = [match.span() for match in re.finditer(r"\[redacted:[a-z0-9-]{1,48}\]", value)]
    at = value.find(text)
    while at >= 0:
        if not any(begin < at + len(text) and end > at for begin, end in taken):
            return True
        at = value.find(text, at + 1)
    return False


def _hides(text: str) -> bool:
    return any(low <= ord(char) <= high for char in text for low, high in _HIDING)
