"""Targets around the services: the command line, settings, stored rows, and what the orchestrator derives."""

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

from assay.common.v1 import evidence_pb2, tool_pb2
from assay.composer.v1 import composer_pb2
from assay.orchestrator.v1 import diagnosis_pb2, run_pb2, state_pb2
from assay.verifier.v1 import verifier_pb2
from google.protobuf.message import Message
from hypothesis import strategies as st

from orchestrator.acceptance import accept_verification
from orchestrator.cli import human, json_output, options
from orchestrator.cli.errors import CommandError
from orchestrator.cli.layout import Layout
from orchestrator.cli.progress import describe
from orchestrator.graph import build_trace
from orchestrator.graph.trace import TraceError
from orchestrator.merge import merged_document
from orchestrator.settings import OrchestratorSettings
from orchestrator.store import rows
from orchestrator.store.port import StoredDataError
from services.common.errors import InvalidArgumentError, NotFoundError
from services.common.evidence import document, templates
from services.common.evidence.matching import hides
from services.common.evidence.verifier_protocol import ProtocolError
from services.common.rpc.context import check_run_id
from services.common.settings import ServiceSettings, SettingsError, load
from services.common.visible import visible
from services.composer.settings import ComposerSettings
from services.executor import replies
from services.executor.outcome import failed, timed_out
from services.executor.settings import ExecutorSettings
from services.gatekeeper.settings import GatekeeperSettings
from services.planner.settings import PlannerSettings
from services.verifier.settings import VerifierSettings
from tests.fakes import claims, compose_requests
from tests.fakes.runs import proven_run
from tests.fuzz.inputs import TEXTS, damaged_bytes, damaged_texts
from tests.fuzz.target import Input, Target
from tests.fuzz.texts import DOCUMENTS
from tests.fuzz.wire import messages

_SETTINGS: tuple[type[ServiceSettings], ...] = (
    PlannerSettings,
    ExecutorSettings,
    GatekeeperSettings,
    VerifierSettings,
    ComposerSettings,
    OrchestratorSettings,
)
_VALUES = st.one_of(
    damaged_texts(("127.0.0.1:50051", "[::1]:0", "5", "1e3", "offline", "/tmp", "true")),  # noqa: S108 - no file is made
    TEXTS,
)
_REPLIES = (
    replies.returned(None),
    replies.returned([b"document", "text", 17]),
    replies.returned(failed("the source cannot be read", 1)),
    replies.returned(timed_out(1.5)),
    replies.returned(tool_pb2.ToolCatalog(sources=[tool_pb2.SourceInfo(kind="log", name="a.log")])),
    replies.raised(NotFoundError("the bundle does not exist", field="scope.bundle")),
    replies.raised(replies.WorkerFailedError(["builtins.KeyError", "a.py:1"])),
)
_HIDING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_NOWHERE = Path("/no such folder of an incident")
_LEGAL_TIMES = ("", "2026-11-30T09:00:00Z", "2026-11-30t09:30+01:00", "0001-01-01T00:00:00+23:59")
_TIMES = st.one_of(st.sampled_from(_LEGAL_TIMES), damaged_texts(_LEGAL_TIMES))
_EVENT = run_pb2.OrchestrationEvent(
    sequence=1, node="planner", outcome="COMPLETED", reason_code="completed", attempt=1
)
_TRACE = run_pb2.Trace(run_id="r", status=run_pb2.RUN_STATUS_SUCCEEDED, events=[_EVENT])
_PROGRESS = diagnosis_pb2.DiagnoseResponse(event=_EVENT)
_VERIFICATION = evidence_pb2.Verification(
    model_verdict=evidence_pb2.VERDICT_PASS,
    groundedness_score=0.9,
    claim_checks=[
        evidence_pb2.ClaimCheck(
            claim_id="c1",
            classification=evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION,
            evidence_refs=[evidence_pb2.EvidenceReference(claim_id="c1", raw_path="/lines/0/text")],
            reason="it is there",
        )
    ],
)
_ASKED = claims.request(
    [claims.claim('count is 12, "refused" by db-1', component="db")], [claims.item("count=12")]
)


def _some(message: Message) -> st.SearchStrategy[bytes]:
    """Return a message like this one, with other values in some fields, on the wire."""
    return messages(type(message), (message.SerializeToString(), b""))


def _load(parts: Input) -> None:
    number, suffixes = parts
    kind = _SETTINGS[number]
    prefix = kind.model_config.get("env_prefix", "")
    load(kind, {prefix + suffix: value for suffix, value in suffixes.items()})


def _setting_names() -> st.SearchStrategy[str]:
    names = sorted({name.upper() for kind in _SETTINGS for name in kind.model_fields})
    return st.one_of(st.sampled_from(names), damaged_texts(names))


def _asked(parts: Input) -> None:
    question, name, start, end, intent = parts
    message = options.request(question, options.Bundle(None, name), start, end, intent)
    message.SerializeToString()


