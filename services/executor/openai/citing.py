"""From references to bindings: ids, tool names and texts come from the record alone. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import InitVar, dataclass, field
from typing import Final

from assay.common.v1 import evidence_pb2

from services.common.evidence import places, pointer, strict_json
from services.common.evidence.document import EvidenceBinding
from services.common.evidence.facts import Fact, FactKind, facts_of
from services.common.evidence.holdings import Holdings, is_nothing
from services.common.evidence.quantities import Quantity
from services.common.evidence.strict_json import Json
from services.common.llm.quoted import BAR
from services.executor.analyst.reading.spot import Spot
from services.executor.openai.lines import Path, citable, line_at
from services.executor.recorded import RecordedCall

_REFERENCE: Final = re.compile(r"(?P<number>[1-9][0-9]{0,3})(?P<pointer>(?:/.*)?)", re.DOTALL)
_MAX_POINTER, _MAX_SHOWN = 1024, 200
# What no call can be named, so that the gate fails what leads to none.
UNKNOWN_TOOL: Final = "(no such call)"
# So many values of an object are looked through for what a statement says.
_MAX_LEAVES: Final = 64
_MAX_KEPT: Final = 20_000
# Names of what a tool writes about its own way of measuring.
_METHOD: Final = frozenset(
    {"step_seconds", "samples", "score", "window", "robust", "n_sigma", "median_shift"}
)
_WORD: Final = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class _Citable:
    """A value that may be cited, and what it holds."""

    binding: EvidenceBinding
    holdings: Holdings


@dataclass(frozen=True)
class Citing:
    """Resolves references into the recorded calls, which are numbered from 1."""

    calls: Sequence[RecordedCall]
    _found: dict[tuple[int, Path, str], _Citable | None] = field(default_factory=dict, init=False)

    def bindings(self, refs: Sequence[str], statement: str, component: str) -> list[EvidenceBinding]:
        """Return what a claim rests on, each binding once; those that the gate will fail come first.

        Of an object, those of its values are cited that hold what the statement says and no earlier one
        held; where none does, the one that says most.
        """
        failing: list[EvidenceBinding] = []
        bound: list[EvidenceBinding] = []
        open_facts = _Open(statement, component)
        for ref in dict.fromkeys(refs):
            found = self._cited(ref.strip().removesuffix(BAR.strip()).rstrip(), open_facts)
            if isinstance(found, EvidenceBinding):
                failing.append(found)
            else:
                bound += found
        return [*dict.fromkeys(failing), *dict.fromkeys(bound)]

    def _cited(self, ref: str, wanted: "_Open") -> list[EvidenceBinding] | EvidenceBinding:
        """Return the bindings of a reference, or one that names what cannot be cited, as it was given."""
        match = _REFERENCE.fullmatch(ref)
        number = int(match["number"]) if match else 0
        is_call = 1 <= number <= len(self.calls) and self.calls[number - 1].tool_name
        if match is None or not is_call or len(match["pointer"]) > _MAX_POINTER:
            return EvidenceBinding(
                source_invocation_id=f"({ref[:_MAX_SHOWN]})",
                tool_name=UNKNOWN_TOOL,
                raw_path="",
                matched_text=ref[:_MAX_SHOWN] or UNKNOWN_TOOL,
            )
        try:
            path: Path = tuple(pointer.tokens(match["pointer"]))
            value = pointer.resolve(self.calls[number - 1].document, match["pointer"])
        except pointer.PointerError:
            return self._failing(number, match["pointer"], ref)
        found = list(self._citables(number, path, value, wanted))
        return wanted.chosen(found) or self._failing(number, match["pointer"], ref)

    def _failing(self, number: int, raw_path: str, ref: str) -> EvidenceBinding:
        """Return a binding of a real call that leads nowhere, or where nothing may be cited."""
        call = self.calls[number - 1]
        return EvidenceBinding(
            source_invocation_id=call.invocation_id,
            tool_name=call.tool_name,
            raw_path=raw_path,
            matched_text=ref[:_MAX_SHOWN],
        )

    def _citables(self, number: int, path: Path, value: Json, wanted: "_Open") -> Iterator[_Citable]:
        if not isinstance(value, dict | list):
            inner: list[Path] = [()]
        else:
            inner = [leaf.path for leaf in line_at(value, path).leaves][:_MAX_LEAVES]
        for below in inner:
            whole = (*path, *below)
            if len(pointer.build(*whole)) > _MAX_POINTER:
                continue
            excerpt = wanted.excerpt_of(whole, self.calls[number - 1])
            key = (number, whole, excerpt)
            if key not in self._found:
                if len(self._found) >= _MAX_KEPT:
                    self._found.clear()
                self._found[key] = _citable(self.calls[number - 1], whole, excerpt)
            found = self._found[key]
            if found is not None:
                yield found


@dataclass
class _Open:
    """What a statement says and nothing cited holds yet."""

    statement: InitVar[str]
    component: str
    facts: list[Fact] = field(init=False)
    words: set[str] = field(init=False)

    def __post_init__(self, statement: str) -> None:
        self.facts = facts_of(statement)
        self.words = _words(statement)

    def excerpt_of(self, path: Path, call: RecordedCall) -> str:
        """Return what the statement quotes of a text; empty when it quotes nothing of it."""
        text = Spot(call, path).text
        quoted = (fact.text for fact in self.facts if fact.kind is FactKind.QUOTATION)
        return next((each for each in quoted if each in text), "")

    def chosen(self, found: Sequence[_Citable]) -> list[EvidenceBinding]:
        """Return of some values those that hold what is still open; else the one that says most."""
        taken = [each.binding for each in found if self._takes(each)]
        if taken or not found:
            return taken
        return [max(found, key=lambda each: len(each.binding.matched_text)).binding]

    def _takes(self, value: _Citable) -> bool:
        held = {fact for fact in self.facts if value.holdings.holds(fact) and self._is_about(value, fact)}
        self.facts = [fact for fact in self.facts if fact not in held]
        names = bool(self.component) and value.holdings.names(self.component)
        if names:
            self.component = ""
        return bool(held) or names

    def _is_about(self, value: _Citable, fact: Fact) -> bool:
        """Tell whether a value is what a fact speaks of, as far as its name tells.

        How something was measured is not what was measured. A 0 denies, and is a measurement of, only what
        it is named after.
        """
        name = pointer.tokens(value.binding.raw_path)[-1]
        measured = isinstance(fact.value, Quantity) and fact.value.has_unit
        if (measured or fact.kind is FactKind.NEGATION) and is_nothing(value.binding.matched_text):
            return bool(_words(name) & self.words)
        return fact.kind is not FactKind.NUMBER or name not in _METHOD


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if len(word) > 2}


def _citable(call: RecordedCall, path: Path, excerpt: str) -> _Citable | None:
    """Return a value with its binding; None where nothing may be cited."""
    if not citable(path):
        return None
    binding = Spot(call, path).bind(excerpt) or _of_token(call, path)
    if binding is None:
        return None
    item = evidence_pb2.VerifiedEvidence(
        raw_path=binding.raw_path,
        matched_text=binding.matched_text,
        places=[
            evidence_pb2.Place(
                source=place.source,
                first_line=place.first_line,
                last_line=place.last_line,
                time=place.time,
                owner=place.owner,
            )
            for place in places.places(call.document, pointer.tokens(binding.raw_path))
        ],
    )
    return _Citable(binding, Holdings([item]))


def _of_token(call: RecordedCall, path: Path) -> EvidenceBinding | None:
    """Return the binding of true, false or null."""
    spot = Spot(call, path)
    value = spot.value
    if value is not None and not isinstance(value, bool):
        return None
    return EvidenceBinding(
        source_invocation_id=call.invocation_id,
        tool_name=call.tool_name,
        raw_path=spot.pointer,
        matched_text=strict_json.dumps(value).decode(),
    )
