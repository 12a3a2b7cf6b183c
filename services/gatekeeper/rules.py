"""The gate's rules for one binding. A finding is in the rule's words, never the text's."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from assay.common.v1 import tool_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2

from services.common.evidence import matching, places, pointer, strict_json
from services.common.evidence.document import EvidenceBinding
from services.common.evidence.recorded import may_confirm, parse_output
from services.common.evidence.redacted import citable_parts, holds_marker
from services.common.evidence.strict_json import Json
from services.gatekeeper.provenance import Cited, Part, cited, parts_at

SCHEMA: Final = "schema.executor_v2"
INVOCATION_REF: Final = "evidence.invocation_ref"
RAW_PATH: Final = "evidence.raw_path"
MATCHED_TEXT: Final = "evidence.matched_text"
PROVENANCE: Final = "evidence.provenance"
REDACTION: Final = "evidence.redaction"
ALL: Final = tuple(sorted((SCHEMA, INVOCATION_REF, RAW_PATH, MATCHED_TEXT, PROVENANCE, REDACTION)))


class RuleError(Exception):
    """A binding breaks a rule."""

    def __init__(self, rule_id: str, detail: str) -> None:
        super().__init__(f"{rule_id}: {detail}")
        self.rule_id = rule_id
        self.detail = detail


@dataclass(slots=True)
class Material:
    """What the run recorded. An output is parsed when a binding first needs it, and once."""

    records: Mapping[str, gatekeeper_pb2.InvocationRecord]
    outputs: Mapping[str, bytes]
    _parsed: dict[str, Json] = field(default_factory=dict, init=False)
    _unreadable: set[str] = field(default_factory=set, init=False)
    _spans: dict[str, Mapping[str, Sequence[Part]]] = field(default_factory=dict, init=False)

    def document(self, invocation_id: str) -> Json:
        """Return the output of an invocation; raises RuleError when it is missing or not strict JSON."""
        if invocation_id not in self.outputs:
            raise RuleError(RAW_PATH, "no output is stored for the invocation")
        if invocation_id not in self._parsed and invocation_id not in self._unreadable:
            self._parse(invocation_id)
        if invocation_id in self._unreadable:
            raise RuleError(RAW_PATH, "the stored output is not one unambiguous JSON text of allowed size")
        return self._parsed[invocation_id]

    def spans(self, invocation_id: str) -> Mapping[str, Sequence[Part]]:
        """Return the parts of an output that an outsider can write, by the pointer of their string."""
        if invocation_id not in self._spans:
            spans: dict[str, list[Part]] = {}
            for span in self.records[invocation_id].outsider_spans:
                spans.setdefault(span.pointer, []).append((span.begin, span.end))
            self._spans[invocation_id] = spans
        return self._spans[invocation_id]

    def _parse(self, invocation_id: str) -> None:
        output = self.outputs[invocation_id]
        try:
            self._parsed[invocation_id] = parse_output(output)
        except strict_json.StrictJsonError:
            self._unreadable.add(invocation_id)


def check_binding(binding: EvidenceBinding, material: Material) -> Cited:
    """Apply the rules of a binding in order and return who can have written what it cites.

    Raises RuleError for the first rule that it breaks.
    """
    record = material.records.get(binding.source_invocation_id)
    if record is None:
        raise RuleError(INVOCATION_REF, "no invocation of this run has the id")
    if record.tool_name != binding.tool_name:
        raise RuleError(INVOCATION_REF, "the invocation was made with another tool")
    value = _value_at(binding.raw_path, material.document(binding.source_invocation_id))
    if matching.hides(binding.matched_text):
        raise RuleError(MATCHED_TEXT, "the text holds characters that hide or reorder what a person sees")
    if not matching.stands_at(binding.matched_text, value):
        raise RuleError(
            MATCHED_TEXT,
            "the text does not stand there: at a string it is all of it or at least "
            f"{matching.MIN_SUBSTRING} characters of it, elsewhere the stored token",
        )
    if isinstance(value, str) and holds_marker(value) and not _is_beside_markers(binding.matched_text, value):
        raise RuleError(REDACTION, "the text holds or touches what stands for a secret that was taken out")
    parts = parts_at(material.spans(binding.source_invocation_id), binding.raw_path, value)
    return cited(binding.matched_text, value, parts)


def ended_well(record: gatekeeper_pb2.InvocationRecord) -> bool:
    """Tell whether an invocation's tool answered."""
    return record.status == tool_pb2.INVOCATION_STATUS_OK


def rests_on_reference_only(passed: Iterable[EvidenceBinding], material: Material) -> bool:
    """Tell whether a claim has passed bindings and every one of them cites a reference document."""
    kinds = [may_confirm(material.records[binding.source_invocation_id].kind) for binding in passed]
    return bool(kinds) and not any(kinds)


def _is_beside_markers(text: str, value: str) -> bool:
    return any(text in part for part in citable_parts(value))


def _value_at(raw_path: str, document: Json) -> Json:
    try:
        reference = pointer.tokens(raw_path)
        value = pointer.walk(document, reference)[-1]
    except pointer.PointerError as error:
        raise RuleError(RAW_PATH, str(error)) from None
    if isinstance(value, dict | list):
        raise RuleError(RAW_PATH, "the pointer ends at an object or an array")
    if places.is_reader_made(reference):
        raise RuleError(RAW_PATH, "the pointer ends at what the reader wrote, not at what a system said")
    return value
