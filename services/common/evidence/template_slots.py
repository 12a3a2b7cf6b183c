"""What the slots of a fixed sentence may hold: values read from the allowed material and nowhere else.

A value is always one of a finite list, so that a filled sentence can be checked exactly. The composer picks
from the same lists, the best value first.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from assay.common.v1 import answer_pb2, evidence_pb2, tool_pb2

from services.common.evidence.facts import FactKind, facts_of
from services.common.evidence.instants import instants_in
from services.common.evidence.kubernetes_faults import KUBERNETES_FAULTS

# A longer text is no longer something to read in a sentence.
MAX_VALUE_CHARS = 400
MAX_NAMES = 12
# Of those that share one reason; the others are told where the gaps are.
MAX_SAME_REASON = 3
MAX_PLACES = 3
MAX_NAME_CHARS = 80
MAX_REASON_CHARS = 240

CHANGE_TOOL: Final = "change_events_list"
CHANGE_POINTS_TOOL: Final = "metrics_change_points"
SATURATION_TOOL: Final = "metrics_saturation"
TEMPLATES_TOOL: Final = "logs_templates"
LOG_TOOLS: Final = "logs_"
# Why a readable source is a gap all the same: providing it again would change nothing.
UNREACHED: Final = "not looked at in this run"

_CHANGE_TEXT_KEYS = ("summary", "description", "title", "message")
# Each kind of source as a person calls it; what explains most of the rest comes first.
_KINDS: Final[Mapping[str, str]] = {
    "topology": "the topology",
    "kubernetes": "objects of a cluster",
    "metric": "metrics",
    "log": "logs",
    "change_event": "change events",
    "alert": "alerts",
}
_WITHOUT: Final[Mapping[str, str]] = {
    "topology": "the topology (without it no order of calls is known)",
}
_SUBJECTS: Final[Mapping[int, str]] = {
    evidence_pb2.CLAIM_TYPE_SYMPTOM: "what is wrong",
    evidence_pb2.CLAIM_TYPE_CAUSE: "the cause",
    evidence_pb2.CLAIM_TYPE_IMPACT: "what is affected",
    evidence_pb2.CLAIM_TYPE_CONTEXT: "the circumstances",
}
_STATUS_WORDS: Final[Mapping[int, str]] = {
    tool_pb2.INVOCATION_STATUS_ERROR: "failed",
    tool_pb2.INVOCATION_STATUS_BLOCKED: "was refused",
    tool_pb2.INVOCATION_STATUS_TIMEOUT: "ran out of time",
}
# A tool call that did not end well and told no reason has its status as the reason.
_STATUS_REASONS: Final[Mapping[str, str]] = {
    "ERROR": "the tool failed",
    "BLOCKED": "the call was refused",
    "TIMEOUT": "the tool ran out of time",
}


@dataclass(frozen=True, slots=True)
class Material:
    """What one sentence may draw on: the claims and gaps that it cites, and what all sentences share."""

    claims: Sequence[answer_pb2.AllowedClaim] = ()
    gaps: Sequence[evidence_pb2.EvidenceGap] = ()
    checked: Sequence[tool_pb2.Checked] = ()
    allowed: Sequence[answer_pb2.AllowedClaim] = ()


@dataclass(frozen=True, slots=True)
class SeriesText:
    """A metric series as the evidence names it, and the file that it stands in."""

    name: str
    text: str
    source: str


def series_of(claims: Iterable[answer_pb2.AllowedClaim]) -> list[SeriesText]:
    """Return the series whose name, and labels where bound, the evidence of the claims holds."""
    elements: dict[tuple[str, str, str], dict[str, evidence_pb2.VerifiedEvidence]] = {}
    for item in _evidence(claims):
        element, _, member = item.raw_path.rpartition("/")
        if item.tool_name.startswith("metrics_") and member in ("name", "labels"):
            # One claim's bindings tell of one series each; another claim may cite the same element.
            elements.setdefault((item.claim_id, item.source_invocation_id, element), {})[member] = item
    return [_series_text(members) for members in elements.values() if "name" in members]


def _series_text(members: Mapping[str, evidence_pb2.VerifiedEvidence]) -> SeriesText:
    labels = members["labels"].matched_text if "labels" in members else ""
    name = members["name"].matched_text
    return SeriesText(name, name + (labels if labels != "{}" else ""), _source(members["name"]))


def values(slot: str, material: Material) -> list[str]:
    """Return what a slot may hold, each value once, the best first; KeyError for an unknown slot."""
    found = dict.fromkeys(SLOTS[slot](material))
    return [value for value in found if value and len(value) <= MAX_VALUE_CHARS]


def _evidence(claims: Iterable[answer_pb2.AllowedClaim]) -> Iterator[evidence_pb2.VerifiedEvidence]:
    return (item.evidence for claim in claims for item in claim.evidence)


def _source(item: evidence_pb2.VerifiedEvidence) -> str:
    return item.places[0].source if item.places else ""


def _components(material: Material) -> list[str]:
    return [claim.claim.component for claim in material.claims]


def _all_components(material: Material) -> list[str]:
    """Return the one list of what the cited claims are about."""
    return [_names(_components(material))]


def _checks(material: Material) -> list[str]:
    """Return what to look at next for the faults of the cited claims."""
    faults = [KUBERNETES_FAULTS.get(cited.claim.fault) for cited in material.claims]
    return [fault.next_check for fault in faults if fault is not None]


def _changes(material: Material) -> list[str]:
    """Return the texts for people of the cited change events, a summary before any other."""
    events = [item for item in _evidence(material.claims) if item.tool_name == CHANGE_TOOL]
    texts = [item for item in events if " " in item.matched_text and not _is_instant(item.matched_text)]
    texts.sort(key=lambda item: item.raw_path.rpartition("/")[2] not in _CHANGE_TEXT_KEYS)
    return [item.matched_text for item in texts]


def _change_times(material: Material) -> list[str]:
    """Return when the cited change events took place."""
    events = [item for item in _evidence(material.claims) if item.tool_name == CHANGE_TOOL]
    bound = [item.matched_text for item in events if _is_instant(item.matched_text)]
    return bound + [place.time for item in events for place in item.places if place.time]


def _is_instant(text: str) -> bool:
    return any(end - start == len(text) and instant.dated for start, end, instant in instants_in(text))


def _places(material: Material) -> list[str]:
    """Return file:line of everything cited; what a system itself said before what was computed."""
    items = sorted(_evidence(material.claims), key=lambda item: item.derived)
    found = [place for item in items for place in item.places[: 1 if item.derived else None]]
    return [f"{place.source}:{place.first_line}" if place.first_line else place.source for place in found]


def log_places(claims: Iterable[answer_pb2.AllowedClaim]) -> dict[str, str]:
    """Return file:line of the first cited log line of each component, three in all."""
    found: dict[str, str] = {}
    for cited in claims:
        for item in _evidence([cited]):
            place = item.places[0] if item.places and item.tool_name.startswith(LOG_TOOLS) else None
            if place is not None and place.first_line and len(found) < MAX_PLACES:
                found.setdefault(cited.claim.component, f"{place.source}:{place.first_line}")
    return found


def _series(material: Material) -> list[str]:
    return [series.text for series in series_of(material.claims)]


def _sources(material: Material) -> list[str]:
    return [place.source for item in _evidence(material.claims) for place in item.places]


def ends(claims: Iterable[answer_pb2.AllowedClaim]) -> list[str]:
    """Return the instants at which the cited series were back in their usual range."""
    return [
        item.matched_text
        for item in _evidence(claims)
        if item.tool_name == CHANGE_POINTS_TOOL
        and item.raw_path.endswith("/ended")
        and _is_instant(item.matched_text)
    ]


def _ends(material: Material) -> list[str]:
    return ends(material.claims)


def _log_places(material: Material) -> list[str]:
    """Return the one list of where to read on."""
    return [_names(log_places(material.claims).values())]


def _needles(material: Material) -> list[str]:
    """Return the words whose lines were counted: what a statement quotes from the first of them.

    A quotation of a line that merely stands for its kind finds that line alone.
    """
    found: list[str] = []
    for claim in material.claims:
        counted = [item.evidence.matched_text for item in claim.evidence if _is_counted(item.evidence)]
        quoted = [fact.text for fact in facts_of(claim.claim.statement) if fact.kind is FactKind.QUOTATION]
        found += [text for text in quoted if any(text in line for line in counted)]
    return found


def _is_counted(item: evidence_pb2.VerifiedEvidence) -> bool:
    return item.tool_name == TEMPLATES_TOOL and item.raw_path.startswith("/literals/")


def can_be_provided(gap: evidence_pb2.EvidenceGap, checked: Iterable[tool_pb2.Checked]) -> bool:
    """Tell whether a gap is a source that a person could bring, not a tool's failure or a lack of time."""
    source = gap.source.source
    is_source = gap.WhichOneof("reason") == "source" and source not in {row.tool_name for row in checked}
    return bool(source) and is_source and gap.source.reason != UNREACHED


