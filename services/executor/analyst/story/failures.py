"""Kinds of log lines that are new or more frequent since the onset, and who only repeats another's words."""

from dataclasses import dataclass
from functools import cached_property

from services.executor.analyst.reading.stated import stated_by
from services.executor.analyst.reading.views import Log, Template
from services.executor.analyst.reading.words import details
from services.executor.analyst.story.timeline import Timeline

# Fewer repetitions of something that was there before are chance.
_MIN_GROWN = 3
_GROWTH = 3.0
# What happens all the time, and rarely, falls on one side of an instant this often.
_CHANCE = 0.05
# However short the time before was: so many lines in a row on one side of it are no chance.
_EVEN = 0.5


@dataclass(frozen=True)
class Failure:
    """A kind of failing line that is new, or has grown, since the onset."""

    template: Template
    log: Log

    @property
    def owner(self) -> str:
        """The component that logged it; may be empty."""
        return self.template.owner

    @property
    def is_new(self) -> bool:
        """Tell whether it never occurred before."""
        return self.template.before == 0

    @property
    def seconds(self) -> float:
        """When it first occurred; only meaningful for a new one."""
        return self.template.onset or 0.0


@dataclass(frozen=True)
class Failures:
    """All failures of a timeline, first ones first."""

    timeline: Timeline

    @cached_property
    def all(self) -> list[Failure]:
        """Every new or grown kind of failing line, by first occurrence."""
        found: dict[tuple[str, str], Failure] = {}
        for log in self.timeline.split_logs:
            messages = [template for template in log.templates if not template.is_status]
            for template in [*messages, *log.outcomes]:
                if not is_telling(template) or self.timeline.is_aside(template):
                    continue
                if _is_more(template, log):
                    what = template.outcome if template.is_status else template.quote
                    found.setdefault((log.source, what), Failure(template, log))
        return sorted(found.values(), key=lambda failure: failure.seconds)

    @cached_property
    def new(self) -> list[Failure]:
        """Those that never occurred before the onset."""
        return [failure for failure in self.all if failure.is_new]

    @cached_property
    def owners(self) -> frozenset[str]:
        """The components that log failures."""
        return frozenset(failure.owner for failure in self.all) - {""}

    def may_be_chance(self, failure: Failure) -> bool:
        """Tell whether a failure is so rare that it can be new since the onset without belonging to it.

        Every busy log holds a few errors that nobody minds. One that states a mechanism tells by its words.
        """
        template, timeline = failure.template, self.timeline
        if not failure.is_new or stated_by(template.detail_text) is not None:
            return False
        begin, end = timeline.logged
        onset = timeline.onset.seconds if timeline.onset else end
        since = (end - onset) / (end - begin) if end > begin else _EVEN
        return float(min(since, _EVEN) ** template.after) >= _CHANCE

    def origin_of(self, failure: Failure) -> Failure | None:
        """Return the failure of a dependency whose words a failure repeats, if there is one."""
        topology = self.timeline.topology
        pieces = details(failure.template.first_text)
        for other in self.all:
            if other.owner == failure.owner or other.owner not in topology.dependencies(failure.owner):
                continue
            if any(piece in other.template.first_text for piece in pieces):
                return other
        return None


def is_telling(template: Template) -> bool:
    """Tell whether a line reports a failure, or states a mechanism whatever its level."""
    return template.failed or stated_by(template.first_text) is not None


def _is_more(template: Template, log: Log) -> bool:
    if template.after == 0:
        return False
    if template.before == 0:
        return True
    lines_before = max(1, log.spot.at("lines_before").count)
    lines_after = max(1, log.spot.at("lines_after").count)
    grown = template.after / lines_after > _GROWTH * template.before / lines_before
    return grown and template.after >= _MIN_GROWN
