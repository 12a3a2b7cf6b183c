"""What an on-call engineer reads, for each kind of end."""

from collections.abc import Callable, Iterable

import pytest
from assay.common.v1 import answer_pb2, context_pb2, evidence_pb2, tool_pb2
from assay.composer.v1 import composer_pb2
from hypothesis import given

from services.common.evidence.template_slots import UNREACHED
from services.common.evidence.templates import reject_answer
from services.composer.domain import check_request, is_answer
from services.composer.offline.reasoner import compose
from tests.fakes import compose_requests as made
from tests.fakes.compose_strategies import requests

JARGON = ("binding", "ceiling", "claim", "guard", "gatekeeper", "projection", "invocation", "verdict")


def answer_to(request: composer_pb2.ComposeRequest) -> answer_pb2.Answer:
    check_request(request)
    if request.effective_verdict == evidence_pb2.VERDICT_REJECT:
        return reject_answer(request.gaps, request.checked)
    answer = compose(request)
    assert is_answer(answer, request)
    return answer


def texts(sentences: Iterable[answer_pb2.Sentence]) -> list[str]:
    return [sentence.text for sentence in sentences]


def test_a_proven_cause() -> None:
    request = made.used_up()
    answer = answer_to(request)
    statements = {cited.claim.claim_id: cited.claim.statement for cited in request.claims}
    assert texts(answer.summary) == [
        (
            "The evidence supports a cause in checkout. It is concluded from the facts below, not quoted "
            "from a log or a metric."
        ),
        statements["cause-1"],
        statements["symptom-1"],
        statements["impact-1"],
    ]
    assert [list(item.claim_ids) for item in answer.confirmed] == [
        ["symptom-1"],
        ["symptom-2"],
        ["symptom-3"],
        ["impact-1"],
        ["context-1"],
    ]
    assert texts(answer.possible_directions) == [statements["cause-1"]]
    assert not answer.evidence_gaps
    assert texts(answer.next_checks) == [
        (
            'Review and, if it is safe, revert "checkout configuration revision 42 rolled out: '
            'db.session_pinning false -> true" on checkout (events.json:10).'
        ),
        (
            'After the change is reverted, watch pg_connections_by_app{application_name="checkout",'
            'state="idle"} from metrics/pg_connections_by_app.json: if it does not fall, what holds it has '
            "to be released as well, for example by a restart of checkout."
        ),
        (
            'Try to disprove it: plot pg_connections_by_app{application_name="checkout",state="idle"} from '
            "metrics/pg_connections_by_app.json around 2026-11-30T09:09:50.277Z. If it had left its usual "
            "range for good before then, look for an earlier cause."
        ),
        (
            "Read what was reported at logs/postgres.log:236 and logs/nginx-access.log:2211 and in the lines "
            "around."
        ),
        'See whether it goes on: search logs/postgres.log for "FATAL:  sorry, too many clients already".',
    ]


def test_a_cause_that_the_evidence_states() -> None:
    request = made.used_up()
    request.claims[-1].classification = evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION
    request.claims[-1].confirmed = True
    # That a change was made is observed; that it is the cause is not before something says so.
    assert answer_to(request).summary[0].template_id == "verdict.cause_inferred"
    why = made.evidence(
        "logs_search", "/lines/7/text", "refused due to session_pinning", "logs/checkout.log", 7
    )
    request.claims[-1].evidence.append(why)
    answer = answer_to(request)
    assert answer.summary[0].text == "The cause lies in checkout; the evidence shows it directly."
    assert [item.claim_ids[0] for item in answer.confirmed][3:5] == ["cause-1", "impact-1"]


