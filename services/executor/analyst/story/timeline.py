"""When the trouble began, and which of the series that moved belong to it.

The alert or the question tells when somebody noticed. From there the timeline goes back, onset by onset, as
long as no long calm lies between two of them; what was over before anybody noticed, or began long before, is
another story. A resource that fills quietly for minutes is kept by what it fills: its limit.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from assay.common.v1 import context_pb2

from services.common.evidence.instants import instants_in
from services.executor.analyst.reading.material import Material
from services.executor.analyst.reading.signs import Sign
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.stated import stated_by
from services.executor.analyst.reading.topology import Topology
from services.executor.analyst.reading.views import ChangeEvent, Log, MetricChange, Pair, Template
from services.executor.analyst.reading.words import seconds_of, show_instant

# An effect shows within a few scrapes, or within half a minute where scrapes are dense: rates need two
# samples.
EFFECT_SECONDS = 30.0
EFFECT_STEPS = 4
# Two onsets farther apart than this are two stories, unless a limit links them.
_CALM_SECONDS = 120.0
_CALM_STEPS = 24
_DAY_SECONDS = 86400.0
# A number that stands for itself, not a part of a version or a name.
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_TROUBLE = frozenset({Sign.DOWN, Sign.ERROR, Sign.LOCK, Sign.LATENCY})


@dataclass(frozen=True)
class Onset:
    """The first sign of the trouble, with a spot that holds it or whose line bears it."""

    seconds: float
    text: str
    spot: Spot


@dataclass(frozen=True)
class Timeline:
    """The recorded material, seen from the moment of the trouble."""

    material: Material
    context: context_pb2.DiagnosisContext

    @property
    def topology(self) -> Topology:
        """Who calls whom."""
        return self.material.topology

    @cached_property
    def step(self) -> float:
        """The largest usual distance between samples, in seconds."""
        return max((change.step for change in self.material.metric_changes), default=0.0)

    @cached_property
    def effect_window(self) -> float:
        """How long after a change its first effect may show, in seconds."""
        return max(EFFECT_SECONDS, EFFECT_STEPS * self.step)

    @cached_property
    def logged(self) -> tuple[float, float]:
        """When the first and the last line was logged, in seconds since the epoch; equal where none was."""
        lines = [each for log in self.material.whole_logs for each in log.templates]
        first = [each.onset for each in lines if each.onset is not None]
        last = [seconds for each in lines if (seconds := each.last_seconds) is not None]
        return min(first, default=0.0), max(last, default=0.0)

    @cached_property
    def noticed(self) -> float | None:
        """When somebody or something noticed, in seconds since the epoch; None when nothing did."""
        asked = [seconds for text in _INSTANT.findall(self.context.question) if (seconds := seconds_of(text))]
        told = self._alerted() + (asked or self._clock_times())
        if told:
            return min(told)
        troubles = [change.onset for change in self.material.metric_changes if change.sign in _TROUBLE]
        lines = [each for log in self.material.whole_logs for each in log.templates if each.onset is not None]
        failed = [line for line in lines if line.failed] or [line for line in lines if self._states(line)]
        failures = [line.onset for line in failed if line.onset is not None]
        return max(troubles, default=None) if troubles else min(failures, default=None)

    @cached_property
    def members(self) -> list[MetricChange]:
        """The series whose movement belongs to the trouble, by onset, but those that name a version."""
        noticed = self.noticed
        if noticed is None:
            return []
        alive = [
            change
            for change in self.material.metric_changes
            if change.sign is not Sign.IDENTITY
            and change.can_be_told
            and (change.ended is None or change.ended >= noticed - self.effect_window)
            and not self._repeats_an_event(change)
        ]
        begin = self._chain(noticed, [change.onset for change in alive])
        return [change for change in alive if change.onset >= begin or self._fills_a_limit(change)]

    @cached_property
    def onset(self) -> Onset | None:
        """The first sign of the trouble in a series, or in a log shortly before the first series."""
        metrics = [_onset_of(change) for change in self.members]
        first = min(metrics, key=lambda onset: onset.seconds, default=None)
        limit = first.seconds if first else self.noticed
        if limit is None:
            return None
        # Without a series only an alert, which waits before it fires, tells how far back to look.
        reach = self.effect_window if first else max(self.effect_window, _CALM_SECONDS)
        if self.noticed is not None and self.noticed < limit - reach:
            # What was noticed long before any series moved began before it was noticed.
            limit = self.noticed
        near = [
            onset
            for onset in self._log_onsets()
            if limit - reach <= onset.seconds and (first is None or onset.seconds <= first.seconds)
        ]
        return min([*near, *([first] if first else [])], key=lambda onset: onset.seconds, default=None)

    @cached_property
    def split(self) -> str:
        """The instant that divides before from after: the onset, at the second that statements show."""
        return show_instant(self.onset.text) if self.onset else ""

    @cached_property
    def split_logs(self) -> list[Log]:
        """The summaries of logs before and after the onset."""
        return self.material.split_logs(self.split) if self.split else []

    def is_aside(self, template: Template) -> bool:
        """Tell whether a line only mentions in passing what callers meet, and no trouble begins with it."""
        if not template.is_in_passing:
            return False
        at = template.onset
        return at is None or all(abs(at - hurt) > self.effect_window for hurt in self._hurts)

    def components_of(self, change: MetricChange) -> frozenset[str]:
        """Return the components that a series is about: its owner and those that its labels name."""
        values = re.findall(r'="((?:[^"\\]|\\.)*)"', change.labels)
        named = self.topology.mentioned([change.owner, *values]) | ({self.subject_of(change)} - {""})
        return named or frozenset({change.owner} - {""})

    def subject_of(self, change: MetricChange) -> str:
        """Return the one component that a series is about: one that its labels name, else its owner."""
        return self.topology.subject(change.labels, change.owner)

    @cached_property
    def _hurts(self) -> list[float]:
        """Return when alerts, series and failing lines began to tell of trouble."""
        series = [change.onset for change in self.material.metric_changes if change.sign in _TROUBLE]
        lines = (each for log in self.material.whole_logs for each in log.templates if each.failed)
        return [*self._alerted(), *series, *(each.onset for each in lines if each.onset is not None)]

    def _states(self, template: Template) -> bool:
        """Tell whether a line states a mechanism, whatever its level, and not only in passing."""
        return stated_by(template.first_text) is not None and not self.is_aside(template)

    def _clock_times(self) -> list[float]:
        """Return the times of day that the question states, where one day was logged and they lie in it.

        Somebody's own clock may be of another zone: what lies outside of the logs says nothing.
        """
        begin, end = self.logged
        if not 0 < end - begin < _DAY_SECONDS:
            return []
        stated = [each.start / 1e6 for _, _, each in instants_in(self.context.question) if not each.dated]
        days = {math.floor(bound / _DAY_SECONDS) * _DAY_SECONDS for bound in (begin, end)}
        return [day + each for day in sorted(days) for each in stated if begin <= day + each <= end]

    def _alerted(self) -> list[float]:
        """Return since when the alerts hold that the question names, else those no older than the logs."""
        since = [
            (alert.name, seconds)
            for alert in self.material.alerts
            if alert.firing and (seconds := seconds_of(alert.since.text)) is not None
        ]
        named = [seconds for name, seconds in since if name and name in self.context.question]
        logged = [template.onset for log in self.material.whole_logs for template in log.templates]
        begin = min((onset for onset in logged if onset is not None), default=0.0)
        # An alert that always fires, to show that alerting works, says nothing about this trouble.
        return named or [seconds for _, seconds in since if seconds >= begin]

    def _chain(self, noticed: float, onsets: Iterable[float]) -> float:
        calm = max(_CALM_SECONDS, _CALM_STEPS * self.step)
        begin = noticed
        for onset in sorted((onset for onset in onsets if onset <= noticed), reverse=True):
            if begin - onset > calm:
                break
            begin = onset
        return begin

    def _fills_a_limit(self, change: MetricChange) -> bool:
        return change.rises and any(
            pair.filled is not None and pair.filled >= change.onset and is_part_of(change, pair)
            for pair in self.material.pairs
        )

    def _repeats_an_event(self, change: MetricChange) -> bool:
        """Tell whether a series steps from and to numbers that a change event itself states."""
        numbers = {change.spot.at(side, "value").text for side in ("before", "extreme")}
        return any(
            abs(change.onset - event.seconds) <= self.effect_window
            and numbers <= set(_NUMBER.findall(_all_text(event)))
            for event in self.material.events
        )

    def _log_onsets(self) -> list[Onset]:
        found = []
        for log in self.material.whole_logs:
            if log.pause is not None:
                found.append(log.pause.at("last_before"))
            found.append(log.spot.at("durations", "first_over_1s"))
            telling = [template for template in log.templates if template.failed or self._states(template)]
            found.extend(template.spot.at("first") for template in telling)
        return [
            Onset(seconds, line.at("time").text, line.at("text"))
            for line in found
            if (seconds := seconds_of(line.at("time").text)) is not None
        ]


def is_part_of(change: MetricChange, pair: Pair) -> bool:
    """Tell whether a series is the usage of a limit, or the largest part of it."""
    same = change.spot.at("name").text == pair.spot.at("usage_name").text
    return same and pair.largest_labels in ("", change.labels)


def _onset_of(change: MetricChange) -> Onset:
    spot = change.spot.at("onset")
    return Onset(change.onset, spot.text, spot)


def _all_text(event: ChangeEvent) -> str:
    parent = Spot(event.summary.call, event.summary.path[:-1])
    return " ".join(member.text for member in parent.members().values())
