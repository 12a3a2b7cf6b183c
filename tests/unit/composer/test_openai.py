"""A model's sections become an answer that says only what its claims carry, or are refused as a whole."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from assay.common.v1 import answer_pb2, evidence_pb2
from assay.composer.v1 import composer_pb2
from hypothesis import given
from hypothesis import strategies as st

from services.common.llm.failures import FAILURES
from services.common.llm.port import Kind
from services.composer.domain import Composer, is_answer
from services.composer.offline.adapter import OfflineReasoner
from services.composer.offline.reasoner import compose
from services.composer.openai.reasoner import OpenAIReasoner
from services.composer.openai.rendering import labelled
from tests.fakes import compose_requests as made
from tests.fakes.compose_strategies import requests
from tests.fakes.reasoned import plenty
from tests.fakes.scripted_model import ScriptedModel, saying

Lines = Sequence[dict[str, Any]]

TOKENS = 32_000
COMPLETED = composer_pb2.COMPOSER_STATUS_COMPLETED
INVALID = composer_pb2.COMPOSER_STATUS_INVALID_OUTPUT
# Labels of the request with a proven cause.
LABELS = {cited.claim.claim_id: label for label, cited in labelled(made.used_up()).items()}
CAUSE, SYMPTOM, IMPACT = LABELS["cause-1"], LABELS["symptom-1"], LABELS["impact-1"]


def line(*labels: str, text: str = "") -> dict[str, Any]:
    return {"text": text, "claims": list(labels)}


def sections(
    summary: Lines = (),
    confirmed: Lines = (),
    directions: Lines = (),
) -> dict[str, Any]:
    return {"summary": list(summary), "confirmed": list(confirmed), "directions": list(directions)}


async def composed(
    model: ScriptedModel, request: composer_pb2.ComposeRequest | None = None, *, falls_back: bool = False
) -> composer_pb2.ComposeResponse:
    instead = OfflineReasoner() if falls_back else None
    reasoner = OpenAIReasoner(model, TOKENS, instead)
    return await Composer(reasoner, asyncio.to_thread).compose(request or made.used_up(), plenty)


def texts(sentences: Iterable[answer_pb2.Sentence]) -> list[str]:
    return [sentence.text for sentence in sentences]


async def test_sections_of_the_model_and_fixed_sentences_of_ours() -> None:
    said = sections(
        summary=[line(CAUSE, SYMPTOM, text="A configuration change of checkout used up the connections.")],
        confirmed=[line(IMPACT, SYMPTOM), line(LABELS["symptom-2"], LABELS["symptom-3"])],
        directions=[line(CAUSE)],
    )
    answer = await composed(saying(said))
    assert answer.status == COMPLETED
    alone, found = compose(made.used_up()), answer.answer
    assert [item.template_id for item in found.summary] == ["verdict.cause_inferred", ""]
    assert found.summary[1].text == "A configuration change of checkout used up the connections."
    assert list(found.summary[1].claim_ids) == ["cause-1", "symptom-1"]
    assert [list(item.claim_ids) for item in found.confirmed] == [
        ["impact-1"], ["symptom-1"], ["symptom-2"], ["symptom-3"],
    ]  # fmt: skip
    assert texts(found.possible_directions) == texts(alone.possible_directions)[:1]
    assert (found.evidence_gaps, found.next_checks) == (alone.evidence_gaps, alone.next_checks)
    assert (answer.reasoning.reasoner, answer.reasoning.prompt_name) == ("openai", "composer_openai")


async def test_a_critical_claim_that_was_left_out_is_told_all_the_same() -> None:
    answer = await composed(saying(sections(confirmed=[line(IMPACT)])))
    told = [claim_id for item in answer.answer.confirmed for claim_id in item.claim_ids]
    critical = {cited.claim.claim_id for cited in made.used_up().claims if cited.claim.critical}
    directions = {claim_id for item in answer.answer.possible_directions for claim_id in item.claim_ids}
    assert told[0] == "impact-1"
    assert critical <= {*told, *directions}


async def test_without_a_summary_the_offline_one_stands() -> None:
    answer = await composed(saying(sections()))
    assert answer.answer.summary == compose(made.used_up()).summary


@pytest.mark.parametrize("request_of", [made.lookup, made.direction, made.passed_by])
async def test_how_sure_the_answer_is_never_is_the_model_s_to_say(
    request_of: Callable[[], composer_pb2.ComposeRequest],
) -> None:
    request = request_of()
    said = sections(summary=[line("c1"), line("c2")] if len(request.claims) > 1 else [line("c1")])
    found = (await composed(saying(said), request)).answer
    fixed = [item.template_id for item in compose(request).summary if item.template_id]
    assert [item.template_id for item in found.summary if item.template_id] == fixed
    assert len(found.summary) <= 4


async def test_a_sentence_on_what_stands_beside_it_keeps_its_neighbours() -> None:
    request = made.lookup()
    assert (await composed(saying(sections(summary=[line("c1")])), request)).answer.summary == compose(
        request
    ).summary


SYMPTOM_TEXT = 'postgres logged "FATAL:  sorry, too many clients already" from 09:10:53 on.'


@pytest.mark.parametrize(
    "said",
    [
        sections(confirmed=[line("c99")]),
        sections(confirmed=[line("symptom-1")]),
        sections(confirmed=[line(CAUSE)]),
        # A number, a name, a quotation, a denial that no cited claim holds.
        sections(summary=[line(SYMPTOM, text="postgres refused 4711 connections.")]),
        sections(summary=[line(SYMPTOM, text="postgres ran out of disk_quota.")]),
        sections(summary=[line(SYMPTOM, text='postgres logged "disk full".')]),
        sections(summary=[line(CAUSE, text="checkout was never reconfigured.")]),
        # The fact is another claim's.
        sections(confirmed=[line(IMPACT, text=SYMPTOM_TEXT)]),
        # A component that the cited claim does not speak of, and a why without a cause.
        sections(confirmed=[line(SYMPTOM, text="postgres refused what nginx asked for.")]),
        sections(confirmed=[line(SYMPTOM, text="postgres refused clients because it was full.")]),
        sections(summary=[line(IMPACT, text="nginx answered errors due to an overload.")]),
        # Not one plain line.
        sections(summary=[line(SYMPTOM, text="postgres refused\nclients.")]),
        sections(summary=[line(SYMPTOM, text="postgres \u202erefused clients.")]),
        sections(summary=[line(SYMPTOM, text="   ")]),
        sections(summary=[line(SYMPTOM, text="postgres " * 100)]),
    ],
)
async def test_what_no_claim_carries_is_refused(said: dict[str, Any]) -> None:
    answer = await composed(saying(said))
    assert (answer.status, answer.reasoning.model_failure) == (INVALID, "broke_rules")
    assert not answer.HasField("answer")


@pytest.mark.parametrize("lines", [[line()], [line(*["c1"] * 17)], [line("c1")] * 129])
async def test_too_few_or_too_many_are_of_another_shape(lines: Lines) -> None:
    answer = await composed(saying(sections(lines)))
    assert (answer.status, answer.reasoning.model_failure) == (INVALID, "wrong_shape")


async def test_its_own_words_about_what_it_cites_stand() -> None:
    said = sections(
        summary=[line(CAUSE, text="checkout is the likely cause.")],
        confirmed=[line(SYMPTOM, text=SYMPTOM_TEXT)],
    )
    found = (await composed(saying(said))).answer
    assert found.summary[1].text == "checkout is the likely cause."
    assert found.confirmed[0].text == SYMPTOM_TEXT


async def test_under_reject_and_without_claims_nobody_is_asked() -> None:
    model = saying(sections())
    nothing = made.passed_by()
    del nothing.claims[:]
    assert (await composed(model, made.rejected())).status == COMPLETED
    assert (await composed(model, nothing)).answer == compose(nothing)
    assert model.asked == []


@pytest.mark.parametrize("kind", Kind)
async def test_a_failed_call_is_what_the_table_says(kind: Kind) -> None:
    answer = await composed(saying(kind))
    expected = composer_pb2.ComposerStatus.Value(f"COMPOSER_STATUS_{FAILURES[kind].failed_as.value}")
    assert (answer.status, answer.reasoning.model_failure) == (expected, kind.value)


@pytest.mark.parametrize("said", [Kind.UNREACHABLE, sections(confirmed=[line(CAUSE)]), sections([line()])])
async def test_with_another_reasoner_it_goes_on_and_says_so(said: dict[str, Any] | Kind) -> None:
    answer = await composed(saying(said), falls_back=True)
    assert (answer.status, answer.answer) == (COMPLETED, compose(made.used_up()))
    assert (answer.reasoning.reasoner, answer.reasoning.prompt_name) == ("offline", "composer_offline_rules")
    assert answer.reasoning.model_failure in ("unreachable", "broke_rules", "wrong_shape")


LINES = st.lists(
    st.builds(
        lambda labels, text: line(*labels, text=text),
        st.lists(st.sampled_from(["c1", "c2", "c3", "c9"]), min_size=1, max_size=3),
        st.one_of(
            st.just(""),
            st.text(max_size=30),
            st.sampled_from(["It fails.", "42 times", "no errors", "because of db", "x.y_z", "\n", "“"]),
        ),
    ),
    max_size=3,
)


@given(requests(), LINES, LINES, LINES)
async def test_whatever_the_model_says_the_response_is_legal(
    request: composer_pb2.ComposeRequest,
    summary: Lines,
    confirmed: Lines,
    directions: Lines,
) -> None:
    answer = await composed(saying(sections(summary, confirmed, directions)), request)
    assert answer.status in (COMPLETED, INVALID)
    assert answer.HasField("answer") == (answer.status == COMPLETED)
    if answer.status == COMPLETED:
        assert is_answer(answer.answer, request)
        assert cited_in(answer.answer) <= {cited.claim.claim_id for cited in request.claims}
    else:
        assert request.effective_verdict != evidence_pb2.VERDICT_REJECT


def cited_in(answer: answer_pb2.Answer) -> set[str]:
    written = [*answer.summary, *answer.confirmed, *answer.possible_directions, *answer.next_checks]
    return {claim_id for item in written for claim_id in item.claim_ids}