def test_an_abstention() -> None:
    answer = answer_to(made.passed_by())
    assert answer.summary[0].text == "No root cause was established from what was read, so none is named."
    assert "20 requests in more than 1 s" in answer.summary[1].text
    assert answer.summary[2].text == "Not read: logs/notifier.log (logs_templates failed)."
    assert answer.summary[3].text == (
        "This is neither a finding nor an all-clear: a person may see a cause in what was seen."
    )
    assert not answer.possible_directions
    assert texts(answer.evidence_gaps) == [
        "Left out because the evidence does not carry it in full: one statement about the circumstances.",
        "Not read: logs/notifier.log (not readable as text).",
        (
            "What caused this: no cause was found in what was read. Traces, profiles and anything outside "
            "these sources were not read."
        ),
    ]
    assert texts(answer.next_checks) == [
        "Do not revert or restart anything on the strength of this answer alone.",
        (
            'Watch http_latency_p95{route="/checkout"} from metrics/http_latency_p95.json: see whether it '
            "moves again."
        ),
        "Read what was reported at logs/nginx-access.log:1866 and in the lines around.",
        (
            "If you can, provide logs/notifier.log in a readable form and ask again: it could change "
            "this answer."
        ),
        ("If it comes back, capture the state of nginx and checkout at that moment, their hosts included."),
    ]


def test_an_abstention_that_read_everything_says_that_it_is_over() -> None:
    request = made.passed_by()
    del request.checked[3:]
    summary = answer_to(request).summary
    assert [list(item.claim_ids) for item in summary] == [[], ["symptom-1"], ["symptom-2"], []]
    assert summary[2].text == (
        'http_latency_p95{route="/checkout"} was back in its usual range at 2026-11-30T09:38:45Z.'
    )


def test_an_abstention_while_it_goes_on_shows_a_second_thing() -> None:
    request = made.passed_by()
    del request.checked[3:]
    del request.claims[1].evidence[-1]
    assert answer_to(request).summary[2].text == request.claims[1].claim.statement


def test_of_what_is_over_the_question_chooses() -> None:
    request = made.passed_by()
    del request.checked[3:]
    other = request.claims.add()
    other.CopyFrom(request.claims[1])
    other.claim.claim_id, other.claim.component = "symptom-9", "cart"
    request.question = "Why is cart slow?"
    assert list(answer_to(request).summary[2].claim_ids) == ["symptom-9"]


def test_nothing_was_established() -> None:
    request = made.passed_by()
    del request.claims[:]
    answer = answer_to(request)
    assert texts(answer.summary)[-1] == (
        "No statement that answers the question was established from what was read."
    )


def test_a_possible_cause() -> None:
    answer = answer_to(made.direction())
    assert answer.summary[0].text == (
        "The evidence points to billing as a possible cause and does not prove it."
    )
    assert texts(answer.evidence_gaps) == ["Not read: the topology and alerts (the bundle has none)."]
    assert answer.next_checks[0].text == (
        'Review and, if it is safe, revert "add index on invoices" on billing (changes.json:3).'
    )


def test_a_fact_that_was_asked_for_comes_first() -> None:
    answer = answer_to(made.lookup())
    assert texts(answer.summary) == ["pg_max_connections is 80.", "The evidence says this directly."]
    assert texts(answer.next_checks) == ["See it for yourself at metrics/pg_max_connections.json:9."]


def test_a_fact_that_nothing_gives_is_refused_plainly() -> None:
    request = made.lookup()
    request.effective_verdict = evidence_pb2.VERDICT_LOW_CONFID
    request.claims[0].claim.critical = False
    answer = answer_to(request)
    assert [item.template_id for item in answer.summary] == ["verdict.no_answer"]
    assert [item.template_id for item in answer.next_checks] == ["next.lookup"]
    assert texts(answer.confirmed) == ["pg_max_connections is 80."]


def test_a_fact_that_was_asked_for_is_nothing_to_watch_for() -> None:
    request = made.passed_by()
    request.intent = context_pb2.INTENT_LOOKUP
    for cited in request.claims:
        cited.claim.critical = True
    assert [item.template_id for item in answer_to(request).next_checks] == [
        "next.see",
        "next.see",
        "next.provide",
    ]


def test_a_cause_without_a_change_names_no_revert() -> None:
    request = made.direction()
    del request.claims[1].evidence[:2]
    answer = answer_to(request)
    assert "next.revert" not in [item.template_id for item in answer.next_checks]
    assert answer.next_checks[0].text.startswith("Try to disprove it: plot db_lock_waiters from")
    assert answer.next_checks[0].text.endswith("only after the first symptom, look for another cause.")


