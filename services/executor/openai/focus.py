"""What an investigation is about, and how much a line tells about it. It knows no tool and no system."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from services.common.evidence.instants import instants_in
from services.common.evidence.strict_json import Json, NumberToken
from services.executor.openai.lines import Leaf, Line

# Words and phrases by which systems of any kind say that something failed.
_FAILURE_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        "err error errors fatal critical panic panicked exception exceptions fail fails failed failing"
        " failure failures refused denied reject rejected timeout timeouts timed exhausted exceeded exceeds"
        " kill killed killing oom oomkilled crash crashed crashloopbackoff evicted unable cannot unavailable"
        " unhealthy deadlock corrupt corrupted expired invalid forbidden unauthorized backoff abort aborted"
        " terminated terminating shutdown slow overload overloaded unreachable lost missing pending",
    )
)
_FAILURE_PHRASES: Final = (
    *("too many", "too large", "no space", "out of", "could not", "not found", "not ready", "reset by"),
    *("back-off", "shut down", "can't"),
)
FAILURE: Final = re.compile(
    rf"\b(?:{'|'.join(sorted(map(re.escape, {*_FAILURE_WORDS, *_FAILURE_PHRASES})))})\b", re.IGNORECASE
)
_FAILED: Final = frozenset(
    {"failure", "error", "fatal", "critical", "panic", "crit", "emerg", "alert", "firing", "failed", "page"}
)
_WARNED: Final = frozenset({"warning", "warn", "pending", "degraded"})
# Members whose value is a word for how something went.
_JUDGING: Final = frozenset({"severity", "level", "type", "state", "status", "outcome", "phase", "reason"})
_SCORES: Final = frozenset({"score", "window", "robust"})
_BEGINNINGS: Final = frozenset({"onset", "reached", "left_at", "activeAt", "startsAt", "split"})
_SERVER_ERROR: Final = re.compile(r"5\d\d")
_WORD: Final = re.compile(r"[^\W_]{3,}")
_MICROSECONDS: Final = 1_000_000
# A change this long before trouble may have brought it; a line this near to its beginning tells about it.
_CHANGE_SECONDS, _NEAR_SECONDS = 1800.0, 30.0
# So much of a text is looked at: what matters of a line stands near its beginning.
_LOOKED_AT: Final = 1500
_MOMENTS: Final = 3


@dataclass(frozen=True)
class Focus:
    """The words that were asked about, and the instants at which trouble began, in seconds."""

    words: frozenset[str]
    moments: Sequence[float] = ()

    def weight(self, line: Line, *, ordered: bool) -> float:
        """Return how much a line tells; `ordered` says that its list has what matters first."""
        total = 1.5 / (1 + 0.2 * line.index) if ordered or line.count <= 8 else 0.0
        if not line.path:
            total += 4.0
        texts = [str(leaf.value)[:_LOOKED_AT] for leaf in line.leaves if isinstance(leaf.value, str)]
        text = " ".join(texts).lower()
        words = frozenset(_WORD.findall(text))
        fails = not words.isdisjoint(_FAILURE_WORDS) or any(phrase in text for phrase in _FAILURE_PHRASES)
        total += 2.0 * fails + min(3.0, 0.8 * len(self.words & words))
        total += sum(_told_by(leaf) for leaf in line.leaves)
        return total + _is_new(line) + self._by_time(line)

    def also(self, goal: str) -> "Focus":
        """Return the focus of one call, which has a goal of its own."""
        return replace(self, words=self.words | words_of(goal))

    def _by_time(self, line: Line) -> float:
        times = [time for leaf in line.leaves for time in _instants(leaf)]
        distances = [time - moment for time in times for moment in self.moments]
        if not distances:
            return 0.0
        nearest = min(map(abs, distances))
        near = 2.5 * math.exp(-nearest / _NEAR_SECONDS)
        precedes = line.count <= 40 and any(-_CHANGE_SECONDS <= each <= 5 for each in distances)
        return near + precedes


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text that can tell what it is about."""
    return frozenset(_WORD.findall(text.lower())) - _COMMON


_COMMON: Final = frozenset(
    re.findall(
        r"\w+",
        "the and for was are what why how when did does has had have with that this from into since until"
        " not any all which who where its our out can could would should been being there their then than"
        " over about after before find whether logs log metrics metric check show see during around time"
        " utc new most first last",
    )
)


def moments_of(question: str, lines: Iterable[Line]) -> list[float]:
    """Return when trouble began: what the question says, and the beginnings that stand out most."""
    found: list[tuple[float, float]] = []
    for line in lines:
        weight = max((_told_by(leaf) for leaf in line.leaves), default=0.0)
        found += [
            (-weight, time)
            for leaf in line.leaves
            if leaf.path and leaf.path[-1] in _BEGINNINGS
            for time in _instants(leaf)
        ]
    return sorted({*_instants_of(question), *(time for _, time in sorted(found)[:_MOMENTS])})


def _told_by(leaf: Leaf) -> float:
    name = leaf.path[-1] if leaf.path else ""
    if name in _JUDGING and isinstance(leaf.value, str):
        return _judged(str(leaf.value).lower())
    if name in _SCORES or str(name).startswith("ratio"):
        size = _number(leaf.value)
        return min(3.0, math.log10(1 + abs(size))) if name in _SCORES else 2.0 * (size >= 0.9)
    return 0.0


def _judged(word: str) -> float:
    if word in _FAILED or _SERVER_ERROR.fullmatch(word):
        return 3.0
    return 1.5 if word in _WARNED else 0.0


def _is_new(line: Line) -> float:
    counts = {leaf.path[-1]: _number(leaf.value) for leaf in line.leaves if leaf.path}
    before, after = counts.get("count_before"), counts.get("count_after")
    return 2.0 * (before == 0 and after is not None and after > 0)


def _number(value: Json) -> float:
    if not isinstance(value, NumberToken):
        return 0.0
    number = value.value()
    return number if math.isfinite(number) else 0.0


def _instants(leaf: Leaf) -> list[float]:
    if not isinstance(leaf.value, str) or len(leaf.value) > 64:
        return []
    return _instants_of(leaf.value)


def _instants_of(text: str) -> list[float]:
    return [instant.start / _MICROSECONDS for _, _, instant in instants_in(text) if instant.dated]
