"""What a sentence in a model's own words may say of the claims that it cites."""

import pytest
from assay.common.v1 import answer_pb2, evidence_pb2

from services.common.evidence.answer_rules import AnswerError, check_answer
from services.common.evidence.own_words import may_say
from services.common.evidence.template_slots import Material
from services.common.evidence.templates import sentence
from services.composer.offline.reasoner import compose
from tests.fakes import compose_requests as made

REQUEST = made.used_up()
CLAIMS = {cited.claim.claim_id: cited for cited in REQUEST.claims}
COMPONENTS = {cited.claim.component for cited in REQUEST.claims}
POSSIBLE = evidence_pb2.CLAIM_STATUS_POSSIBLE


def allows(text: str, *claim_ids: str, possible: bool = False) -> bool:
    cited = []
    for claim_id in claim_ids:
        copy = answer_pb2.AllowedClaim()
        copy.CopyFrom(CLAIMS[claim_id])
        if possible:
            copy.claim.status = POSSIBLE
        cited.append(copy)
    return may_say(text, cited, COMPONENTS)


@pytest.mark.parametrize(
    "text",
    [
        "postgres refused clients.",
        "So many clients were refused by postgres that no more fit in.",
        "**postgres** refused clients [see below].",
    ],
)
def test_plain_words_about_what_is_cited_stand(text: str) -> None:
    assert allows(text, "symptom-1")


@pytest.mark.parametrize(
    "text",
    [
        "postgres refused what nginx asked for.",
        "postgres refused clients because of checkout.",
        "postgres refused clients, and therefore all requests failed.",
        "postgres definitely refused clients.",
        "It is proven that postgres refused clients.",
        "postgres refused clients and has recovered.",
        "postgres refused clients; restart it.",
        "postgres refused clients; you should raise the limit.",
        "[postgres](javascript:alert) refused clients.",
        "[postgres] (//evil) refused clients.",
        "<b>postgres</b> refused clients.",
        "\x1b[31mpostgres refused clients.",
        "postgres refused\u202e clients.",
        "",
    ],
)
def test_names_reasons_certainty_advice_and_mark_up_of_its_own_do_not(text: str) -> None:
    assert not allows(text, "symptom-1")


def test_a_cause_gives_a_reason_and_one_that_is_possible_only_a_guess() -> None:
    said = "checkout's change led to it."
    assert allows(said, "cause-1")
    assert not allows(said, "cause-1", possible=True)
    assert allows("checkout's change possibly led to it.", "cause-1", possible=True)
    assert allows("checkout was changed before.", "cause-1", possible=True)


def test_whoever_relies_on_an_answer_checks_its_words_again() -> None:
    answer = compose(REQUEST)
    answer.confirmed.append(
        answer_pb2.Sentence(text="postgres refused clients because of nginx.", claim_ids=["symptom-1"])
    )
    with pytest.raises(AnswerError) as caught:
        check_answer(answer, REQUEST.claims, REQUEST.gaps, REQUEST.checked, REQUEST.effective_verdict)
    assert caught.value.rule == "it names, explains and urges no more than what the sentence cites"


@pytest.mark.parametrize(
    ("text", "template_id", "stands"),
    [
        ("session_pinning was changed", "verdict.cause_confirmed", False),
        ("session_pinning was changed", "verdict.cause_inferred", True),
        ("refused because of session_pinning", "verdict.cause_confirmed", True),
    ],
)
def test_a_cause_is_shown_directly_only_where_the_evidence_says_why(
    text: str, template_id: str, *, stands: bool
) -> None:
    """Whatever a verifier calls an observation: a change is observed, that it is the cause is not."""
    observed = made.claim(
        "cause-1",
        "checkout was changed",
        "checkout",
        [made.evidence("logs_search", "/lines/0/text", text, "a", 1)],
    )
    assert (sentence(template_id, Material(claims=[observed])) is not None) is stands