def test_gaps_of_one_kind_are_one_sentence() -> None:
    request = made.passed_by()
    request.gaps.add(
        gap_id="gap-4",
        claim_type=evidence_pb2.CLAIM_TYPE_CONTEXT,
        classification=evidence_pb2.CLASSIFICATION_OVERSTATED,
    )
    first = answer_to(request).evidence_gaps[0]
    assert first.text.endswith("2 statements about the circumstances.")
    assert list(first.gap_ids) == ["gap-1", "gap-4"]


def test_why_an_alert_still_fires_is_told_first() -> None:
    request = made.passed_by()
    del request.checked[3:]
    request.claims.append(made.looks_back())
    assert [list(item.claim_ids) for item in answer_to(request).summary] == [
        [],
        ["symptom-1"],
        ["context-9"],
        [],
    ]


def test_why_an_alert_still_fires_stands_beside_what_was_not_read() -> None:
    request = made.passed_by()
    request.claims.append(made.looks_back())
    summary = answer_to(request).summary
    assert [item.template_id for item in summary[1:3]] == ["checked.unread", ""]
    assert list(summary[2].claim_ids) == ["context-9"]


def test_a_series_that_is_over_is_no_reason_why_an_alert_still_fires() -> None:
    request = made.passed_by()
    request.claims.append(made.looks_back())
    del request.claims[-1].evidence[-1]
    assert not any("context-9" in item.claim_ids for item in answer_to(request).summary)


def test_what_is_absent_is_not_called_unreadable() -> None:
    request = made.passed_by()
    del request.checked[3:]
    request.checked.extend(made.absent("alert", "metric", "topology"))
    request.gaps.extend(made.absent_gaps("alert", "metric", "topology"))
    answer = answer_to(request)
    assert answer.summary[2].text == "Not in the bundle: alerts, metrics and the topology."
    named = [item.text for item in answer.evidence_gaps if "the topology" in item.text]
    assert named == ["Not read: alerts, metrics and the topology (the bundle has none)."]
    assert [item.text for item in answer.next_checks if item.template_id == "next.provide"] == [
        (
            "If you can, provide the topology (without it no order of calls is known), metrics, alerts and "
            "logs/notifier.log in a readable form and ask again: it could change this answer."
        )
    ]


def test_beside_a_cause_what_is_absent_takes_no_line_and_what_failed_does() -> None:
    request = made.used_up()
    request.checked.extend(made.absent("alert"))
    assert len(answer_to(request).summary) == 4
    assert not any("Not in the bundle" in text for text in texts(answer_to(request).summary))
    request.checked.append(made.passed_by().checked[-1])
    assert answer_to(request).summary[2].text == "Not read: logs/notifier.log (logs_templates failed)."


def test_files_that_were_not_read_for_one_reason_share_it() -> None:
    request = made.passed_by()
    request.checked.extend(
        tool_pb2.Checked(source=f"logs/{name}.log", reason=UNREACHED) for name in ("a", "b", "c", "d", "e")
    )
    assert answer_to(request).summary[2].text == (
        "Not read: logs/notifier.log (logs_templates failed); logs/a.log, logs/b.log, logs/c.log and others "
        "(not looked at in this run)."
    )


def test_single_files_are_not_asked_for_one_by_one() -> None:
    request = made.passed_by()
    for number, source in enumerate(("logs/a.log", "logs/b.log"), start=7):
        request.gaps.add(gap_id=f"gap-{number}", source={"source": source, "reason": "not readable as text."})
    asked = [item for item in answer_to(request).next_checks if item.template_id == "next.provide"]
    assert [item.text for item in asked] == [
        (
            "If you can, provide what is named as not read, in a readable form and ask again: it could "
            "change this answer."
        )
    ]


@pytest.mark.parametrize(
    ("source", "reason"), [("logs/a.log", UNREACHED), ("logs_templates", "it ran out of time")]
)
def test_what_nobody_could_bring_is_not_asked_for(source: str, reason: str) -> None:
    request = made.passed_by()
    del request.gaps[1]
    request.gaps.add(gap_id="gap-9", source={"source": source, "reason": reason})
    assert "next.provide" not in [item.template_id for item in answer_to(request).next_checks]