def _wanted(material: Material) -> list[str]:
    """Return the one list of what would help most: what explains the rest first, single files as one."""
    sources = list(dict.fromkeys(gap.source.source for gap in material.gaps))
    kinds = [_WITHOUT.get(kind, name) for kind, name in _KINDS.items() if kind in sources]
    files = [source for source in sources if source not in _KINDS]
    if len(files) == 1:
        kinds.append(f"{source_name(files[0])} in a readable form")
    elif files:
        kinds.append("what is named as not read, in a readable form")
    return [_names(kinds)]


def _missing(material: Material) -> list[str]:
    """Return the one list of sources that the cited gaps are about."""
    return [_names(source_name(gap.source.source) for gap in material.gaps)]


def _reasons(material: Material) -> list[str]:
    return [_shorten(reason_text(gap), MAX_REASON_CHARS) for gap in material.gaps]


def _statements(material: Material) -> list[str]:
    count = len(material.gaps)
    return ["one statement" if count == 1 else f"{count} statements"]


def _subjects(material: Material) -> list[str]:
    return [_SUBJECTS.get(gap.claim_type, "something else") for gap in material.gaps]


def reason_text(gap: evidence_pb2.EvidenceGap) -> str:
    """Return why a source is missing, in words, without the full stop that the sentence brings."""
    reason = gap.source.reason.strip(" .")
    return _STATUS_REASONS.get(reason, reason)


