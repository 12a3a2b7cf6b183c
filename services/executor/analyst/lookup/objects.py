"""Which objects a lookup means: the conditions that select them, by the texts that their states have."""

from collections.abc import Sequence

from services.common.evidence.strict_json import Json
from services.executor.analyst.lookup import vocabulary as words
from services.executor.analyst.lookup.asked import Lookup, Refused
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.lookup.resources import USED
from services.executor.analyst.reading.spot import Spot

# What is in no namespace.
_OF_NO_NAMESPACE = ("Node", "Namespace", "PersistentVolume", "StorageClass", "IngressClass")
# As many names as the tool takes.
MAX_NAMES = 64


def conditions(lookup: Lookup, known: Known) -> dict[str, Json]:
    """Return the arguments that select the objects; raises Refused where that cannot be said exactly."""
    of_kind = objects_of(lookup, known)
    arguments: dict[str, Json] = {"kinds": [lookup.kind]} if lookup.kind else {}
    if lookup.names:
        arguments["names"] = [*lookup.names[:MAX_NAMES]]
    if lookup.namespaces:
        if any(
            not row.at("namespace").text and row.at("kind").text not in _OF_NO_NAMESPACE for row in of_kind
        ):
            raise Refused("some recorded objects do not say in which namespace they are")
        arguments["namespaces"] = [*lookup.namespaces]
    where: list[Json] = [_state(state, of_kind) for state in lookup.states]
    if lookup.fact in USED:
        # Of those that state it: not each object was measured.
        where.append({"fact": lookup.fact, "texts": ["<none>"], "other": True})
    where += [{"fact": "type", "texts": [*lookup.types]}] if lookup.types else []
    where += [{"fact": f"label:{name}", "texts": [value]} for name, value in lookup.labels]
    if lookup.node:
        stated = dict.fromkeys(fact(row, "node") for row in of_kind)
        texts: list[Json] = [text for text in stated if text.partition("/")[0] == lookup.node]
        where.append({"fact": "node", "texts": texts or [lookup.node]})
    return arguments | ({"where": where} if where else {})


def objects_of(lookup: Lookup, known: Known) -> list[Spot]:
    """Return the recorded objects of the kind and the names that are asked for."""
    wanted = set(lookup.names)
    return [
        row
        for row in known.objects
        if (not lookup.kind or row.at("kind").text == lookup.kind)
        and (not wanted or wanted & {each.text for each in row.at("about").items()})
    ]


def event_subjects(lookup: Lookup, known: Known) -> list[str]:
    """Return the names of the objects whose events are meant; raises Refused for too many."""
    if not lookup.names and not lookup.kind and not lookup.namespaces:
        return []
    rows = objects_of(lookup, known)
    if lookup.namespaces:
        inside = [row for row in rows if row.at("namespace").text in lookup.namespaces]
        rows = [row for row in inside if row.at("counts", "events").count] or inside
    names = list(dict.fromkeys(row.at("name").text for row in rows))
    if not names or len(names) > MAX_NAMES:
        raise Refused("the events of no object, or of too many, are asked for")
    return names


def fact(row: Spot, name: str) -> str:
    """Return a fact of an object as text; empty where none is stated."""
    counted = row.at("counts", name).text
    return counted or row.at("excerpts", name, "text").text


def _is_ready(status: str) -> bool:
    return status.partition(",")[0] == "Ready"


def _state(state: str, rows: Sequence[Spot]) -> Json:
    """Return the condition for a state, in the words of it that objects state, or in its own."""
    bare = state.removeprefix("not ")
    denied = bare != state
    match bare:
        case "ready" if rows and all(row.at("kind").text == "Node" for row in rows):
            # A node that is ready can be closed as well: "Ready,SchedulingDisabled".
            ready: list[Json] = [
                text for text in dict.fromkeys(fact(row, "status") for row in rows) if _is_ready(text)
            ]
            return {"fact": "status", "texts": ready or ["Ready"], "other": denied}
        case "ready":
            return {"fact": "all_ready", "texts": ["false" if denied else "true"]}
        case "well":
            return {"fact": "well", "texts": ["false" if denied else "true"]}
        case "restarted":
            return {"fact": "restarts", "texts": ["0"], "other": not denied}
    name = "termination" if bare == words.OOM_STATE else "status"
    known = words.STATE_TEXTS.get(bare, (bare,))
    stated = dict.fromkeys(fact(row, name) for row in rows)
    texts: list[Json] = [text for text in stated if text.lower() in {each.lower() for each in known}]
    return {"fact": name, "texts": texts or [*known], "other": denied}