def test_a_line_that_stands_for_its_kind_is_not_searched_for() -> None:
    request = made.used_up()
    for item in request.claims[0].evidence:
        item.evidence.raw_path = item.evidence.raw_path.replace("/literals/", "/templates/")
    assert "next.search" not in [item.template_id for item in answer_to(request).next_checks]


def test_nothing_is_to_be_released_where_no_limit_was_reached_or_no_change_is_blamed() -> None:
    without_limit, without_change = made.used_up(), made.used_up()
    del without_limit.claims[2]
    del without_change.claims[-1].evidence[:2]
    for request in (without_limit, without_change):
        assert "next.release" not in [item.template_id for item in answer_to(request).next_checks]


def rivals() -> composer_pb2.ComposeRequest:
    request = made.direction()
    cause = next(item for item in request.claims if item.claim.claim_type == evidence_pb2.CLAIM_TYPE_CAUSE)
    del request.claims[:]
    for name in ("left", "right"):
        request.claims.add().CopyFrom(cause)
        found = request.claims[-1]
        found.claim.claim_id, found.claim.component = f"cause-{name}", name
        del found.evidence[:]
        found.evidence.extend(made.series("m.csv", 1, "latency", f'{{service="{name}"}}'))
        for item in found.evidence:
            item.evidence.claim_id = found.claim.claim_id
    return request


def decided(request: composer_pb2.ComposeRequest) -> list[str]:
    return [item.text for item in answer_to(request).next_checks if item.template_id == "next.decide"]


def test_what_decides_between_two_directions_from_metrics_is_told() -> None:
    assert decided(rivals())[0].startswith("To decide between left and right: ")


def test_one_direction_or_one_that_a_change_speaks_for_has_no_rival() -> None:
    one, changed = rivals(), rivals()
    del one.claims[1:]
    changed.claims[0].evidence[0].evidence.tool_name = "change_events_list"
    assert decided(one) == decided(changed) == []


def test_three_places_are_read_in_one_sentence() -> None:
    request = made.used_up()
    for name in ("a", "b"):
        request.claims.add().CopyFrom(request.claims[3])
        request.claims[-1].claim.claim_id, request.claims[-1].claim.component = f"impact-{name}", name
        request.claims[-1].evidence[0].evidence.places[0].source = f"logs/{name}.log"
    read = [item for item in answer_to(request).next_checks if item.template_id == "next.read"]
    assert [list(item.claim_ids) for item in read] == [["symptom-1", "impact-1", "impact-a"]]
    assert "logs/nginx-access.log:2211 and logs/a.log:2211 and" in read[0].text


@given(requests())
def test_next_checks_are_few_and_differ(request: composer_pb2.ComposeRequest) -> None:
    if request.effective_verdict != evidence_pb2.VERDICT_REJECT:
        checks = texts(answer_to(request).next_checks)
        assert len(checks) == len(set(checks)) <= 6


@pytest.mark.parametrize("build", made.ALL)
def test_no_jargon(build: Callable[[], composer_pb2.ComposeRequest]) -> None:
    answer = answer_to(build())
    fixed = [
        sentence.text.lower()
        for section in (answer.summary, answer.evidence_gaps, answer.next_checks)
        for sentence in section
        if sentence.template_id
    ]
    assert not [word for word in JARGON for text in fixed if word in text]


@given(requests())
def test_every_claim_and_gap_appears_once_in_its_section(request: composer_pb2.ComposeRequest) -> None:
    answer = answer_to(request)
    confirmed = [claim_id for item in answer.confirmed for claim_id in item.claim_ids]
    possible = [claim_id for item in answer.possible_directions for claim_id in item.claim_ids]
    admitted = [gap_id for item in answer.evidence_gaps for gap_id in item.gap_ids]
    assert sorted(confirmed) == sorted(item.claim.claim_id for item in request.claims if item.confirmed)
    assert sorted(possible) == sorted(item.claim.claim_id for item in request.claims if not item.confirmed)
    assert sorted(admitted) == sorted(gap.gap_id for gap in request.gaps)


@given(requests())
def test_the_same_request_gives_the_same_answer(request: composer_pb2.ComposeRequest) -> None:
    assert answer_to(request) == answer_to(request)
