"""A place in a recorded document: a value is read and cited in one step, so no citation can be invented."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from services.common.evidence import pointer
from services.common.evidence.document import EvidenceBinding
from services.common.evidence.matching import hides, stands_at
from services.common.evidence.redacted import holds_marker
from services.common.evidence.strict_json import Json, NumberToken
from services.executor.analyst.reading.words import clean_pieces
from services.executor.recorded import RecordedCall

# A binding shows at most this much of a text; the contract allows 8,192 characters.
_MAX_MATCHED = 2000
# A tag: JSON may hold it, and whoever quotes takes what lies between.
_NOT_TOLD: Final = "\U000e0001"
# Method and path, up to what only a query or a sentence holds.
_ROUTE: Final = re.compile(r"(?:[A-Z]{3,10} )?/[\w/.:{}~-]{0,128}")


@dataclass(frozen=True)
class Spot:
    """A value inside a recorded call's document, by the reference tokens that lead to it."""

    call: RecordedCall
    path: tuple[str | int, ...] = ()

    def at(self, *parts: str | int) -> "Spot":
        """Return the spot below this one; it may name nothing."""
        return Spot(self.call, (*self.path, *parts))

    @property
    def pointer(self) -> str:
        """The JSON Pointer of this spot."""
        return pointer.build(*self.path)

    @property
    def value(self) -> Json:
        """The value here; None where there is none."""
        try:
            return pointer.resolve(self.call.document, self.pointer)
        except pointer.PointerError:
            return None

    @property
    def text(self) -> str:
        """The string or number token here; empty for anything else."""
        value = self.value
        return str(value) if isinstance(value, str) else ""

    @property
    def told(self) -> str:
        """The string here without what an outsider can write: what a system told.

        In place of each such part stands a character that nothing quotes.
        """
        return self._without(lambda _: "")

    @property
    def quotable(self) -> str:
        """The string here without what an outsider can write but for the routes of requests."""
        return self._without(lambda part: found[0] if (found := _ROUTE.match(part)) else "")

    def _without(self, kept: Callable[[str], str]) -> str:
        text = self.text
        parts = self.call.outsiders.get(self.pointer, ()) if self.call.outsiders else ()
        if "" in self.call.outsiders:
            parts = [(0, len(text))]
        pieces, done = [], 0
        for begin, end in parts:
            pieces += [text[done:begin], kept(text[begin:end]), _NOT_TOLD]
            done = end
        return "".join([*pieces, text[done:]])

    @property
    def number(self) -> float | None:
        """The number here, be it a number or a string that is one."""
        try:
            return float(self.text)
        except ValueError:
            return None

    @property
    def count(self) -> int:
        """The whole number here; 0 where there is none."""
        found = self.number or 0.0
        return int(found) if math.isfinite(found) else 0

    @property
    def is_null(self) -> bool:
        """Tell whether a JSON null, or nothing, is here."""
        return self.value is None

    def items(self) -> list["Spot"]:
        """Return the elements of the list here."""
        value = self.value
        return [self.at(index) for index in range(len(value))] if isinstance(value, list) else []

    def members(self) -> dict[str, "Spot"]:
        """Return the members of the object here."""
        value = self.value
        return {key: self.at(key) for key in value} if isinstance(value, dict) else {}

    def bind(self, excerpt: str = "") -> EvidenceBinding | None:
        """Return the binding of the string or number here, or None when there is nothing that can be cited.

        A long text is cut; `excerpt` is a part of it that the binding must then hold. Neither characters that
        hide or reorder what a person sees are cited nor what stands for a secret, only what lies between.
        """
        value = self.value
        if not isinstance(value, str) or not value:
            return None
        matched = str(value)
        if not isinstance(value, NumberToken) and len(matched) > _MAX_MATCHED:
            begin = matched.find(excerpt) if excerpt else 0
            matched = matched[max(0, begin) :][:_MAX_MATCHED]
        if hides(matched) or holds_marker(matched):
            matched = excerpt or max(clean_pieces(matched), key=len, default="")
        if not stands_at(matched, value) or holds_marker(matched):
            return None
        return EvidenceBinding(
            source_invocation_id=self.call.invocation_id,
            tool_name=self.call.tool_name,
            raw_path=self.pointer,
            matched_text=matched,
        )
