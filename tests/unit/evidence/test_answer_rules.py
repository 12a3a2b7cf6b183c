"""The composer's own answers pass the check; an answer that says more than it may never does."""

from collections.abc import Callable, Iterator

import pytest
from assay.common.v1 import answer_pb2, evidence_pb2
from assay.composer.v1 import composer_pb2
from hypothesis import given, settings
from hypothesis import strategies as st

from services.common.evidence.answer_rules import SECTIONS, AnswerError, check_answer
from services.common.evidence.template_table import FALLBACK_TEMPLATES, TEMPLATES
from services.common.evidence.templates import fallback_answer, reject_answer
from services.composer.offline.reasoner import compose
from tests.fakes import compose_requests as made
from tests.fakes.compose_strategies import requests

Tamper = Callable[[answer_pb2.Sentence], None]


def composed(request: composer_pb2.ComposeRequest) -> answer_pb2.Answer:
    if request.effective_verdict == evidence_pb2.VERDICT_REJECT:
        return reject_answer(request.gaps, request.checked)
    return compose(request)


def check(answer: answer_pb2.Answer, request: composer_pb2.ComposeRequest) -> None:
    check_answer(answer, request.claims, request.gaps, request.checked, request.effective_verdict)


def places(answer: answer_pb2.Answer) -> Iterator[tuple[str, int]]:
    for section in SECTIONS:
        for index in range(len(getattr(answer, section))):
            yield section, index


def refused(answer: answer_pb2.Answer, request: composer_pb2.ComposeRequest) -> AnswerError:
    with pytest.raises(AnswerError) as caught:
        check(answer, request)
    return caught.value


@given(requests())
def test_what_the_composer_writes_passes(request: composer_pb2.ComposeRequest) -> None:
    check(composed(request), request)


def appended(text: str) -> Tamper:
    def tamper(sentence: answer_pb2.Sentence) -> None:
        sentence.text += text

    return tamper


def foreign_template(sentence: answer_pb2.Sentence) -> None:
    sentence.template_id = "verdict.certain"


def fallback_template(sentence: answer_pb2.Sentence) -> None:
    sentence.template_id = "fallback.unverified"


def other_template(sentence: answer_pb2.Sentence) -> None:
    sentence.template_id = (
        "gap.no_cause" if sentence.template_id == "reject.no_conclusion" else "reject.no_conclusion"
    )


def no_citation(sentence: answer_pb2.Sentence) -> None:
    had_one = bool(sentence.claim_ids or sentence.gap_ids)
    del sentence.claim_ids[:]
    del sentence.gap_ids[:]
    if not had_one:
        sentence.template_id = ""


def unknown_claim(sentence: answer_pb2.Sentence) -> None:
    sentence.claim_ids.append("claim-disallowed")


def unknown_gap(sentence: answer_pb2.Sentence) -> None:
    sentence.gap_ids.append("gap-unknown")


def blank(sentence: answer_pb2.Sentence) -> None:
    sentence.text = " \n"


def too_long(sentence: answer_pb2.Sentence) -> None:
    sentence.text = "x" * 5000


TAMPERS: dict[str, Tamper] = {
    "new number": appended(" 987654 times"),
    "new instant": appended(" since 2031-05-06T07:08:09Z"),
    "new quotation": appended(' "the disk of the moon is full"'),
    "new identifier": appended(" moon_disk.usage_ratio"),
    "new address": appended(" 203.0.113.77:4444"),
    "new code": appended(" error code 53300"),
    "foreign template": foreign_template,
    "fallback template": fallback_template,
    "other template": other_template,
    "no citation": no_citation,
    "unknown claim": unknown_claim,
    "unknown gap": unknown_gap,
    "blank": blank,
    "too long": too_long,
}


@pytest.mark.parametrize("name", TAMPERS)
@settings(max_examples=40)
@given(request=requests(), data=st.data())
def test_no_tampered_sentence_passes(
    name: str, request: composer_pb2.ComposeRequest, data: st.DataObject
) -> None:
    answer = composed(request)
    section, index = data.draw(st.sampled_from(list(places(answer))))
    TAMPERS[name](getattr(answer, section)[index])
    refused(answer, request)


@pytest.mark.parametrize("name", TAMPERS)
@pytest.mark.parametrize("build", made.ALL)
def test_every_sentence_of_an_answer_is_checked(
    name: str, build: Callable[[], composer_pb2.ComposeRequest]
) -> None:
    request = build()
    for section, index in places(composed(request)):
        answer = composed(request)
        TAMPERS[name](getattr(answer, section)[index])
        assert refused(answer, request).place.startswith(section)


