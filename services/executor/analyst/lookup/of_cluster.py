"""Questions about objects of a cluster: which of them, in which state, on which node, and what of them."""

from collections.abc import Iterable
from dataclasses import replace

from services.executor.analyst.lookup import vocabulary as words
from services.executor.analyst.lookup.asked import Ask, Lookup, Refused, Span, What
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.lookup.reader import Reader

_WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet")


def of_cluster(reader: Reader, bare: Lookup) -> Lookup:
    """Return a lookup of objects or of events about them; raises Refused."""
    question, known = reader.question, reader.known
    if bare.span != Span() or question.literals:
        raise Refused(
            "what is recorded of a cluster is of one moment and has no quoted text: no time bounds it"
        )
    group, labels, types = _group(reader), _labels(reader), _types(reader)
    fact = "" if group else _fact(reader)
    # "The pods on worker-1": behind another kind the name of a node tells where.
    others = {words.KINDS_BY_WORD[word] for word in question.lowered & words.KINDS_BY_WORD.keys()} - {"Node"}
    node = reader.names(known.nodes) if others else ()
    within, names = _within(reader), reader.names(known.object_names)
    # "What does it run" asks for the image, not for its state.
    if fact:
        reader.take(("run", "runs", "running", "use", "uses", "used", "using", "deployed"))
    states = _states(reader)
    kinds = list(dict.fromkeys(words.KINDS_BY_WORD[word] for word in reader.take(words.KINDS_BY_WORD)))
    kinds += ["Service"] if not names and not kinds and reader.take(("service", "services")) else []
    if bare.what is What.EVENTS:
        reader.take(words.EVENTS)
    node, namespaces = node or reader.names(known.nodes), within or reader.names(known.namespaces)
    namespaces = namespaces or _strange_namespace(reader, kinds)
    kinds = _without_conditions(kinds, node=bool(node), namespace=bool(namespaces))
    if names and "Pod" in kinds:
        # "The pods of the deployment shop": the name tells which.
        kinds = [kind for kind in kinds if kind not in _WORKLOADS]
    if question.is_oom:
        states, kinds = (*states, words.OOM_STATE), kinds or ["Pod"]
    if fact == "restarts" and reader.take(words.MOST):
        bare = replace(bare, ask=Ask.MAX)
    if len(states) > 1 or len(kinds) > 1 or len(node) > 1:
        raise Refused("one kind of objects at a time is listed or counted")
    if kinds == ["Node"] and names and not node:
        fact, kinds = fact or "node", []
    found = replace(
        bare, names=names, states=states, kind=kinds[0] if kinds else "", node=node[0] if node else "",
        namespaces=namespaces, fact=fact, group=group, labels=labels, types=types,
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


def _fact(reader: Reader) -> str:
    if match := words.STARTED.search(reader.question.plain):
        reader.take(("start", "started", "created", "launched"))
        return "created" if match["how"].lower() == "created" else "started"
    found = {words.FACTS[word] for word in reader.take(words.FACTS.keys() - words.STATES.keys())}
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
    return next(iter(found), "")


def _states(reader: Reader) -> tuple[str, ...]:
    """Take the states, each with "not" before it where the question denies it."""
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
        if "namespace" in (tokens[word.place - 1 : word.place] + tokens[word.place + 1 : word.place + 2])
    ]
    if "Namespace" not in kinds or len(kinds) == 1 or len(beside) != 1:
        return ()
    reader.left.remove(beside[0])
    return (beside[0].text,)


def _denied(state: str) -> str:
    return state.removeprefix("not ") if state.startswith("not ") else f"not {state}"


def _without_conditions(kinds: list[str], *, node: bool, namespace: bool) -> list[str]:
    """Leave out the words that only introduce a name: "on node worker-1", "in the namespace shop"."""
    kept = [kind for kind in kinds if not (kind == "Namespace" and namespace)]
    return [kind for kind in kept if not (kind == "Node" and node and len(kept) > 1)]


def _asking(found: Lookup, known: Known) -> Lookup:
    """Return a lookup with its kind: of a name without one the pods, or what makes them for replicas."""
    dated = found.fact in ("started", "created")
    if not dated and found.ask in (Ask.MIN, Ask.FIRST, Ask.LAST, Ask.WHEN):
        raise Refused("objects are listed, counted, or told of; what is recorded of them has no course")
    if found.ask is Ask.MAX and found.fact != "restarts":
        raise Refused("objects are listed, counted, or told of; what is recorded of them has no course")
    if (
        found.what is What.EVENTS
        or found.kind
        or not (found.names or found.fact or found.states or found.node or found.labels)
    ):
        return found
    kind = "Pod"
    if found.fact == "replicas":
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
