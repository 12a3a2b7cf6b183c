"""Logs that stop: a pause at the onset, and the last line of a component that went down."""

from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.reading.views import PAUSE_FACTOR, PAUSE_SECONDS, Log, Template
from services.executor.analyst.reading.words import quotation, seconds_of
from services.executor.analyst.story.timeline import Timeline
from services.executor.analyst.wording.findings import (
    Finding,
    Part,
    line_instant,
    line_quote,
    number,
    sentence,
)

# A longer quotation would crowd out what else a cause must say.
_MAX_LAST_WORDS = 80


def silences(timeline: Timeline) -> list[Finding]:
    """Tell of a log that paused at the onset; pointless where failures tell the story."""
    onset = timeline.onset
    if onset is None:
        return []
    pauses = [(log, log.pause) for log in timeline.split_logs if log.pause is not None]
    return [
        _silence(log, pause)
        for log, pause in pauses
        if _is_near(pause.at("last_before"), onset.seconds, timeline)
    ]


def fell_silent(timeline: Timeline, component: str, seconds: float) -> list[Part]:
    """Say what a component logged last before it stopped at about an instant; empty where it went on."""
    for log in timeline.material.whole_logs:
        if log.owner != component:
            continue
        if log.pause is not None and _is_near(log.pause.at("last_before"), seconds, timeline):
            before = line_instant(log.pause.at("last_before"))
            return [f"{component} logged its last line{log.where} before a pause at ", before]
        if log.last is not None and _is_near(log.last.last, seconds, timeline) and _outlived(log, timeline):
            return _last_words(component, log.last)
    return []


def _last_words(component: str, template: Template) -> list[Part]:
    line = template.last
    said = quotation(line.at("text").text, template.level)
    quoted: list[Part] = [", ", line_quote(line, said), ","] if 0 < len(said) <= _MAX_LAST_WORDS else []
    return [f"{component} logged its last line{template.where}", *quoted, " at ", line_instant(line)]


def _outlived(log: Log, timeline: Timeline) -> bool:
    """Tell whether other logs went on for so long that this one's end is no usual pause."""
    last = log.last_seconds
    ends = [other.last_seconds for other in timeline.material.whole_logs]
    usual = log.spot.at("silence", "typical_seconds").number or 0.0
    latest = max((end for end in ends if end is not None), default=None)
    if last is None or latest is None:
        return False
    return latest - last > max(PAUSE_SECONDS, PAUSE_FACTOR * usual)


def _is_near(line: Spot, seconds: float, timeline: Timeline) -> bool:
    time = seconds_of(line.at("time").text)
    return time is not None and abs(time - seconds) <= timeline.effect_window


def _silence(log: Log, pause: Spot) -> Finding:
    parts: list[Part] = [
        f"{log.owner or log.source} logged its last line{log.where} before a pause at ",
        line_instant(pause.at("last_before")), " and its next one at ", line_instant(pause.at("first_after")),
        ", ", number(pause.at("seconds")), " s later where ", number(pause.at("typical_seconds")),
        " s is usual",
    ]  # fmt: skip
    return Finding("symptom", "confirmed", log.owner, sentence(*parts))
