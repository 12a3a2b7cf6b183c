"""Words that change what a statement is: a conclusion, a matter of general knowledge, a mechanism."""

import re
from collections.abc import Iterable
from typing import Final

_CONCLUSION: Final = re.compile(
    r"\b(?:because|caus(?:e|es|ed|ing)|led to|leads to|due to|owing to|explains?|explained by"
    r"|result(?:s|ed)? (?:in|from)|as a result|therefore|thus|hence|consequently|triggers?|triggered"
    r"|responsible for|root cause|so that|which made|makes? it|suggests?|indicates?|consistent with|likely"
    r"|probably|possibly|may|might|appears? to|seems?)\b",
    re.IGNORECASE,
)
_GENERAL: Final = re.compile(
    r"\b(?:known (?:bug|issue|problem|defect)|documentation|best practices?|typically|usually|commonly"
    r"|in general|generally|release notes|vendor|according to|as everyone knows|by design of|historically"
    r"|last (?:week|month|year)|in other (?:incidents|systems)|cve-\d{4}-\d+)\b",
    re.IGNORECASE,
)
# A mechanism that a statement names must be named by its evidence, in one of these forms.
_MECHANISMS: Final = tuple(
    (re.compile(rf"\b(?:{said})", re.IGNORECASE), re.compile(shown, re.IGNORECASE))
    for said, shown in (
        (r"memory\b|oom", r"mem|oom|rss|heap"),
        (r"disk\b|storage\b", r"disk|space|storage|volume|enospc|filesystem"),
        (r"deadlock|lock(?:s|ed)?\b", r"lock"),
        (r"dns\b|name resolution", r"dns|resol|lookup"),
        (r"certificate", r"cert|x509|tls|ssl"),
        (r"network\b|packet", r"network|packet|route|unreachable|socket|connect"),
        (r"leak(?:s|ed|ing)?\b", r"leak"),
        (r"crash(?:es|ed|ing)?\b|panic", r"crash|panic|segfault|traceback|exception|exit|signal|abort"),
        (r"killed\b", r"kill|oom"),
        (r"timeouts?\b|timed out\b", r"time-?out|timed out|deadline|\b504\b"),
        (r"restart(?:s|ed|ing)?\b", r"restart|start|ready|uptime"),
        (r"cpu\b", r"cpu|processor|throttl"),
    )
)
_WORD: Final = re.compile(r"[a-z]{4,}")
_COMMON: Final = re.compile(
    r"about|above|after|again|also|among|been|before|beg[aiu]n|begins|being|below|between|both|came|changed?|does"
    r"|down|during|each|else|ever|every|from|have|having|here|high|higher|into|just|keep|kept|less|like|lines?"
    r"|lower|made|makes|many|more|most|much|near|next|once|only|onto|other|over|rather|reached|same|seen|shows"
    r"|since|some|stated|still|such|than|that|their|them|then|there|these|they|this|those|through|times?|under"
    r"|until|upon|were|what|when|where|which|while|whole|will|with|within|would|your"
)
_STEM: Final = 5


def concludes(words: str) -> bool:
    """Tell whether a statement draws a conclusion rather than reports an observation."""
    return bool(_CONCLUSION.search(words))


def speaks_of_elsewhere(words: str, evidence: str) -> bool:
    """Tell whether a statement rests on general knowledge or on other occasions."""
    held = evidence.casefold()
    return any(match.group().casefold() not in held for match in _GENERAL.finditer(words))


def names_unseen_mechanism(words: str, evidence: str) -> bool:
    """Tell whether a statement names a mechanism that nothing in its evidence names."""
    return any(said.search(words) and not shown.search(evidence) for said, shown in _MECHANISMS)


def shared_share(words: str, without: Iterable[str], evidence: str) -> float:
    """Return the share of a statement's content words, 0 to 1, that the evidence holds by their stems."""
    names = {name.casefold() for name in without}
    content = {
        word for word in _WORD.findall(words.casefold()) if not _COMMON.fullmatch(word) and word not in names
    }
    held = {word[:_STEM] for word in _WORD.findall(evidence.casefold())}
    return sum(word[:_STEM] in held for word in content) / len(content) if content else 0.0
