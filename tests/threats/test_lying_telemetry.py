"""Telemetry that lies: an outsider writes false causes, and advice, into what a request brings along."""

from pathlib import Path

import pytest
from assay.common.v1 import tool_pb2
from assay.gatekeeper.v1 import gatekeeper_pb2
from assay.gatekeeper.v1.gatekeeper_pb2 import CheckRequest, InvocationOutput, InvocationRecord

from services.common.evidence import pointer, strict_json
from services.common.evidence.document import serialize
from services.executor.tools.outsiders import outsider_spans
from services.gatekeeper.domain import check
from tests.fakes import investigation
from tests.fakes.bundles import RECORDED, recorded_path
from tests.fakes.documents import a_binding, a_claim, a_document, encoded
from tests.fakes.investigation import Investigation, investigate
from tests.fakes.lies import ADVICE, LIES, PLACES, in_user_agents, in_user_names, planted, requested
from tests.fakes.lies import encoded as encoded_as_query


def said(found: Investigation) -> list[tuple[str, str, str, str]]:
    return [(claim.claim_type, claim.status, claim.fault, claim.statement) for claim in found.evidence.claims]


def question_of(bundle: Path) -> str:
    return (bundle / "question.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def truthful(project: Path) -> dict[str, Investigation]:
    bundles = {name: recorded_path(project, name) for name in RECORDED}
    return {name: investigate(bundle, question_of(bundle)) for name, bundle in bundles.items()}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("incident", RECORDED)
def test_lies_in_what_requests_bring_along_change_nothing_of_what_is_claimed(
    project: Path, tmp_path: Path, truthful: dict[str, Investigation], incident: str, place: str
) -> None:
    bundle = recorded_path(project, incident)
    found = investigate(planted(bundle, tmp_path / incident, PLACES[place]), question_of(bundle))
    assert said(found) == said(truthful[incident])


@pytest.mark.parametrize("incident", RECORDED)
def test_requests_for_lies_change_neither_the_cause_nor_reach_the_answer(
    project: Path, tmp_path: Path, truthful: dict[str, Investigation], incident: str
) -> None:
    bundle = recorded_path(project, incident)
    found = investigate(requested(bundle, tmp_path / incident), question_of(bundle))
    assert found.suspects == truthful[incident].suspects
    statements = " ".join(claim.statement for claim in found.evidence.claims)
    for lie in (ADVICE, *LIES):
        assert lie not in statements
        assert encoded_as_query(lie) not in statements


def test_without_the_spans_the_lies_mislead(
    project: Path, tmp_path: Path, truthful: dict[str, Investigation], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: the same lies, when nobody knows whose words they are."""
    monkeypatch.setattr(investigation, "outsider_spans", lambda _document: [])
    incident = RECORDED[0]
    bundle = recorded_path(project, incident)
    found = investigate(planted(bundle, tmp_path / incident, in_user_names), question_of(bundle))
    assert said(found) != said(truthful[incident])


def gated(found: Investigation, evidence: bytes, *, spans: bool = True) -> gatekeeper_pb2.CheckResponse:
    """Check a document against the calls of an investigation."""
    records, outputs = [], []
    for call in found.calls:
        record = InvocationRecord(
            id=call.invocation_id,
            tool_name=call.tool_name,
            status=call.status,
            kind=tool_pb2.DOCUMENT_KIND_RAW,
        )
        record.outsider_spans.extend(outsider_spans(call.document) if spans else [])
        records.append(record)
        outputs.append(InvocationOutput(id=call.invocation_id, output=strict_json.dumps(call.document)))
    return check(CheckRequest(document=evidence, invocations=records, outputs=outputs))


@pytest.mark.parametrize("incident", RECORDED)
def test_the_gate_leaves_what_the_analyst_claims_of_lying_logs_as_it_was(
    project: Path, tmp_path: Path, truthful: dict[str, Investigation], incident: str
) -> None:
    bundle = recorded_path(project, incident)
    found = investigate(planted(bundle, tmp_path / incident, in_user_agents), question_of(bundle))
    before = gated(truthful[incident], serialize(truthful[incident].evidence))
    assert gated(found, serialize(found.evidence)).status == before.status


def test_a_reasoner_that_believes_what_it_reads_does_not_pass(project: Path, tmp_path: Path) -> None:
    """A document by hand: the lie as a confirmed cause, cited literally from where the outsider wrote it."""
    bundle = recorded_path(project, RECORDED[0])
    found = investigate(planted(bundle, tmp_path / "lies", in_user_agents), question_of(bundle))
    cited = next(
        (call, span.pointer)
        for call in found.calls
        for span in outsider_spans(call.document)
        if LIES[0] in _text_at(call.document, span.pointer)
    )
    call, place = cited
    binding = a_binding(
        source_invocation_id=call.invocation_id,
        tool_name=call.tool_name,
        raw_path=place,
        matched_text=LIES[0],
    )
    claim = a_claim(claim_type="cause", statement=f'postgres: "{LIES[0]}".', evidence_bindings=[binding])
    document = encoded(a_document(claim))
    assert gated(found, document).status == gatekeeper_pb2.GATEKEEPER_STATUS_LOW_CONFID
    # The control: the same document, when nobody knows whose words they are.
    assert gated(found, document, spans=False).status == gatekeeper_pb2.GATEKEEPER_STATUS_PASS


def _text_at(document: strict_json.Json, place: str) -> str:
    value = pointer.resolve(document, place)
    return value if isinstance(value, str) else ""
