"""Typed views of recorded elements. Each keeps the spot that it was read from, to be cited."""

from dataclasses import dataclass, replace
from functools import cached_property

from services.executor.analyst.reading.signs import Sign, sign_of_metric
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.stated import may_pass, stated_by
from services.executor.analyst.reading.words import (
    begun,
    clean_pieces,
    mechanism_clause,
    quotation,
    seconds_of,
)

# Gaps between independent lines are exponential: ten times the usual one is not chance, in a busy log.
PAUSE_FACTOR = 10.0
PAUSE_SECONDS = 2.0
# A resource that was this full all along was not filled by the trouble.
_FULL_SHARE = 0.8
# What busy logs hold so seldom says little by itself.
_SELDOM = 4
# Levels that are no failures and yet say more than that work goes on.
_NOTED = frozenset({"LOG", "NOTICE", "NOTE"})
_TIME_KEYS = ("time", "timestamp", "ts", "at", "start", "started_at")
_COMPONENT_KEYS = ("service", "component", "app", "application", "target", "workload", "job")
_SUMMARY_KEYS = ("summary", "description", "message", "title", "text", "name")
_TYPE_KEYS = ("type", "kind", "category", "action")


@dataclass(frozen=True)
class Template:
    """One shape of message of one log."""

    spot: Spot
    source: str
    owner: str
    tally: Spot | None = None
    """The count of all lines of the log that hold its quotation, whatever their shape."""
    where: str = ""
    """As of its log."""

    @property
    def counted(self) -> Spot:
        """Where what is said of it is counted: the tally of its quotation, else its own counts."""
        return self.tally or self.spot

    @property
    def first(self) -> Spot:
        """The first line that is counted."""
        return self.counted.at("first")

    @property
    def last(self) -> Spot:
        """The last line of this shape."""
        return self.spot.at("last")

    @property
    def is_status(self) -> bool:
        """Tell whether it stands for all answers with one status, not for a message."""
        return bool(self.outcome) and not self.level

    @cached_property
    def level(self) -> str:
        """The level as the log writes it; may be empty."""
        return self.spot.at("level").text

    @cached_property
    def outcome(self) -> str:
        """The status code; empty where the format has none."""
        return self.spot.at("outcome").text

    @cached_property
    def first_text(self) -> str:
        """The first line of this shape, as far as a system told it."""
        return self.first.at("text").told

    @cached_property
    def first_time(self) -> str:
        """The instant of that line; may be empty."""
        return self.first.at("time").text

    @cached_property
    def onset(self) -> float | None:
        """The instant of that line in seconds since the epoch."""
        return seconds_of(self.first_time)

    @cached_property
    def last_seconds(self) -> float | None:
        """The instant of the last line in seconds since the epoch."""
        return seconds_of(self.last.at("time").text)

    @cached_property
    def quote(self) -> str:
        """What all its lines say, or else the telling part of the first one; may be empty.

        What they share ends at a quotation. Where the last line holds the first one's whole message, with its
        quotations, that is told; and a mechanism that the first line states is never left out.
        """
        common, text = begun(self.spot.at("common").quotable), self.first_text
        whole = self.example
        if '"' in whole and common in whole and whole in self.spot.at("last", "text").text:
            return whole
        mechanism = mechanism_clause(text)
        if mechanism and stated_by(common) is None:
            return mechanism
        # What stands inside of a terminal's codes is no message.
        seen = clean_pieces(self.spot.at("first", "text").text)
        shown = (each for each in (common, quotation(common)) if any(each in piece for piece in seen))
        return next(filter(None, shown), self.example)

    @property
    def example(self) -> str:
        """The telling part of the first line, with that line's own values; may be empty."""
        return quotation(self.spot.at("first", "text").quotable, self.level)

    @property
    def before(self) -> int:
        """How often it occurred before the split."""
        return self.counted.at("count_before").count

    @property
    def after(self) -> int:
        """How often it occurred from the split on."""
        return self.counted.at("count_after").count

    @property
    def failed(self) -> bool:
        """Tell whether it reports a failure."""
        return self.spot.at("severity").text == "failure"

    @property
    def is_in_passing(self) -> bool:
        """Tell whether it mentions as routine, and seldom, what callers meet now and then."""
        level = self.level.upper()
        is_routine = level and level not in _NOTED and self.spot.at("severity").text == "other"
        if not is_routine or self.spot.at("count").count > _SELDOM:
            return False
        stated = stated_by(self.first_text)
        return stated is not None and may_pass(stated.fault)

    @property
    def detail_text(self) -> str:
        """The first line, and the one that names its exception."""
        return f"{self.first_text}\n{self.spot.at('detail', 'text').told}"


