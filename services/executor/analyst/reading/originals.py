"""The log lines as they stand in their file, beside the excerpts of them that a count brought along."""

from dataclasses import dataclass
from functools import cached_property

from services.common.evidence import pointer
from services.common.evidence.document import EvidenceBinding
from services.executor.analyst.reading.material import Material
from services.executor.analyst.reading.spot import Spot

_EXCERPTS_OF = ("logs_templates", "kubernetes_findings")


@dataclass(frozen=True)
class Originals:
    """Finds, for a binding of an excerpt, the binding of the same line in a raw document."""

    material: Material

    def of(self, binding: EvidenceBinding) -> EvidenceBinding | None:
        """Return the binding of the line itself; None where it was not read or the binding is of no line."""
        call = self._calls.get(binding.source_invocation_id)
        if binding.tool_name not in _EXCERPTS_OF or call is None:
            return None
        *parent, last = pointer.tokens(binding.raw_path)
        line = call.at(*parent, "n").text
        source = call.at("source").text or call.at(*parent, "source").text
        found = self._lines.get((source, line), []) if last == "text" and line else []
        whole = next((raw for raw in found if binding.matched_text in raw.text), None)
        return whole.bind(binding.matched_text) if whole else None

    @cached_property
    def _calls(self) -> dict[str, Spot]:
        documents = (document for tool in _EXCERPTS_OF for document in self.material.documents(tool))
        return {document.call.invocation_id: document for document in documents}

    @cached_property
    def _lines(self) -> dict[tuple[str, str], list[Spot]]:
        """What raw documents hold of each line: the line of a log, the values on a line of an object."""
        found: dict[tuple[str, str], list[Spot]] = {}
        for document in self.material.documents("logs_search"):
            for line in document.at("lines").items():
                found.setdefault((document.at("source").text, line.at("n").text), []).append(line.at("text"))
        for document in self.material.documents("kubernetes_objects"):
            for each in document.at("objects").items():
                for field in each.at("fields").items():
                    place = (document.at("source").text, field.at("n").text)
                    found.setdefault(place, []).append(field.at("value"))
        return found
