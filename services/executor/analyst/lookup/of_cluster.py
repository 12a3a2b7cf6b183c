"""Questions about objects of a cluster: which of them, in which state, on which node, and what of them."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from services.executor.analyst.lookup import vocabulary as words
from services.executor.analyst.lookup.asked import Ask, Lookup, Refused, Span, What
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.lookup.reader import Reader
from services.executor.analyst.lookup.resources import USED, resource

_WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet")
_OF_KIND = {"outcome": "Job", "runs": "CronJob"}
# Facts that are numbers, of which one is the greatest.
_MEASURED = USED | {"restarts"}


def of_cluster(reader: Reader, bare: Lookup) -> Lookup:
    """Return a lookup of objects or of events about them; raises Refused."""
    question, known = reader.question, reader.known
    if bare.span != Span() or question.literals:
        raise Refused(
            "what is recorded of a cluster is of one moment and has no quoted text: no time bounds it"
        )
    group, labels = _group(reader), _labels(reader)
    fact = "" if group else _fact(reader)
    types = _types(reader)
    warns = bare.what is What.EVENTS and bool(reader.take(words.WARNINGS))
    # "The pods on worker-1": behind another kind the name of a node tells where.
    others = {words.KINDS_BY_WORD[word] for word in question.lowered & words.KINDS_BY_WORD.keys()} - {"Node"}
    node = reader.names(known.nodes) if others else ()
    within, names = _within(reader), reader.names(known.object_names)
    states = _states(reader, fact)
    kinds = _kinds(reader, names)
    if bare.what is What.EVENTS:
        reader.take(words.EVENTS)
    node, namespaces = node or reader.names(known.nodes), within or reader.names(known.namespaces)
    namespaces = namespaces or _strange_namespace(reader, kinds)
    kinds = _without_conditions(kinds, node=bool(node), namespace=bool(namespaces))
    if not names and (strange := _strange_name(reader, kinds)):
        bare, names = replace(bare, is_strange=True), (strange,)
    kinds = _kinds_of_fact(kinds, fact, named=bool(names))
    if question.is_oom:
        states, kinds = (*states, words.OOM_STATE), kinds or ["Pod"]
    if fact in _MEASURED and reader.take(words.MOST):
        bare = replace(bare, ask=Ask.MAX)
    if len(states) > 1 or len(kinds) > 1 or len(node) > 1:
        raise Refused("one kind of objects at a time is listed or counted")
    found = replace(
        bare, names=names, states=states, kind=kinds[0] if kinds else "", node=node[0] if node else "",
        namespaces=namespaces, fact=fact, group=group, labels=labels, types=types,
        severities=("warning",) if warns else (),
    )  # fmt: skip
    return _asking(found, known)


def _within(reader: Reader) -> tuple[str, ...]:
    """Take the namespaces behind "in": an object, such as a service account, may have the same name."""
    tokens, known = reader.question.tokens, reader.known
    said = [
        word
        for word in reader.left
        if word.lower in known.namespaces
        and word.lower in known.object_names
        and tokens[word.place - 1 : word.place] in (("in",), ("namespace",), ("ns",))
    ]
    reader.left = [word for word in reader.left if word not in said]
    return tuple(known.namespaces[word.lower] for word in said)


def _types(reader: Reader) -> tuple[str, ...]:
    """Take the types of services that are asked for."""
    types = tuple(words.SERVICE_TYPES[each] for each in reader.take(words.SERVICE_TYPES))
    if types:
        reader.take(("exposed", "expose", "via", "type", "types"))
    return types


def _group(reader: Reader) -> str:
    """Take the words for what objects are to be counted apart by; the namespaces, where they are listed."""
    match = words.GROUPS.search(reader.question.plain)
    if match is not None:
        reader.take(("per", "by", "group", "grouped", match["by"].lower(), f"{match['by'].lower()}s"))
        return words.GROUPED[match["by"].lower()]
    known = reader.known
    kinds = {words.KINDS_BY_WORD.get(word, "") for word in reader.question.lowered} - {""}
    recorded = any(row.at("kind").text == "Namespace" for row in known.objects)
    if kinds != {"Namespace"} or recorded or reader.question.has(known.namespaces):
        return ""
    reader.take(("namespace", "namespaces"))
    return "namespace"


def _labels(reader: Reader) -> tuple[tuple[str, str], ...]:
    """Take what is written as a label with its value."""
    said = [word for word in reader.left if word.text.count("=") == 1]
    reader.left = [word for word in reader.left if word not in said]
    if said:
        reader.take(("label", "labels", "labelled", "labeled", "selector"))
    pairs = (word.text.replace("==", "=").partition("=") for word in said)
    return tuple((name, value) for name, _, value in pairs)


def _told(reader: Reader) -> str:
    """Take the words for what is told of named objects in more than one figure; empty for none."""
    question = reader.question
    if named := resource(reader) or _pair(reader):
        return named
    if not any(word.lower in reader.known.object_names for word in reader.left):
        return ""
    if _is_of(reader, "CronJob") and reader.take(words.RUNS | words.WELLNESS | {"last"}):
        return "runs"
    if question.has(("node", "nodes")) and _is_of(reader, "Pod") and not question.has(reader.known.nodes):
        # "Which node does it run on": it is asked of what is named.
        reader.take(("node", "nodes"))
        return "node"
    if ("how", "long") in pairwise(question.tokens) and "been" in question.tokens:
        reader.take(("long", "up"))
        return "age"
    if reader.take(words.OWNING):
        reader.take(("who",))
        return "controller"
    if question.ask is Ask.ANY and _is_of(reader, "Job") and reader.take(words.ENDING_OF_JOBS):
        return "outcome"
    made = [noun for noun in words.MADE_OF if question.has((noun, f"{noun}s"))]
    if question.ask is Ask.COUNT and len(made) == 1 and question.has(words.READINESS):
        reader.take((*words.READINESS, *words.NEGATIONS, made[0], f"{made[0]}s"))
        return f"ready_{made[0]}s"
    return ""


def _pair(reader: Reader) -> str:
    """Take what is asked of an object in two words, one behind the other."""
    tokens = reader.question.tokens
    found = (pair for pair in pairwise(tokens) if pair in words.PAIRS)
    pair = next(found, None)
    if pair is None:
        return ""
    reader.take(pair)
    return words.PAIRS[pair]


def _is_of(reader: Reader, kind: str) -> bool:
    names = [word.lower for word in reader.left if word.lower in reader.known.object_names]
    meant = [reader.known.object_names[name] for name in names]
    return bool(_kinds_of(reader.known, meant, (kind,)))


def _fact(reader: Reader) -> str:
    if told := _told(reader):
        return told
    if match := words.STARTED.search(reader.question.plain):
        reader.take(("start", "started", "created", "launched"))
        return "created" if match["how"].lower() == "created" else "started"
    most = {"restarted", "restarting"} if reader.question.has(words.MOST) else set()
    found = {words.FACTS[word] for word in reader.take(words.FACTS.keys() - words.STATES.keys() | most)}
    of_nodes = bool(reader.take(("kubelet", "kubernetes"))) or reader.question.has(("node", "nodes"))
    if "version" in found and not of_nodes:
        # What a pod runs is told by its image.
        found = found - {"version"} | {"image"}
    found |= (
        {"restarts"} if reader.question.ask is Ask.COUNT and reader.take(("restarted", "restart")) else set()
    )
    found |= {"status"} if reader.take(("status",)) else set()
    if len(found) > 1:
        raise Refused("one fact of objects at a time is told")
    if "ports" in found:
        reader.take(words.EXPOSING)
    return next(iter(found), "")


def _states(reader: Reader, fact: str) -> tuple[str, ...]:
    """Take the states, each with "not" before it where the question denies it."""
    # "What does it run" asks for the image, not for its state.
    if fact:
        reader.take(("run", "runs", "running", "use", "uses", "used", "using", "deployed"))
    if fact.startswith("ready_"):
        return ()
    known = {each.at("excerpts", "status", "text").text.lower(): "" for each in reader.known.objects}
    observed = {text: text for text in known if text and text.isalpha() and text not in words.STATES}
    found = [words.STATES[word] for word in reader.take(words.STATES)]
    found += list(reader.names(observed))
    if len(found) > 1:
        raise Refused("objects are selected by one state at a time")
    if reader.question.is_negated:
        if not reader.take(words.NEGATIONS) or not found:
            raise Refused("only a state of objects can be denied in a lookup")
        found = [_denied(each) for each in found]
    return tuple(found)


def _strange_namespace(reader: Reader, kinds: list[str]) -> tuple[str, ...]:
    """Take the name of a namespace that nothing recorded is in, beside the word for it."""
    tokens = reader.question.tokens
    beside = [
        word
        for word in reader.left
        if set(words.NAMESPACES)
        & {*tokens[word.place - 1 : word.place], *tokens[word.place + 1 : word.place + 2]}
    ]
    if "Namespace" not in kinds or len(kinds) == 1 or len(beside) != 1:
        return ()
    reader.left.remove(beside[0])
    return (beside[0].text,)


def _strange_name(reader: Reader, kinds: list[str]) -> str:
    """Take the only word that is left where it is asked whether an object of a kind exists."""
    question = reader.question
    asks = question.ask is Ask.ANY and not {"exist", "exists", "called", "named"}.isdisjoint(question.tokens)
    if not asks or len(kinds) != 1 or len(reader.left) != 1:
        return ""
    return reader.left.pop().text


def _denied(state: str) -> str:
    return state.removeprefix("not ") if state.startswith("not ") else f"not {state}"


def _kinds(reader: Reader, names: tuple[str, ...]) -> list[str]:
    """Take the words for kinds; a service may be a component as well, where a name stands beside it."""
    is_service = not names or bool(_kinds_of(reader.known, names, ("Service",)))
    kinds = list(dict.fromkeys(words.KINDS_BY_WORD[word] for word in reader.take(words.KINDS_BY_WORD)))
    if is_service and set(kinds) <= {"Namespace"} and reader.take(("service", "services")):
        kinds.append("Service")
    return kinds


def _kinds_of_fact(kinds: list[str], fact: str, *, named: bool) -> list[str]:
    """Leave out the words of kinds that say no more than a name or a fact does."""
    if fact in _OF_KIND:
        return [_OF_KIND[fact]]
    if fact == "controller":
        # "Which deployment owns the pod": it is asked of the pod.
        return [kind for kind in kinds if kind == "Pod"]
    if named and "Pod" in kinds:
        # "The pods of the deployment shop": the name tells which.
        return [kind for kind in kinds if kind not in _WORKLOADS]
    return kinds


def _without_conditions(kinds: list[str], *, node: bool, namespace: bool) -> list[str]:
    """Leave out the words that only introduce a name: "on node worker-1", "in the namespace shop"."""
    kept = [kind for kind in kinds if not (kind == "Namespace" and namespace)]
    return [kind for kind in kept if not (kind == "Node" and node and len(kept) > 1)]


def _asking(found: Lookup, known: Known) -> Lookup:
    """Return a lookup with its kind: of a name without one the pods, or what makes them for replicas."""
    if found.what is What.EVENTS and found.ask is Ask.LAST:
        # Recent events are those that are recorded: a cluster keeps them for an hour.
        found = replace(found, ask=Ask.LIST)
    dated = found.fact in ("started", "created", "runs")
    if not dated and found.ask in (Ask.MIN, Ask.FIRST, Ask.LAST, Ask.WHEN):
        raise Refused("objects are listed, counted, or told of; what is recorded of them has no course")
    if found.ask is Ask.MAX and found.fact not in _MEASURED:
        raise Refused("objects are listed, counted, or told of; what is recorded of them has no course")
    if (
        found.what is What.EVENTS
        or found.kind
        or not (found.names or found.fact or found.states or found.node or found.labels)
    ):
        return found
    kind = "Pod"
    if found.fact in ("replicas", "ready_replicas"):
        kind = next(iter(_kinds_of(known, found.names, _WORKLOADS)), "Deployment")
    elif found.names and not _kinds_of(known, found.names, ("Pod",)):
        kind = next(iter(_kinds_of(known, found.names)), "")
    return replace(found, kind=kind)


def _kinds_of(known: Known, names: Iterable[str], among: tuple[str, ...] = ()) -> list[str]:
    wanted = set(names)
    rows = [
        row
        for row in known.objects
        if wanted & {each.text for each in row.at("about").items()}
        and (not among or row.at("kind").text in among)
    ]
    return list(dict.fromkeys(row.at("kind").text for row in rows))