@dataclass(frozen=True)
class Log:
    """One `logs_templates` document."""

    spot: Spot
    is_alone: bool = True
    """Whether no other log of the same component was summarised, such as a rotated part of this one."""

    @property
    def source(self) -> str:
        """The file."""
        return self.spot.at("source").text

    @property
    def owner(self) -> str:
        """The component that writes it; may be empty."""
        return self.spot.at("owner").text

    @property
    def where(self) -> str:
        """What a sentence about its component adds: which log is meant, where that has several."""
        return "" if self.is_alone or not self.owner else f" in {self.source}"

    @property
    def last_slow(self) -> float | None:
        """When the last request was logged that took longer than a second, in seconds since the epoch."""
        return seconds_of(self.spot.at("durations", "last_over_1s", "time").text)

    def argument(self, name: str) -> str:
        """Return a string argument of the call; empty when it was not given."""
        value = self.spot.call.arguments.get(name)
        return value if isinstance(value, str) else ""

    @cached_property
    def pause(self) -> Spot | None:
        """The longest pause between two lines, where it is far longer than usual."""
        silence = self.spot.at("silence")
        usual, longest = silence.at("typical_seconds").number, silence.at("seconds").number
        if not usual or longest is None or longest < max(PAUSE_SECONDS, PAUSE_FACTOR * usual):
            return None
        return silence

    @cached_property
    def templates(self) -> list[Template]:
        """The templates, in document order."""
        tallies = {spot.at("text").text: spot for spot in self.spot.at("literals").items()}
        templates = self.spot.at("templates").items()
        bare = [Template(spot, self.source, self.owner, where=self.where) for spot in templates]
        return [_tallied(each, tallies.get(each.quote)) for each in bare]

    @cached_property
    def last(self) -> Template | None:
        """The shape of the last record with a time; None where the listed shapes may not hold it."""
        if self.spot.at("other").members():
            return None
        timed = [each for each in self.templates if seconds_of(each.last.at("time").text) is not None]
        return max(timed, key=lambda each: each.last.at("n").count, default=None)

    @property
    def last_seconds(self) -> float | None:
        """The instant of the last line in seconds since the epoch."""
        return seconds_of(self.last.last.at("time").text) if self.last else None

    @cached_property
    def outcomes(self) -> list[Template]:
        """All answers by status, each like a template; a status in a message with a level is no answer."""
        levelled = {template.outcome for template in self.templates if template.level}
        outcomes = self.spot.at("outcomes").items()
        found = [Template(spot, self.source, self.owner, where=self.where) for spot in outcomes]
        return [each for each in found if each.outcome not in levelled]


@dataclass(frozen=True)
class MetricChange:
    """One series that left its level."""

    spot: Spot

    @cached_property
    def name(self) -> str:
        """The metric's name and its labels, as a reader of the files knows them."""
        return self.spot.at("name").text + self.labels

    @cached_property
    def labels(self) -> str:
        """The labels as PromQL writes them; may be empty."""
        return self.spot.at("labels").text

    @cached_property
    def owner(self) -> str:
        """The component that the series is about by the topology; may be empty."""
        return self.spot.at("owner").text

    @cached_property
    def onset(self) -> float:
        """The first sample away from the level, in seconds since the epoch."""
        return seconds_of(self.spot.at("onset").text) or 0.0

    @cached_property
    def ended(self) -> float | None:
        """When it was back; None while it stays away."""
        return seconds_of(self.spot.at("ended").text)

    @property
    def rises(self) -> bool:
        """Tell the direction."""
        return self.spot.at("direction").text == "rise"

    @cached_property
    def score(self) -> float:
        """Robust distance from the baseline; 0 where there was none."""
        return self.spot.at("score").number or 0.0

    @cached_property
    def step(self) -> float:
        """Seconds between samples."""
        return self.spot.at("step_seconds").number or 0.0

    @property
    def by_rate(self) -> bool:
        """Tell whether it is a counter, whose growth changed and not its level."""
        return self.spot.at("judged").text == "rate"

    @cached_property
    def can_be_told(self) -> bool:
        """Tell whether its own values show the direction: a counter that slows down still rises."""
        before, extreme = self.spot.at("before", "value").number, self.spot.at("extreme", "value").number
        return before is None or (extreme is not None and (extreme > before) is self.rises)

    @property
    def looks_over(self) -> bool:
        """Tell whether it was farthest out at once and is last in its baseline: perhaps a single sample."""
        spot = self.spot
        low, high = spot.at("baseline", "min").number, spot.at("baseline", "max").number
        last = spot.at("last", "value").number
        back = low is not None and high is not None and last is not None and low <= last <= high
        return back and spot.at("extreme", "time").text == spot.at("onset").text

    @property
    def was_absent(self) -> bool:
        """Tell whether the series did not exist before."""
        return self.spot.at("before").is_null

    @cached_property
    def sign(self) -> Sign:
        """What the movement tells."""
        extreme = self.spot.at("extreme", "value").number
        name, query = self.spot.at("name").text, self.spot.at("query").text
        return sign_of_metric(name, query, self.labels, rises=self.rises, value=extreme)


