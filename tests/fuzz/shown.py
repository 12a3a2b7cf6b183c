"""Targets around a model: what it is shown of any request, and what becomes of anything that it answers."""

from collections.abc import Callable

from assay.common.v1 import context_pb2, tool_pb2
from assay.composer.v1 import composer_pb2
from assay.planner.v1 import planner_pb2
from assay.verifier.v1 import verifier_pb2
from google.protobuf.message import Message
from hypothesis import strategies as st

from services.common.errors import DataLossError, InvalidArgumentError
from services.common.evidence import strict_json
from services.common.evidence.document import parse as parse_document
from services.common.evidence.verifier_protocol import accept
from services.common.llm.answers import IllegalAnswerError, parsed
from services.common.llm.prompt import parse
from services.composer import domain as composer
from services.composer.openai import rendering as to_composer
from services.composer.openai import translation as from_composer
from services.composer.openai.answer import Composition
from services.executor.desk import Gathered
from services.executor.openai import document as from_executor
from services.executor.openai import shown as to_executor
from services.executor.openai.answer import Step
from services.executor.openai.records import Note
from services.executor.recorded import RecordedCall
from services.executor.tools.registry import tools
from services.planner import domain as planner
from services.planner.openai import rendering as to_planner
from services.planner.openai import translation as from_planner
from services.planner.openai.answer import Plan
from services.verifier import domain as verifier
from services.verifier.openai import rendering as to_verifier
from services.verifier.openai import translation as from_verifier
from services.verifier.openai.answer import Judgement
from tests.fakes import claims, compose_requests, plan_requests
from tests.fuzz.inputs import damaged_texts
from tests.fuzz.target import Input, Target
from tests.fuzz.wire import messages

_PROMPT = "---\nname: some_openai\nversion: 3\n---\n\nYou judge.\n"
_PLANS = (
    '{"steps": [{"goal": "look", "tool": "logs_search", "args": "{\\"source\\": \\"a\\"}", "gap": "g1"}]}',
    '{"steps": [{"goal": "", "tool": "metrics_list", "args": {"source": "a", "limit": 1e9}, "gap": ""}]}',
)
_JUDGEMENTS = (
    (
        '{"checks": [{"claim": "c1", "judged": "direct_observation", "refs": ["e1"], "invented": false,'
        ' "why": "so"}], "verdict": "pass", "score": 0.9, "why": "\\u202e"}'
    ),
)
_COMPOSITIONS = (
    (
        '{"summary": [{"text": "It fails.", "claims": ["c1"]}],'
        ' "confirmed": [{"text": "", "claims": ["c2"]}],'
        ' "directions": [{"text": "because of 42", "claims": ["c1", "c3"]}]}'
    ),
)
_DOCUMENTS = (
    '{"source": "a", "lines": [{"n": 1, "time": "2026-11-30T09:00:00Z", "text": "it failed"}]}',
    '{"count": 1.50, "rows": [{"score": 1e400, "at": {"value": null}, "names": ["a"]}, [[1, "2"], [3, 4]]]}',
)
_STEPS = (
    (
        '{"calls": [{"tool": "shell", "args": {"a": 1}}], "claims": [{"id": "c1", "type": "cause",'
        ' "status": "confirmed", "critical": true, "statement": "It says \\"it failed\\" 1.5 times, 0 s.",'
        ' "component": "a", "kind": "pod", "fault": "x", "refs": ["1/lines/0", "1/rows/0/at", "1", "2/x"]}]}'
    ),
)
_ROOMS = st.sampled_from((0, 500, 3000, 90_000))


def _one_line_each(text: str) -> None:
    assert text.splitlines() == text.split("\n")


def _planned(parts: Input) -> None:
    request = planner_pb2.PlanRequest.FromString(parts[0])
    planner.check_request(request)
    _one_line_each(to_planner.material(request, parts[2]))
    steps = from_planner.steps_of(parsed(parts[1], Plan), request)
    assert steps is None or planner.is_plan(steps, request)


def _judged(parts: Input) -> None:
    request = verifier_pb2.VerifyRequest.FromString(parts[0])
    verifier.validate(request)
    _one_line_each(to_verifier.material(request, parts[2]))
    made = from_verifier.verification_of(parsed(parts[1], Judgement), request)
    if made is not None:
        accept(made, request.verified_executor_output, request.verified_evidence)


def _composed(parts: Input) -> None:
    request = composer_pb2.ComposeRequest.FromString(parts[0])
    composer.check_request(request)
    _one_line_each(to_composer.material(request, parts[2]))
    answer = from_composer.answer_of(parsed(parts[1], Composition), request)
    assert answer is None or composer.is_answer(answer, request)


def _concluded(parts: Input) -> None:
    document = strict_json.loads(parts[0].encode("utf-8", "replace"))
    call = RecordedCall("inv-1", "logs_search", {"source": "a"}, tool_pb2.INVOCATION_STATUS_OK, document)
    gathered = Gathered([call], tools(1 << 20, 60.0), ["logs/a.log"])
    notes = [Note("", False, tool_pb2.DOCUMENT_KIND_RAW)]
    context = context_pb2.DiagnosisContext(question="why?", intent=context_pb2.INTENT_CAUSE)
    _one_line_each(to_executor.material(gathered, to_executor.Round(context, [], notes, [], 0, 1, parts[2])))
    parse_document(from_executor.document(gathered, parsed(parts[1], Step).claims))


def _target(name: str, run: Callable[[Input], None], asked: Message, answers: tuple[str, ...]) -> Target:
    requests = messages(type(asked), (asked.SerializeToString(), b""))
    inputs = st.tuples(requests, damaged_texts(answers), _ROOMS)
    return Target(name, inputs, run, (InvalidArgumentError, IllegalAnswerError))


def targets() -> list[Target]:
    """Return the targets."""
    gaps = plan_requests.gaps_only(plan_requests.gap("c1", "It fails.", "api"))
    judged = claims.request([claims.claim("count is 12")], [claims.item("count=12")])
    concluded = st.tuples(damaged_texts(_DOCUMENTS), damaged_texts(_STEPS), _ROOMS)
    illegal = (strict_json.StrictJsonError, IllegalAnswerError)
    return [
        Target("claims of a model", concluded, _concluded, illegal),
        _target("plan of a model", _planned, gaps, _PLANS),
        _target("judgement of a model", _judged, judged, _JUDGEMENTS),
        _target("answer's sections of a model", _composed, compose_requests.used_up(), _COMPOSITIONS),
        Target("prompt", damaged_texts((_PROMPT,)), lambda text: parse(text, "here"), (DataLossError,)),
    ]
