"""Why a question for a fact is not answered: a closed list, so that such a gap carries no statement.

What an executor writes as a gap is shown to nobody, for it could say anything. A refusal is recognised here
word by word: one of the reasons below, or words that stand in the question itself.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

_PREFIX: Final = "Not answered: "
# So many of the words that were not understood are named, and so much of each.
_MAX_NAMED: Final = 6
_MAX_WORD: Final = 40
_QUOTED: Final = rf'"[^"\s]{{1,{_MAX_WORD}}}"'
_NOT_UNDERSTOOD: Final = re.compile(
    rf"({_QUOTED}(?:, {_QUOTED}){{0,{_MAX_NAMED - 1}}})(?: and more)? (?:was|were) not understood, "
    "and leaving out a word could change the answer"
)
REASONS: Final = frozenset(
    {
        "a mean has no greatest or least value here",
        "a metric is compared with one number at a time",
        "a number of the question could be a status, and what is asked about has none",
        "a sign such as != or >= is not understood; say in words what is meant",
        "a time of the question stands where it bounds nothing that is known",
        "components are listed or counted, whatever the time",
        "conditions of two sorts are joined; ask for one of them",
        "how long requests took is told of the slowest, or of those above a bound",
        "lines are counted by text, level or severity; a status is one of requests",
        "lines are counted, listed or dated; they have no value",
        "no line holds these words together; quote the text as a log writes it",
        "no log could be read",
        "no log of the named component was read",
        "no log of the named object was read",
        "no log states how long requests took",
        "no log that was read tells how requests were answered",
        "no metric is recorded",
        "no object of this kind or name is recorded",
        "no recorded series of that metric is of the named component",
        "no request is logged in the time that is asked about",
        "no source of such entries was read",
        "no topology was read",
        "no topology was read that names the services",
        "no topology was read that tells of calls",
        "none of the recorded objects states this",
        "nothing recorded tells what these entries are about",
        "objects are listed, counted, or told of; what is recorded of them has no course",
        "objects are selected by one state at a time",
        "of a metric it is asked when it was beyond a number, greatest or least",
        "of one component it is listed what it calls or who calls it, whatever the time",
        "of requests a status is asked for with its number, and of components how they are is not known",
        "of what is counted apart, none is the first or the last",
        "one fact of objects at a time is told",
        "one kind of objects at a time is listed or counted",
        "only a state of objects can be denied in a lookup",
        "only how long requests took is compared in another unit than seconds",
        "only requests are told apart by that",
        "only values of metrics, and how long requests took, are compared with a number",
        "quoted text is looked for in logs only",
        "requests are not told apart by that",
        "requests are told apart by one thing at a time",
        "requests are shown in their order, or the slowest of them",
        "samples and series are not counted",
        "several quoted texts may be meant together or one by one; ask for one of them",
        "several texts or paths may be meant together or one by one; ask for one of them",
        "some alerts have ended, and until when each of them fired is not certain",
        "some entries do not say enough of themselves to be counted",
        "some lines have no times, so that none of several logs is the first or the last",
        "some of the recorded objects do not state this",
        "some recorded changes do not say of which type they are",
        "some recorded objects do not say in which namespace they are",
        "some requests are logged without a time, so that a part of them cannot be counted",
        "the events could not be read",
        "the events of no object, or of too many, are asked for",
        "the first or the last of something has no count; a time is stated as a clock shows it",
        "the first, the last or the most are shown of lines, requests, alerts and changes",
        "the logs could not be read as a whole, and what was not read may hold it",
        "the logs state the status of failures only, so that all requests cannot be counted",
        "the metric has no sample in the time that is asked about",
        "the metric has no value then, or too many series; name the component or a label",
        "the metric has too many series to tell which is meant; name the component or a label",
        "the path / stands in every other path, so that its requests are not told apart",
        "the question bounds its answer by another event; state the time as a clock shows it",
        "the question is about a time of which nothing is recorded",
        "the question is too long to be a lookup",
        "the question names no metric that is recorded",
        "the question, which is understood in English only, names nothing that can be looked up",
        "the question states a day of the week, and nothing recorded tells of which week",
        "the question states a time of day that is on none, or on several, of the recorded days",
        "the question states a time of day, and nothing recorded tells of which day",
        "the question states more times than bound one interval",
        "the recorded alerts state in different places, or not at all, whether they fire",
        "the requests of one component to another are not told apart",
        "the samples of this metric have no mean",
        "the series of this metric could not be read as a whole",
        "the slowest requests are shown one by one, not counted apart",
        "the time that the question is about lies outside of what is looked at",
        "the times of the question bound nothing: the later one comes first",
        "there are more different ones than can be told apart; state from when until when",
        "there are more events than could be listed",
        "there are more minutes or hours than can be told; state from when until when",
        "there are more series than can be listed; name a metric",
        "this is more than one question; ask them one by one",
        "too many logs tell of requests to be told apart; name one of them",
        "what is recorded of a cluster is of one moment and has no quoted text: no time bounds it",
        "what is recorded of the objects does not say enough to count them",
        "what is recorded of the objects does not show their events",
        "what ran out of memory is looked for in logs and among the objects of a cluster",
        "what some entries are about is not certain: they name the component in passing",
    }
)


def not_understood(words: Sequence[str]) -> str:
    """Return the reason where words of the question were not understood."""
    said = ", ".join(f'"{word[:_MAX_WORD]}"' for word in words[:_MAX_NAMED])
    more = " and more" if len(words) > _MAX_NAMED else ""
    was = "was" if len(words) == 1 else "were"
    return f"{said}{more} {was} not understood, and leaving out a word could change the answer"


def gap_of(reason: str) -> str:
    """Return a refusal as the gap of an evidence document."""
    return f"{_PREFIX}{reason}."


def refusal_in(gaps: Iterable[str], question: str) -> str:
    """Return the reason of the first gap that is a refusal of this question; empty for none."""
    reasons = (gap.removeprefix(_PREFIX).removesuffix(".") for gap in gaps if gap.startswith(_PREFIX))
    return next((reason for reason in reasons if _is_known(reason, question)), "")


def _is_known(reason: str, question: str) -> bool:
    if reason in REASONS:
        return True
    match = _NOT_UNDERSTOOD.fullmatch(reason)
    return match is not None and all(word in question for word in re.findall(r'"([^"]+)"', match[1]))
