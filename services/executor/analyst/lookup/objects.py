"""Which objects a lookup means: the conditions that select them, by the texts that their states have."""

from collections.abc import Iterable

from services.common.evidence.strict_json import Json
from services.executor.analyst.lookup import vocabulary as words
from services.executor.analyst.lookup.asked import Lookup, Refused
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.reading.spot import Spot

# Of which fact a state is; of any other its status.
_FACTS = {"restarted": "restarts", words.OOM_STATE: "termination"}
# As many names as the tool takes.
MAX_NAMES = 64


def conditions(lookup: Lookup, known: Known) -> dict[str, Json]:
    """Return the arguments that select the objects; raises Refused where that cannot be said exactly."""
    of_kind = objects_of(lookup, known)
    arguments: dict[str, Json] = {"kinds": [lookup.kind]} if lookup.kind else {}
    if lookup.names:
        arguments["names"] = [*lookup.names[:MAX_NAMES]]
    if lookup.namespaces:
        if any(not row.at("namespace").text for row in of_kind):
            raise Refused("some recorded objects do not say in which namespace they are")
        arguments["namespaces"] = [*lookup.namespaces]
    where: list[Json] = [_state(state, of_kind) for state in lookup.states]
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
    if not lookup.names and not lookup.kind:
        return []
    names = list(dict.fromkeys(row.at("name").text for row in objects_of(lookup, known)))
    if not names or len(names) > MAX_NAMES:
        raise Refused("the events of no object, or of too many, are asked for")
    return names


def fact(row: Spot, name: str) -> str:
    """Return a fact of an object as text; empty where none is stated."""
    counted = row.at("counts", name).text
    return counted or row.at("excerpts", name, "text").text


def _state(state: str, rows: Iterable[Spot]) -> Json:
    """Return the condition for a state: the texts, among those that are stated, which are it or are not."""
    bare = state.removeprefix("not ")
    denied = bare != state
    if bare == "ready":
        return {"fact": "all_ready", "texts": ["false" if denied else "true"]}
    name = _FACTS.get(bare, "status")
    wanted = {text.lower() for text in words.STATE_TEXTS.get(bare, (bare,))}
    stated = dict.fromkeys(text for row in rows if (text := fact(row, name)))
    fits = {text: text != "0" if bare == "restarted" else text.lower() in wanted for text in stated}
    texts: list[Json] = [text for text in stated if fits[text] is not denied]
    # Of a state that nothing is in, none is counted.
    return {"fact": name, "texts": texts or [bare]}
