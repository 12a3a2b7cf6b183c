"""The log lines as they stand in their file, beside the excerpts of them that a count brought along."""

from dataclasses import dataclass
from functools import cached_property

from services.common.evidence import pointer
from services.common.evidence.document import EvidenceBinding
from services.executor.analyst.reading.material import Material
from services.executor.analyst.reading.spot import Spot

_EXCERPTS_OF = "logs_templates"


@dataclass(frozen=True)
class Originals:
    """Finds, for a binding of an excerpt, the binding of the same line in a raw document."""

    material: Material

    def of(self, binding: EvidenceBinding) -> EvidenceBinding | None:
        """Return the binding of the line itself; None where it was not read or the binding is of no line."""
        call = self._calls.get(binding.source_invocation_id)
        if binding.tool_name != _EXCERPTS_OF or call is None:
            return None
        *parent, last = pointer.tokens(binding.raw_path)
        line = call.at(*parent, "n").text
        raw = self._lines.get((call.at("source").text, line)) if last == "text" and line else None
        return raw.bind(binding.matched_text) if raw else None

    @cached_property
    def _calls(self) -> dict[str, Spot]:
        return {document.call.invocation_id: document for document in self.material.documents(_EXCERPTS_OF)}

    @cached_property
    def _lines(self) -> dict[tuple[str, str], Spot]:
        return {
            (document.at("source").text, line.at("n").text): line.at("text")
            for document in self.material.documents("logs_search")
            for line in document.at("lines").items()
        }
