"""What kind of answer a question asks for: a small rule on its words."""

import re
from typing import Final

from assay.common.v1 import context_pb2

# Words that ask for a reason, wherever they stand.
_REASON: Final = (
    r"\b(why|how come|caus\w+|reasons?|root|culprits?|blame\w*|responsible|expla\w+|diagnos\w+"
    r"|troubleshoot\w*|investigat\w+|figure out|look into|due to|trigger(s|ed|ing)?|led to)\b"
)
# "What" asks for a reason when it stands for the trouble itself: what is wrong, what is making it slow.
_TROUBLE: Final = (
    r"\bwhat\b[^.;?!]{0,100}\b(wrong|broken|happen\w*|going on|up with|the (issue|problem|matter|trouble))\b"
)
_CULPRIT: Final = (
    r"\bwhat(\Ss| is| was| has| keeps)? "
    r"(made|(mak|break|slow|block|kill|crash|fill|fail|hurt|eat)(s|es|ed|ing))\b"
    r"|\b(what|which|who)\b[^.;?!]{0,100}\b(broke|(took|brought) (\S+ ){0,3}down)\b"
)
# Somebody guesses at the reason of what was reported, or asks for one in words of every day.
_GUESS: Final = (
    r"\b(whose (fault|problem|doing)|at fault|who (did|does) (this|that|it))\b"
    r"|\bwhat (is|was|can|could|might|may) (it|this|that)( be)?\W*$"
    r"|\b(is|was|are|were|can|could|might) (it|this|that|they|these)( be)? (the|a|an|my|our|your|their)\b"
    r"|\b(some|any)thing (is |seems )?(wrong|broken|off|amiss)\b"
    r"|\bd(id|oes) [^.;?!]{1,80} (do|cause|break) (this|that|it)\b"
    r"|\bwhat (should|can|do|could) (i|we) (do|fix|revert|check|roll back|restart)\b"
    r"|\bwhere (is the (problem|trouble|issue)\b|[^.;?!]{1,100} com(e|es|ing) from\b)"
)
# After a report of trouble, "what changed?" asks for the change that made it.
_CHANGED: Final = (
    r"\b(slow\w*|fail\w*|errors?|broken?|down|time[sd]? ?out|timeouts?|crash\w*|hang\w*|stuck|5xx|50\d)\b"
    r"[^?]{0,200}[.;:,!\n] ?(so |and )?what('s| has| have)? changed\W*$"
)
_HOW_MUCH: Final = r"how (many|much|often|long|large|big|high|low|old|fast|far|full)"
_WH: Final = rf"({_HOW_MUCH}|what|which|who|whose|since when)"
_VERB: Final = r"(is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)"
# A report can begin with "was" or "when" as well: then the question mark tells.
_BEGINS: Final = (
    rf"^\W*(please )?({_WH}|(when|where|since when) {_VERB}|list|show|count|print|display|name|tell me"
    r"|(is|are|was|were) there|(number|value|maximum|minimum) of"
    r"|any (?!(ideas?|clues?|thoughts?|hints?|help|advice|news|insights?|suggestions?|guess(es)?)\b)"
    r"(?=.*\?)\w+)\b"
)
# In a hurry the verb is left out: "pods pending?", "errors in api?".
_SHORT: Final = (
    r"^\W*(all )?((pods|nodes|jobs|deployments|daemonsets|statefulsets|pvcs) (not )?"
    r"(pending|running|ready|failed|evicted|completed|healthy|unhealthy|up|down|available|crashing|restarted)"
    r"|(events|errors|warnings|alerts|restarts))( (in|of|on|from|since)\b[^.;?!]{1,80})?\?\W*$"
)
_ASKS: Final = (
    rf"(^|[.:;,!?\n])\W{{0,4}}((and|but|or|so) )?({_WH}|until when|when|where|{_VERB})\b[^?]{{0,500}}\?"
)

# What is quoted is looked for, whatever it says; and an alert that was triggered fired.
_QUOTED: Final = re.compile(r'"[^"]{1,256}"|“[^“”]{1,256}”|`[^`]{1,256}`')
_FIRED: Final = re.compile(r"\balerts?\b([^.;?!]{0,40})\btriggered\b")
_CAUSE: Final = re.compile(f"{_REASON}|{_TROUBLE}|{_CULPRIT}|{_GUESS}|{_CHANGED}")
_FACT: Final = re.compile(f"{_BEGINS}|{_SHORT}|{_ASKS}")


def intent_of(question: str) -> context_pb2.Intent.ValueType:
    """Return the intent that a question suggests: a lookup when it asks for a fact, else a cause.

    A plain report, such as an alert's text, asks for a cause.
    """
    words = _FIRED.sub(r"alerts\1fired", _QUOTED.sub(" ", question.lower()))
    if _FACT.search(words) and not _CAUSE.search(words):
        return context_pb2.INTENT_LOOKUP
    return context_pb2.INTENT_CAUSE
