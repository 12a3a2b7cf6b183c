"""What the question is about: whom it names, when, and whether anything recorded is wrong there.

A trouble that the question does not ask about is no answer to it, however well it is proven.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from services.common.evidence.instants import Instant, instants_in
from services.executor.analyst.reading.topology import PRODUCTS, Topology
from services.executor.analyst.reading.views import Log
from services.executor.analyst.reading.words import seconds_of
from services.executor.analyst.story.effects import Effects
from services.executor.analyst.wording.findings import Finding, Part, number, sentence, subject

# A word of the question that is no part of a path or an address.
_WORD = re.compile(r"(?<![\w./:@-])[A-Za-z][\w.-]*(?<![.-])(?![/@])")
# Somebody writes down the time of what was noticed a little after the recorded material ends.
_MARGIN_SECONDS = 300.0
_MAX_LOGS = 4


@dataclass(frozen=True)
class Asked:
    """The question, held against what began to move."""

    effects: Effects

    @cached_property
    def names(self) -> frozenset[str]:
        """The known components that the question names, by name or by what they are."""
        by_lower = {component.lower(): component for component in self._topology.components}
        named = {by_lower[word] for word in self._words if word in by_lower}
        of_kind = {each for word in self._words for each in self._topology.of_kind(word)}
        return frozenset(named | of_kind)

    @cached_property
    def strangers(self) -> list[str]:
        """The products that the question names and nothing recorded is known to be."""
        if self.names:
            return []
        return sorted(word for word in self._words & PRODUCTS if not self._topology.of_kind(word))

    @cached_property
    def is_elsewhen(self) -> bool:
        """Tell whether every instant that the question states lies outside the recorded time."""
        stated = [each for _, _, each in instants_in(self.effects.timeline.context.question) if each.dated]
        times = list(self._times())
        if not stated or not times:
            return False
        first, last = min(times) - _MARGIN_SECONDS, max(times) + _MARGIN_SECONDS
        return not any(_overlaps(instant, first, last) for instant in stated)

    @cached_property
    def concerned(self) -> bool:
        """Tell whether something is wrong with what is asked about, what it uses, or what uses it.

        A question that names nobody is about whatever is wrong.
        """
        if self.is_elsewhen or self.strangers:
            return False
        if not self.names:
            return True
        return not self.is_well or bool(self._near & (self.effects.hurt | self.effects.alerted))

    @cached_property
    def is_well(self) -> bool:
        """Tell whether the question names somebody of whom nothing shows any trouble."""
        moved = {component for effect in self.effects.all for component in effect.components}
        return bool(self.names) and not self.names & (moved | self.effects.alerted)

    def is_about(self, component: str) -> bool:
        """Tell whether what happens to a component can matter to what is asked about.

        It is asked about, works with it, or shares something that it depends on and that is not known to be
        well. What uses a component that is well has its own trouble. What nobody knows the calls of cannot be
        ruled out.
        """
        topology = self._topology
        unknown = not topology.calls or component not in topology.components
        shared = topology.uses(component) & self._uses
        if not self.names or unknown or any(not self._speaks_well(each) for each in shared):
            return True
        return component in (self.names | self._uses if self.is_well else self._near)

    def findings(self) -> list[Finding]:
        """Say what the logs of whom the question names hold, where nothing is wrong there."""
        if not self.is_well:
            return []
        logs = [log for log in self.effects.timeline.material.whole_logs if log.owner in self.names]
        return [_counts(log) for log in logs[:_MAX_LOGS]]

    def gaps(self) -> list[str]:
        """Say what the question is about that nothing recorded shows."""
        if self.is_elsewhen:
            return ["The question states a time that lies outside the recorded material."]
        if self.strangers:
            return [
                f"Nothing recorded is known to be {name}, which the question names."
                for name in self.strangers
            ]
        names = sorted(self.names) if self.is_well else []
        return [f"Nothing recorded shows trouble of {name}, which the question names." for name in names]

    @property
    def _topology(self) -> Topology:
        return self.effects.timeline.topology

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word.lower() for word in _WORD.findall(self.effects.timeline.context.question))

    @cached_property
    def _near(self) -> frozenset[str]:
        topology = self._topology
        users = {each for each in topology.components if topology.dependencies(each) & self.names}
        return self.names | self._uses | users

    @cached_property
    def _uses(self) -> frozenset[str]:
        return frozenset(each for name in self.names for each in self._topology.dependencies(name))

    def _speaks_well(self, component: str) -> bool:
        """Tell whether a component has a log, and nothing shows any trouble of it."""
        logs = self.effects.timeline.material.whole_logs
        return component not in self.effects.hurt | self.effects.strained and any(
            log.owner == component and log.spot.at("lines").count for log in logs
        )

    def _times(self) -> Iterator[float]:
        material = self.effects.timeline.material
        lines = [
            template.spot.at(side, "time").text
            for log in material.whole_logs
            for template in log.templates
            for side in ("first", "last")
        ]
        samples = [
            change.spot.at(side, "time").text
            for change in material.metric_changes
            for side in ("before", "at", "last")
        ]
        yield from (seconds for text in [*lines, *samples] if (seconds := seconds_of(text)) is not None)


def _overlaps(instant: Instant, first: float, last: float) -> bool:
    return instant.start / 1e6 <= last and instant.end / 1e6 >= first


def _counts(log: Log) -> Finding:
    parts: list[Part] = [
        *subject(log.owner), "lines that report a failure by their level or status: ",
        number(log.spot.at("errors_after")), " of ", number(log.spot.at("lines_after")), f" in {log.source}",
    ]  # fmt: skip
    return Finding("context", "confirmed", log.owner, sentence(*parts))
