"""What kind of answer a question asks for: a small rule on its words."""

import re
from typing import Final

from assay.common.v1 import context_pb2

# Words that ask for a reason, wherever they stand.
_REASON: Final = (
    r"\b(why|how come|caus\w+|reasons?|root|culprits?|blame\w*|responsible|expla\w+|diagnos\w+"
    r"|troubleshoot\w*|investigat\w+|figure out|look into|due to|because of|trigger(s|ed|ing)?|led to)\b"
)
# "What" asks for a reason when it stands for the trouble itself: what is wrong, what is making it slow.
_TROUBLE: Final = (
    r"\bwhats?\b[^.;?!]{0,100}"
    r"\b(wrong|broken|happen\w*|going on|up with|the (issue|problem|matter|trouble))\b"
)
_CULPRIT: Final = (
    r"\bwhat(\Ss| is| was| has| keeps)? "
    r"(made|(mak|break|slow|block|kill|crash|fill|fail|hurt|eat)(s|es|ed|ing))\b"
    r"|\b(what|which|who)\b[^.;?!]{0,100}\b(broke|(took|brought) (\S+ ){0,3}down)\b"
    r"|\bwho (kill|delet|evict|preempt|restart|stopp)(s|ed|d)?\b"
)
# Who asks whether there is any trouble wants to know which; errors are counted where logs are asked about.
_ANY_TROUBLE: Final = (
    r"\b(any|having|has|have|seeing|experiencing)( \S+)? (issues?|problems?|trouble)\b"
    r"|\b(is|are) (everything|((my|the|our|this) )?cluster) (\S+ )?(ok|okay|fine|healthy|well|good|working)\b"
    r"|\bany (errors?|failures?)\b(?![^.;?!]{0,80}\blogs?\b)[^.;?!]{0,40}"
    r"\b(namespaces?|ns|cluster|nodes?|pods?)\b"
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
    rf"^\W*(please )?({_WH}|h\w{{1,2}} many|(when|where|since when) {_VERB}|list|show|count|print|display"
    r"|name|tell me|give me|get (me |all |the )*(\S+ )?(pods|events|logs|services|nodes|jobs|deployments)"
    r"|(memory|cpu) (usage|use|limits?|requests?) (of|for) \S+\W*$"
    r"|(last|first|latest) (\S+ ){0,2}(lines?|errors?|events?) (of|from|in|for) \S+\W*$"
    r"|(is|are|was|were) there|(number|value|maximum|minimum|status|state) of"
    r"|any (?!(ideas?|clues?|thoughts?|hints?|help|advice|news|insights?|suggestions?|guess(es)?)\b)"
    r"(?=.*\?)\w+)\b"
)
# In a hurry the verb is left out: "pods pending?", "errors in api?".
_SHORT: Final = (
    r"^\W*(all )?((pods|nodes|jobs|deployments|daemonsets|statefulsets|pvcs) (not )?"
    r"(pending|running|ready|failed|evicted|completed|healthy|unhealthy|up|down|available|crashing|restarted)"
    r"|(events|errors|warnings|alerts|restarts))( (in|of|on|from|since)\b[^.;?!]{1,80})?\?\W*$"
)
# Without its mark a question is told by the order of its words.
_INVERTED: Final = (
    r"^\W*(please )?("
    r"does (?!(not|anyone|anybody|someone|somebody)\b)\S+ \S+|do (we|i|you|any|the)\b"
    r"|did (?!not\b)(\S+ ){1,6}(fail|succeed|complete|finish|end|run|start|crash|restart|work)\W*$"
    r"|(is|are) (?!(down|not|failing|broken|still|up|crashing)\b)(\S+ ){1,6}"
    r"(ok|okay|fine|healthy|unhealthy|ready|running|up|down|alive|working|broken|available|bound|pending"
    r"|evicted|terminating|completed|suspended|schedulable)\W*$)"
)
# What is asked for stands first, and nothing that could be a report follows: "last error in checkout".
_REST: Final = r"(?:[^.;:!?]|[.:](?=\w)){1,120}"
_OF_WHOM: Final = (
    rf"( (in|of|for|from|on|at|by|per|with|among|since|before|after|until|between|to)\b{_REST})?"
)
_THINGS: Final = (
    r"((http|response|status|return|log|config|client) ){0,2}"
    r"(errors?|warnings?|log lines?|lines?|messages?|entr(y|ies)|logs|requests?|reqs?|responses?|alerts?"
    r"|changes?|deploys?|deployments?|events?|restarts?|codes?|services|metrics|endpoints?|clients?|ips?"
    r"|paths?|[1-5](xx|\d\d)s?)"
)
_FIGURE: Final = r"(max|maximum|min|minimum|mean|average|avg|peak|highest|lowest|largest|smallest)"
_KEY: Final = (
    r"(the )?((http|status|response|error|log|client) )?(status|codes?|clients?|ips?|paths?|endpoints?"
    r"|routes?|urls?|methods?|minutes?|hours?|levels?|severity|services?|components?|logs?|messages?|namespaces?|nodes?)"
)
_PHRASE: Final = (
    r"^(?!.*\b(is|are|was|were|has|have|fails?|do|does|did)\b)\W*(the )?"
    r"(((first|last|latest|newest|earliest)( and (first|last))?( (time|occurrence) of)?|total) (\d+ )?"
    rf"(failed )?{_THINGS}{_OF_WHOM}|(first|last)( and (first|last))?( time)? \W{{0,9}}"
    rf"|top \d+ {_REST}|top {_THINGS}{_OF_WHOM}"
    rf"|(\d+ )?(slowest|longest|busiest) (\d+ )?({_THINGS}|minutes?|hours?){_OF_WHOM}"
    rf"|{_FIGURE} {_THINGS} (per|by) {_REST}"
    rf"|(last |current )?{_FIGURE}( value)? (of|for) {_REST}"
    rf"|((last|first|current) value of|{_FIGURE}|last|current) \w+_\w+{_OF_WHOM}"
    rf"|(number|count|percentage|percent|share|breakdown|list) of (all |the |fail\w+ )?{_THINGS}{_OF_WHOM}"
    rf"|(failed )?{_THINGS}{_OF_WHOM} (per|by) {_KEY}{_OF_WHOM}|(grep|search|find|look)( for)? \W{{0,9}}"
    rf"|{_THINGS} (over|above|(slower|longer) than) \d{_REST})\W*$"
)
# With a question mark, what can be no report is asked for when it is only named.
_NAMED: Final = (
    rf"^\W*(all |the )?((requests|responses|services|metrics|logs)"
    rf"|((http|response|status|return) )*(codes?|[1-5](xx|\d\d)s?|changes?|deploys?){_OF_WHOM}"
    rf"|{_FIGURE} {_REST}|(?=\w+_\w)\w+ {_REST}\b{_FIGURE})\W*\?\W*$"
)
_DID: Final = r"^\W*(did|does|do we|do you) (any|anything|anyone|anybody|something|the|we|you|it|they)\b"
_ON_WHICH: Final = r"^\W*(on|in|at|to|from|by|of) (which|what) \w+ (is|are|was|were|do|does|did|has|have)\b"
# The commonest words for such questions in other languages, so that no cause is told in their answer's place.
_ABROAD: Final = (
    r"^\W*(wie ?viele?|welche[rsnm]?|wann|seit wann|wie oft|zeige?|cu[aá]nt[ao]s?|cu[aá]les|cu[aá]l"
    r"|cu[aá]ndo|desde cu[aá]ndo|muestra|combien|quand|depuis quand|quels?|quelles?|montre|quant[ie]|quando"
    r"|da quando|qual[ei]?|quantos|quantas|quais|desde quando|hoeveel|wanneer|welke|ile|kiedy|kolik|сколько"
    r"|когда|какие|скільки|коли|kaç|hur många|när|vilka|hvor mange|hvornår)(?!\w)"
    r"|多少|几个|几次|什么时候|哪些|何件|何回|いくつ|いつ|どの|몇|언제"
)
# What greets or tries out asks for nothing.
_NOTHING: Final = (
    r"^\W*((hi|hello|hey|yo|hallo|hola|test|testing|help|ping|thanks|thank you|ok|okay)( there| all)?)\W*$"
)
_ASKS: Final = (
    rf"(^|[.:;,!?\n])\W{{0,4}}((and|but|or|so) )?({_WH}|until when|when|where|{_VERB})\b[^?]{{0,500}}\?"
)

