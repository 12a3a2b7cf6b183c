"""Targets of the pure core: documents, pointers, and everything that reads a sentence."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from hypothesis import strategies as st

from orchestrator.intent import intent_of
from services.common.evidence import document, pointer, strict_json
from services.common.evidence.facts import facts_of, negations_in
from services.common.evidence.instants import instants_in
from services.common.evidence.matching import hides, stands_at
from services.common.evidence.measures import Measures, NamedText
from services.common.evidence.pointer import PointerError
from services.common.evidence.quantities import Dimension, name_units, number_words_in, quantities_in
from services.common.llm.completion import read_completion
from services.common.llm.repair import NotJsonError, object_in
from services.executor.analyst.lookup.asked import Refused
from tests.fakes.documents import a_binding, a_claim, a_document, encoded
from tests.fuzz.inputs import JSON, TEXTS, VALUES, damaged_bytes, damaged_texts
from tests.fuzz.target import Input, Target
from tests.unit.lookup.world import understood

_SENTENCES = (
    'The log of api says "connection refused by db" 12 times between 09:10:53Z and 2026-11-30 09:12.',
    "api: 5xx rose from 0.2 % to 34.5 % (512 MB, 1,000 requests, 3.14 ms) after rev-42, not before.",
    "HTTP 502 from 10.0.0.1:8080 and [2001:db8::1]:443; SQLSTATE 53300, exit code 137, logs/api.log:17",
    'lines 3 to 17 of http://example.org/a?b=c#d hold `max_conn` = twelve; name="value" was never set.',
    "30/Nov/2026:09:10:53 +0100, November 30, 2026 at 9 p.m., 2026/11/30T25:61:61.123456789+99:99",
)
_DOCUMENTS = (
    encoded(a_document(a_claim(), a_claim("c-2", claim_type="cause", component_kind="service"))),
    encoded(a_document(a_claim(evidence_bindings=[a_binding(raw_path="", matched_text="x" * 9000)]))),
    encoded(a_document(a_claim(critical=1, statement=None), a_claim("c-1"))),
    encoded(a_document()),
)
_ANSWERS = (
    '<think>{"a": 1}</think>```json\n{"a": "b", "c": [1, 2.5e3, null]}\n```',
    "Here: {'a': True, 'b': {'c': 'it\\'s',}, }",
    '<tool_call>{"name": "f", "arguments": "{\\"a\\": 1}"}</tool_call>',
)
_COMPLETION = b"""{"choices": [{"message": {"content": "a", "refusal": null, "tool_calls": [{"function":
{"name": "f", "arguments": "{}"}}]}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1}}"""
_DOCUMENT: strict_json.Json = {"a": [{"b~/": "text"}, "1", None, True], "": {"": []}}
_POINTERS = ("/a/0/b~0~1", "", "/a/3", "//", "/a/01", "/a/-1", "/a/0/b~2")
_QUESTIONS = (
    'How often did basket log "lost" between 10:05 and 2026-03-04 10:15?',
    "Which pods on node worker-1 are not running, and what image does mailer-0 run?",
    "When did queue_depth exceed 7.5 before 10:15; how many 5xx did gate answer to POST /api since 10:00?",
)
SENTENCES = st.one_of(damaged_texts(_SENTENCES), TEXTS)
_FIELDS = ("claim_id", "claim_type", "status", "statement", "component", "fault", "evidence_bindings", "x")
_VALUES_OF_FIELDS = st.one_of(st.sampled_from(("c-2", "cause", "possible", "", "pod.oom_killed", [])), VALUES)
_CLAIMS = st.dictionaries(st.sampled_from(_FIELDS), _VALUES_OF_FIELDS, max_size=2).map(
    lambda changes: {**a_claim("c-1"), **changes}
)
DOCUMENTS = st.one_of(
    st.lists(_CLAIMS, max_size=3).map(lambda claims: encoded(a_document(*claims))),
    damaged_bytes(_DOCUMENTS),
    JSON,
)
_PATHS = st.lists(st.sampled_from(("a", "", "0", "1", "b~0~1", "~2", "01", "é")), max_size=4).map(
    lambda parts: "".join(f"/{part}" for part in parts)
)
# So that what is asked for is often there.
_PARTS = st.tuples(st.text(max_size=60), st.integers(0, 60), st.integers(0, 60))


def _strict(data: Input) -> None:
    value = strict_json.loads(data)
    assert strict_json.loads(strict_json.dumps(value)) == value


def _answer(text: Input) -> None:
    value = object_in(text, {"a"})
    assert object_in(strict_json.dumps(value).decode(), value.keys()) == value


def _document(data: Input) -> None:
    parsed = document.parse(data)
    assert document.is_outline(data)
    assert document.parse(document.serialize(parsed)) == parsed


def _resolved(text: Input) -> None:
    found = pointer.resolve(_DOCUMENT, text)
    assert pointer.resolve(_DOCUMENT, pointer.build(*pointer.tokens(text))) is found


def _matched(parts: Input) -> None:
    text, start, length = parts
    part = text[start : start + length]
    assert stands_at(part, text) == (part == text or len(part) >= 4)
    assert hides(part) <= hides(text)


def _spans(find: Callable[[str], Iterator[tuple[int, int, object]]]) -> Callable[[Input], None]:
    """Return a target in which what is found stands in the text, in order, and never twice."""

    def run(text: Input) -> None:
        spans: Sequence[tuple[int, int]] = [(start, end) for start, end, _ in find(text)]
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert all(before[1] <= after[0] for before, after in pairwise(spans))

    return run


def _facts(text: Input) -> None:
    starts = [fact.start for fact in facts_of(text)]
    assert starts == sorted(starts)
    assert all(0 <= start < len(text) for start in starts)


def _measured(text: Input) -> None:
    name_units(text)
    held = Measures([NamedText(text, "latency_ms")], [text])
    for _, _, instant in instants_in(text):
        assert held.has_time(instant)
    for dimension in Dimension:
        for _, _, quantity in quantities_in(text):
            held.has_number(dimension, quantity.number, quantity.number)


def targets() -> list[Target]:
    """Return the targets."""
    return [
        Target("strict JSON", JSON, _strict, (strict_json.StrictJsonError,)),
        Target("evidence document", DOCUMENTS, _document, (document.DocumentError,)),
        Target("bound invocations", DOCUMENTS, document.bound_invocations),
        Target("JSON pointer", st.one_of(_PATHS, damaged_texts(_POINTERS)), _resolved, (PointerError,)),
        Target("matching", _PARTS, _matched),
        Target("instants of a text", SENTENCES, _spans(instants_in)),
        Target("quantities of a text", SENTENCES, _spans(quantities_in)),
        Target("number words of a text", SENTENCES, _spans(number_words_in)),
        Target("negations of a text", SENTENCES, _spans(negations_in)),
        Target("facts of a text", SENTENCES, _facts),
        Target("measures", SENTENCES, _measured),
        Target("answer of a model", damaged_texts(_ANSWERS), _answer, (NotJsonError,)),
        Target("chat completion", damaged_bytes((_COMPLETION,)), read_completion),
        Target("intent of a question", SENTENCES, intent_of),
        Target(
            "lookup of a question", st.one_of(damaged_texts(_QUESTIONS), SENTENCES), understood, (Refused,)
        ),
    ]
