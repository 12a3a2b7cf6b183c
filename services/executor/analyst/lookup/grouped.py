"""By what lines and requests are to be counted apart, which of these are asked for, and how many."""

import re
from dataclasses import dataclass
from typing import Final

from services.executor.analyst.lookup import vocabulary as words
from services.executor.analyst.lookup.asked import Refused
from services.executor.analyst.lookup.question import Question
from services.executor.analyst.lookup.reader import Reader
from services.executor.analyst.reading.words import vocabulary

_NAMES: Final = {
    "status": r"(?:(?:http|response|return|status) )*codes?|(?:http |response )?statuses",
    "client": r"(?:(?:client|source|remote) )?(?:ips?(?: address(?:es)?)?|address(?:es)?)|clients?",
    "path": r"(?:url )?paths?|endpoints?|routes?|urls?|uris?",
    "method": r"(?:http )?methods?|http verbs?",
    "level": r"(?:log )?levels?|severit(?:y|ies)",
    "minute": r"minutes?",
    "hour": r"hours?",
}
_LOGS: Final = r"logs?|log files?|files?|services?|components?"
_KEYS: Final = "|".join(f"(?P<{key}>{name})" for key, name in _NAMES.items())
# "Per status" is one more way to say it where "by" or "per" stands before.
_BY: Final = re.compile(
    rf"\b(?:(?:grouped|split|broken down|breakdown|counted|sorted) )?(?:per|by|in each|for each|each)"
    rf"(?: the)? (?:{_KEYS}|(?P<log>{_LOGS})|(?P<plain_status>status))\b",
    re.IGNORECASE,
)
_BEFORE: Final = (
    r"what|which|whats|list|show|print|display|count|tell|give|me|us|all|the|of|is|are|was|were|how|many|much|"
    r"different|distinct|unique|top|in|at|most|common|frequent|busiest|various|and|number"
)
_SUBJECT: Final = re.compile(rf"^\W*(?:(?:{_BEFORE})\W+)*(?:{_KEYS})\b", re.IGNORECASE)
_CODES: Final = re.compile(r"\b(?:codes|statuses)\b", re.IGNORECASE)
_WHICH: Final = re.compile(r"^\W*(?:(?:in|at) )?(?:which|what|top)\b(?!.*\bmany\b)", re.IGNORECASE)
_NOUNS: Final = r"(?:(?:log|error) )?(?:errors?|warnings?|failures?|messages?|lines?)"
_OFTEN: Final = r"most (?:common|frequent|often|frequently)|commonest"
_MESSAGE: Final = re.compile(
    rf"\b(?:top|{_OFTEN}) {_NOUNS}\b|\b{_NOUNS}(?: \w+){{0,3}} (?:the )?(?:{_OFTEN})\b",
    re.IGNORECASE,
)
_SLOWEST: Final = re.compile(
    r"\b(?:slowest|longest(?:[ -]running)?|t(?:ook|akes?) (?:the )?(?:longest|most time))\b", re.IGNORECASE
)
_MOST: Final = re.compile(
    r"\b(?:most|busiest|commonest|highest|greatest|largest|maximum|peak)\b", re.IGNORECASE
)
_AROUND: Final = vocabulary(
    """different distinct unique top most common commonest frequent frequently busiest various made make makes
    sent send sends breakdown broken split grouped counted sorted per by often took take takes slowest longest
    running longest-running get hit hits"""
)


@dataclass(frozen=True)
class Grouped:
    """What is counted apart; empty for nothing."""

    by: str = ""
    is_slowest: bool = False
    is_most: bool = False
    """Whether that is asked for of which there are most."""


def grouped(reader: Reader) -> Grouped:
    """Take the words for what lines or requests are to be told apart by."""
    plain = " ".join(reader.question.plain.split())
    match = _BY.search(plain) or _subject(reader.question)
    by = _key(match) if match else ""
    if match is None and (match := _MESSAGE.search(plain)) is not None:
        by = "message"
    if by and by != "status" and _CODES.search(plain) and not reader.question.outcomes:
        raise Refused("requests are told apart by one thing at a time")
    slowest = _SLOWEST.search(plain)
    for each in (match, slowest):
        if each is not None:
            said = {word.lower() for word in re.findall(r"[\w-]+", each.group())}
            reader.take((said - _kept(by)) | {*_AROUND})
    if by and slowest:
        raise Refused("the slowest requests are shown one by one, not counted apart")
    is_most = (
        bool(by) and by != "message" and reader.question.limit is None and _MOST.search(plain) is not None
    )
    return Grouped(by, slowest is not None, is_most)


def _kept(by: str) -> set[str]:
    """Return what says which lines are meant, beside that they are to be told apart."""
    return {*words.FAILURES, *words.WARNINGS, *words.LINES} if by == "message" else set()


def _subject(question: Question) -> "re.Match[str] | None":
    """Return what is asked for first, such as clients; of a code that is stated nothing is told apart."""
    match = _SUBJECT.match(" ".join(question.plain.split()))
    if match is None or (match["status"] and (question.outcomes or question.has(words.LINES))):
        return None
    # "How many minutes" asks how long something lasted.
    is_of_time = match["minute"] or match["hour"]
    return None if is_of_time and not _WHICH.match(question.plain) else match


def _key(match: "re.Match[str]") -> str:
    found = next(key for key, text in match.groupdict().items() if text)
    return "status" if found == "plain_status" else found