def _read(material: Material) -> list[str]:
    """Return the one list of what was read."""
    rows = [row for row in material.checked if row.status == tool_pb2.INVOCATION_STATUS_OK]
    # A call that names no source reads sources that have no name of their own here.
    named = [row.source for row in rows if row.source] or [row.tool_name for row in rows]
    return [_names(map(_shorten, named))]


def _unread(material: Material) -> list[str]:
    """Return the one list of what was there and was not read, those of one reason together."""
    groups: dict[str, list[str]] = {}
    for row in material.checked:
        # A source without a call and without a reason was there and was not needed.
        if (
            row.status != tool_pb2.INVOCATION_STATUS_OK
            and (row.tool_name or row.reason)
            and not _is_absent(row)
        ):
            name, why = _unread_row(row)
            groups.setdefault(why, []).append(name)
    told = {why: _names(names, MAX_SAME_REASON) for why, names in groups.items()}
    parts = [f"{names} ({why})" if why else names for why, names in told.items()]
    while len(text := "; ".join(parts)) > MAX_VALUE_CHARS:
        parts.pop()
    return [text]


def _unread_row(row: tool_pb2.Checked) -> tuple[str, str]:
    """Return what was not read, and why."""
    if not row.tool_name:
        return source_name(row.source), _shorten(row.reason.strip(" ."))
    happened = _STATUS_WORDS.get(row.status, "did not answer")
    tool = _shorten(row.tool_name)
    return (source_name(row.source), f"{tool} {happened}") if row.source else (tool, happened)


def _absent(material: Material) -> list[str]:
    """Return the one list of the kinds of source that there are none of."""
    return [_names(source_name(row.source) for row in material.checked if _is_absent(row))]


def _is_absent(row: tool_pb2.Checked) -> bool:
    """Tell whether a row stands for a whole kind of source: then the scope has none."""
    return not row.tool_name and row.source in _KINDS and bool(row.reason)


def source_name(source: str) -> str:
    """Return the name of a source for a person: a file, or a kind of source in plain words."""
    return _shorten(_KINDS.get(source, source)) or "a source without a name"


def _shorten(text: str, limit: int = MAX_NAME_CHARS) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _names(names: Iterable[str], most: int = MAX_NAMES) -> str:
    """Join names as people do, at most so many and as many as fit a sentence."""
    distinct = [name for name in dict.fromkeys(names) if name]
    shown = distinct[:most]
    while shown:
        text = _joined(shown, len(distinct) > len(shown))
        if len(text) <= MAX_VALUE_CHARS:
            return text
        shown.pop()
    return ""


def _joined(shown: Sequence[str], more: bool) -> str:
    # One name may itself stand for many: how many more there are is not known here.
    if more:
        return f"{', '.join(shown)} and others"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _refusals(material: Material) -> list[str]:
    return [gap.refusal for gap in material.gaps]


SLOTS: Final[Mapping[str, Callable[[Material], list[str]]]] = {
    "component": _components,
    "components": _all_components,
    "check": _checks,
    "change": _changes,
    "change_time": _change_times,
    "place": _places,
    "series": _series,
    "source": _sources,
    "ended": _ends,
    "needle": _needles,
    "log_places": _log_places,
    "missing": _missing,
    "wanted": _wanted,
    "reason": _reasons,
    "refusal": _refusals,
    "statements": _statements,
    "subject": _subjects,
    "read": _read,
    "unread": _unread,
    "absent": _absent,
}