# What is quoted is looked for, whatever it says; and an alert that was triggered fired.
_QUOTED: Final = re.compile(r'"[^"]{1,256}"|“[^“”]{1,256}”|`[^`]{1,256}`')
_FIRED: Final = re.compile(r"\balerts?\b([^.;?!]{0,40})\btriggered\b")
_CAUSE: Final = re.compile("|".join((_REASON, _TROUBLE, _CULPRIT, _ANY_TROUBLE, _GUESS, _CHANGED)))
_FACT: Final = re.compile(
    "|".join((_BEGINS, _SHORT, _INVERTED, _ASKS, _PHRASE, _NAMED, _DID, _ON_WHICH, _ABROAD, _NOTHING))
)
# Written in a hurry.
_RUN_TOGETHER: Final = re.compile(r"\b(what(?=s the\b)|when|where|who|how)s\b")


def intent_of(question: str) -> context_pb2.Intent.ValueType:
    """Return the intent that a question suggests: a lookup when it asks for a fact, else a cause.

    A plain report, such as an alert's text, asks for a cause.
    """
    words = _FIRED.sub(r"alerts\1fired", _QUOTED.sub(" ", question.lower()))
    words = _RUN_TOGETHER.sub(r"\1 is", words)
    if _FACT.search(words) and not _CAUSE.search(words):
        return context_pb2.INTENT_LOOKUP
    return context_pb2.INTENT_CAUSE