@dataclass(frozen=True)
class Pair:
    """One usage against its limit."""

    spot: Spot

    @property
    def owner(self) -> str:
        """The component whose limit it is."""
        return self.spot.at("owner").text

    @property
    def reached(self) -> float | None:
        """When the limit was reached; None when it was not."""
        return seconds_of(self.spot.at("reached").text)

    @property
    def filled(self) -> float | None:
        """When the limit was reached by something that was not as full all along; None when it was not."""
        limit, before = self.spot.at("limit").number or 0.0, self.spot.at("usage_before").number or 0.0
        return None if before >= _FULL_SHARE * limit else self.reached

    @property
    def largest_labels(self) -> str:
        """The labels of the largest part; empty where usage is one series."""
        return self.spot.at("largest", "labels").text


@dataclass(frozen=True)
class ChangeEvent:
    """Something that somebody did to a component: a change event, or a log line that tells of one."""

    summary: Spot
    instant: Spot | None
    """The instant as the event itself states it; None when it is the time of the summary's line."""
    time: str
    component: str
    kind: str
    """The event's own word for what it is; may be empty."""
    named: Spot | None = None
    """Where the event names the component; None where its log is the component's own."""

    @cached_property
    def seconds(self) -> float:
        """The instant in seconds since the epoch."""
        return seconds_of(self.time) or 0.0

    @cached_property
    def quote(self) -> str:
        """The telling part of its text: of an event all of it, of a log's line what follows its level."""
        level = "info" if self.instant is None else ""
        return quotation(self.summary.quotable, level) or quotation(self.summary.quotable)


@dataclass(frozen=True)
class Alert:
    """One alert."""

    spot: Spot

    @cached_property
    def name(self) -> str:
        """The name of its rule."""
        return self.spot.at("labels", "alertname").text

    @cached_property
    def state(self) -> Spot:
        """What its source calls its state; a Spot of nothing where it states none."""
        stated = (self.spot.at(*path) for path in (("state",), ("status", "state"), ("status",)))
        return next((each for each in stated if each.text), self.spot.at("state"))

    @property
    def firing(self) -> bool:
        """Tell whether it fires (rather than waits to, or has ended)."""
        return self.state.text in ("firing", "active", "alerting")

    @property
    def since(self) -> Spot:
        """The instant since when its condition holds."""
        active = self.spot.at("activeAt")
        return active if active.text else self.spot.at("startsAt")


def _tallied(template: Template, tally: Spot | None) -> Template:
    """Count a new kind of line by its quotation, unless other kinds said the same words before."""
    counted = replace(template, tally=tally)
    return counted if (counted.before == 0) is (template.before == 0) else template


def change_event(element: Spot) -> ChangeEvent | None:
    """Read one element of a `change_events_list` document; None when it says neither what nor when."""
    value = element.at("value")
    instant = _first(value, _TIME_KEYS)
    summary = _first(value, _SUMMARY_KEYS)
    if instant is None or summary is None or seconds_of(instant.text) is None:
        return None
    component, kind = _first(value, _COMPONENT_KEYS), _first(value, _TYPE_KEYS)
    return ChangeEvent(
        summary=summary,
        instant=instant,
        time=instant.text,
        component=component.text if component else "",
        kind=kind.text if kind else "",
        named=component,
    )


def _first(value: Spot, keys: tuple[str, ...]) -> Spot | None:
    return next((value.at(key) for key in keys if value.at(key).text), None)