def _placed(parts: Input) -> None:
    kind, text = parts
    if kind == "target":
        options.address(text)
    elif kind == "remote":
        options.remote_bundle(options.path("--bundle", text))
    else:
        options.local_bundle(_NOWHERE / options.path("--bundle", text))


def _printable(text: str) -> None:
    assert not hides(text)
    assert not [char for char in text if char != "\n" and unicodedata.category(char) in _HIDING]


def _visible(text: Input) -> None:
    assert "\n" not in visible(text)
    _printable(visible(text))


def _shown(data: Input) -> None:
    run = run_pb2.Run.FromString(data)
    for width in (40, 80):
        _printable(human.render(run, Layout(width=width), "assay show x"))


def _dumped(data: Input) -> None:
    run = run_pb2.Run.FromString(data)
    line = json_output.dumps(run, run_pb2.Trace())
    assert line.isascii()
    assert line.isprintable()
    json.loads(line)


def _described(data: Input) -> None:
    shown = describe(diagnosis_pb2.DiagnoseResponse.FromString(data))
    assert "\n" not in shown
    _printable(shown)


def _traced(data: Input) -> None:
    given = run_pb2.Trace.FromString(data)
    build_trace(given.run_id, given.status, given.events, given.evidence_retry_count)


def _stored(data: Input) -> None:
    for kind in (run_pb2.Run, run_pb2.RunSummary, run_pb2.OrchestrationEvent, state_pb2.RunState):
        rows.parsed(kind, data, "run-1")


def _merged(parts: Input) -> None:
    first, second, asked = parts
    document.parse(first)
    state = state_pb2.FirstVerification(document=first)
    state.gate.result.checked_bindings.add(result=evidence_pb2.GATE_RESULT_PASS)
    merged = merged_document(state, second, [evidence_pb2.ClaimGap(claim_id=name) for name in asked])
    if merged != second:
        document.parse(merged)


def _accepted(parts: Input) -> None:
    request = verifier_pb2.VerifyRequest.FromString(parts[0])
    reply = evidence_pb2.Verification.FromString(parts[1])
    bound = {item.source_invocation_id: claims.ARGUMENTS for item in request.verified_evidence}
    accepted = accept_verification(request, reply, bound)
    assert accepted.effective <= reply.model_verdict or reply.model_verdict == evidence_pb2.VERDICT_REJECT


def _answered(data: Input) -> None:
    request = composer_pb2.ComposeRequest.FromString(data)
    answer = templates.fallback_answer(
        node="verifier",
        status="INVALID_OUTPUT",
        verdict=request.effective_verdict,
        claims=request.claims,
        gaps=request.gaps,
        checked=request.checked,
    )
    assert answer.summary
    assert not answer.confirmed


def _each(message: Message, run: Callable[[Input], None], name: str) -> Target:
    return Target(name, _some(message), run)


def _replied(data: Input) -> None:
    assert isinstance(data, bytes)
    value, error = replies.parsed(data)
    assert value is None or error is None


def targets() -> list[Target]:
    """Return the targets."""
    pairs = st.dictionaries(_setting_names(), _VALUES, max_size=4)
    texts = st.one_of(damaged_texts(("why?", "name", "a/b")), TEXTS)
    places = st.tuples(st.sampled_from(("target", "remote", "local")), st.one_of(texts, _VALUES))
    asked = st.one_of(*(_some(made()) for made in compose_requests.ALL))
    intents = st.sampled_from(("", "cause", "lookup", "Cause", "\x1b"))
    return [
        Target("settings", st.tuples(st.integers(0, len(_SETTINGS) - 1), pairs), _load, (SettingsError,)),
        Target("options: request", st.tuples(texts, texts, _TIMES, _TIMES, intents), _asked, (CommandError,)),
        Target("options: places", places, _placed, (CommandError,)),
        Target("run id", texts, check_run_id, (InvalidArgumentError,)),
        Target("visible text", st.one_of(texts, st.text()), _visible),
        _each(proven_run(), _shown, "run as text"),
        _each(proven_run(), _dumped, "run as JSON"),
        _each(_PROGRESS, _described, "progress"),
        Target("trace", _some(_TRACE), _traced, (TraceError,)),
        Target(
            "stored rows", st.one_of(_some(proven_run()), st.binary(max_size=60)), _stored, (StoredDataError,)
        ),
        Target(
            "merge of two cycles",
            st.tuples(DOCUMENTS, DOCUMENTS, st.lists(st.sampled_from(("c-1", "c-2", "x")), max_size=3)),
            _merged,
            (document.DocumentError,),
        ),
        Target(
            "verifier's reply", st.tuples(_some(_ASKED), _some(_VERIFICATION)), _accepted, (ProtocolError,)
        ),
        Target("answer of a fallback", asked, _answered),
        Target("worker's reply", damaged_bytes(_REPLIES), _replied, (replies.IllegalReplyError,)),
    ]