def test_a_refusal_names_place_and_rule_and_no_text() -> None:
    request = made.used_up()
    answer = composed(request)
    answer.confirmed[1].text += ' "secret-token-4711"'
    error = refused(answer, request)
    assert error.place == "confirmed/1"
    assert error.rule == "every concrete fact stands in what the sentence cites"
    assert "secret" not in str(error)


def test_free_words_may_combine_the_facts_of_what_they_cite() -> None:
    request = made.used_up()
    answer = composed(request)
    del answer.summary[3]
    answer.summary.append(
        answer_pb2.Sentence(
            text="Between 2026-11-30T09:09:55Z and 2026-11-30T09:10:53Z the idle ones went up to 76 and "
            'postgres said "sorry, too many clients already" 2118 times.',
            claim_ids=["symptom-1", "symptom-2"],
        )
    )
    check(answer, request)
    del answer.summary[-1].claim_ids[1:]
    assert refused(answer, request).place == "summary/3"


def test_a_negation_is_a_fact() -> None:
    request = made.lookup()
    answer = composed(request)
    answer.confirmed[0].text = "pg_max_connections is not 80."
    assert refused(answer, request).place == "confirmed/0"


def test_a_possible_direction_is_not_confirmed() -> None:
    request = made.direction()
    answer = composed(request)
    answer.confirmed.append(answer.possible_directions[0])
    assert refused(answer, request).rule == "what is confirmed cites confirmed claims only"


@pytest.mark.parametrize("section", ["evidence_gaps", "next_checks"])
def test_advice_and_gaps_in_free_words_are_refused(section: str) -> None:
    request = made.used_up()
    answer = composed(request)
    getattr(answer, section).add(text="Restart everything.", claim_ids=["cause-1"])
    assert refused(answer, request).rule == "this section holds fixed sentences only"


def test_advice_from_outside_text_is_refused() -> None:
    """A log line may hold advice; only a change event's own text can be named for a revert."""
    request = made.used_up()
    answer = composed(request)
    log_line = request.claims[0].evidence[0].evidence.matched_text
    change = request.claims[-1].evidence[1].evidence.matched_text
    answer.next_checks[0].text = answer.next_checks[0].text.replace(change, log_line)
    assert refused(answer, request).place == "next_checks/0"


def test_a_verdict_sentence_fits_its_verdict() -> None:
    request = made.used_up()
    answer = composed(request)
    request.effective_verdict = evidence_pb2.VERDICT_LOW_CONFID
    assert refused(answer, request).place == "summary/0"


def test_an_answer_says_how_sure_it_is() -> None:
    request = made.used_up()
    answer = composed(request)
    del answer.summary[0]
    assert refused(answer, request).rule == "a fixed sentence says how sure the answer is"


def test_no_gap_is_kept_silent() -> None:
    request = made.passed_by()
    answer = composed(request)
    del answer.evidence_gaps[0]
    assert refused(answer, request).rule == "every gap is admitted"


def test_an_answer_has_a_summary_of_at_most_four_sentences() -> None:
    request = made.used_up()
    assert refused(answer_pb2.Answer(), request).rule == "an answer has a summary"
    answer = composed(request)
    answer.summary.extend(answer.confirmed)
    assert refused(answer, request).rule == "at most 4 sentences"


@pytest.mark.parametrize("verdict", [evidence_pb2.VERDICT_REJECT, evidence_pb2.VERDICT_UNSPECIFIED, 77])
def test_only_fixed_sentences_stand_without_a_carrying_verdict(verdict: int) -> None:
    request = made.rejected()
    answer = composed(request)
    claims = made.used_up().claims
    answer.possible_directions.add(text=claims[0].claim.statement, claim_ids=["symptom-1"])
    with pytest.raises(AnswerError):
        check_answer(answer, claims, request.gaps, request.checked, verdict)


def test_reject_shows_no_statement_and_says_what_was_checked_and_what_failed() -> None:
    request = made.rejected()
    answer = composed(request)
    check(answer, request)
    assert not answer.confirmed
    assert not answer.possible_directions
    assert answer.summary[0].text == "The evidence cannot support a reliable conclusion."
    assert answer.summary[2].text == "What was read: logs/api.log."
    assert answer.summary[3].text == "Not in the bundle: metrics."


@pytest.mark.parametrize("verdict", [evidence_pb2.VERDICT_PASS, evidence_pb2.VERDICT_LOW_CONFID])
def test_fallback_after_a_verification_confirms_nothing(verdict: int) -> None:
    request = made.used_up()
    answer = fallback_answer(
        node="composer",
        status="INVALID_OUTPUT",
        verdict=verdict,
        claims=request.claims,
        gaps=request.gaps,
        checked=request.checked,
    )
    assert not answer.confirmed
    assert [list(sentence.claim_ids) for sentence in answer.possible_directions] == [
        [cited.claim.claim_id] for cited in request.claims
    ]
    assert "writing the answer gave a result that broke its rules" in answer.summary[0].text


@pytest.mark.parametrize("verdict", [evidence_pb2.VERDICT_UNSPECIFIED, evidence_pb2.VERDICT_REJECT, 77])
def test_fallback_without_a_carrying_verdict_states_no_claim(verdict: int) -> None:
    request = made.used_up()
    answer = fallback_answer(
        node="verifier",
        status="RETRYABLE_FAILED",
        verdict=verdict,
        claims=request.claims,
        gaps=request.gaps,
        checked=request.checked,
    )
    shown = [sentence for section in SECTIONS for sentence in getattr(answer, section)]
    assert all(not sentence.claim_ids and sentence.template_id for sentence in shown)
    assert not any(cited.claim.statement in sentence.text for cited in request.claims for sentence in shown)


@pytest.mark.parametrize(
    ("verdict", "carried", "template_id"),
    [
        (evidence_pb2.VERDICT_UNSPECIFIED, True, "fallback.unverified"),
        (evidence_pb2.VERDICT_LOW_CONFID, False, "fallback.nothing_carried"),
        (evidence_pb2.VERDICT_LOW_CONFID, True, "fallback.verified"),
    ],
)
def test_fallback_says_what_the_verification_came_to(verdict: int, carried: bool, template_id: str) -> None:
    claims = made.used_up().claims if carried else []
    answer = fallback_answer(
        node="composer", status="FAILED", verdict=verdict, claims=claims, gaps=[], checked=[]
    )
    assert answer.summary[1].template_id == template_id


@pytest.mark.parametrize("node", ["planner", "executor", "gatekeeper", "verifier", "composer", "unheard-of"])
@pytest.mark.parametrize("status", ["INVALID_OUTPUT", "RETRYABLE_FAILED", "FAILED", "REJECT", "UNKNOWN_7"])
def test_fallback_explains_itself_in_words(node: str, status: str) -> None:
    answer = fallback_answer(
        node=node, status=status, verdict=0, claims=[], gaps=[], checked=made.read("logs/a.log")
    )
    text = " ".join(sentence.text for sentence in answer.summary)
    assert status not in text
    assert "Nothing was verified, so no cause is stated." in text
    assert "What was read: logs/a.log." in text


@pytest.mark.parametrize(
    ("node", "template_id"), [("gatekeeper", "next.by_hand"), ("verifier", "fallback.ask_again")]
)
def test_fallback_asks_for_a_repetition_only_where_one_may_help(node: str, template_id: str) -> None:
    answer = fallback_answer(node=node, status="LOW_CONFID", verdict=0, claims=[], gaps=[], checked=[])
    assert [sentence.template_id for sentence in answer.next_checks] == [template_id]


def test_whose_model_gave_no_result_first_has_to_set_that_right() -> None:
    for node in ("planner", "gatekeeper"):
        answer = fallback_answer(
            node=node, status="FAILED", verdict=0, claims=[], gaps=[], checked=[],
            model_failure="the endpoint refuses the key; check model_api_key",
        )  # fmt: skip
        assert [item.template_id for item in answer.next_checks] == ["fallback.model_first"]


def test_the_tables_share_no_identifier() -> None:
    assert not TEMPLATES.keys() & FALLBACK_TEMPLATES.keys()


def test_no_other_component_can_be_named_for_a_restart() -> None:
    request = made.used_up()
    answer = composed(request)
    index = [item.template_id for item in answer.next_checks].index("next.release")
    sentence = answer.next_checks[index]
    sentence.text = sentence.text.replace("restart of checkout", "restart of postgres")
    assert refused(answer, request).place == f"next_checks/{index}"
    sentence.claim_ids.append("symptom-1")
    assert refused(answer, request).place == f"next_checks/{index}"


@pytest.mark.parametrize("text", ["(s)", " 1 times", "These ", "nothing that was read"])
def test_no_fixed_sentence_has_slipshod_or_untrue_words(text: str) -> None:
    assert not [
        name for name, template in {**TEMPLATES, **FALLBACK_TEMPLATES}.items() if text in template.text
    ]


@pytest.mark.parametrize("verdict", [evidence_pb2.VERDICT_UNSPECIFIED, evidence_pb2.VERDICT_REJECT])
def test_fallback_says_why_a_model_was_no_help(verdict: int) -> None:
    answer = fallback_answer(
        node="planner",
        status="RETRYABLE_FAILED",
        model_failure="the endpoint cannot be reached",
        verdict=verdict,
        claims=[],
        gaps=[],
        checked=[],
    )
    assert answer.summary[1].text == "Its language model gave no result: the endpoint cannot be reached."
