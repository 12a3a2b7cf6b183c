"""A trouble that the question does not ask about is no answer to it."""

from pathlib import Path

import pytest
from assay.common.v1 import context_pb2, evidence_pb2

from services.executor.analyst.analyst import Analyst
from tests.fakes.bindings import problems
from tests.fakes.incident import iso
from tests.fakes.investigation import Investigation, investigate
from tests.fakes.plain_logs import FAILS_AT, ROUTINE_SECONDS, PlainLogs

FULL = "ERROR write failed: No space left on device"
STORE = ("store", "disk.exhausted", "confirmed")


def run(bundle: PlainLogs, folder: Path, question: str) -> Investigation:
    found = investigate(bundle.write(folder / "bundle"), question)
    assert problems(found.evidence, found.calls) == []
    return found


def full_store(known: bool = True) -> PlainLogs:
    """The front calls the store and the cache; the disk of the store is full, the cache is well."""
    names = ("front", "store", "redis", "mailer")
    bundle = PlainLogs()
    if known:
        bundle.services = {name: [f"logs/{name}.log"] for name in names}
        bundle.calls = [("front", "store"), ("front", "redis")]
    bundle.routine(*(f"logs/{name}.log" for name in names))
    bundle.fails("logs/store.log", FULL)
    bundle.fails("logs/front.log", "ERROR item failed", at=FAILS_AT + 2)
    return bundle


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("question", ["Why is redis slow?", "Is the mailer broken?", "Why does kafka lag?"])
def test_nothing_is_blamed_for_what_is_well(question: str, known: bool, tmp_path: Path) -> None:
    found = run(full_store(known), tmp_path, question)

    assert found.suspects == []
    assert not [claim for claim in found.evidence.claims if claim.critical]
    assert any("which the question names" in gap for gap in found.evidence.evidence_gaps)


@pytest.mark.parametrize(
    "question",
    ["Why is the store slow?", "Why does Front fail?", "What is the root cause?", "What ails /redis/items?"],
)
def test_what_is_wrong_there_is_answered(question: str, tmp_path: Path) -> None:
    assert run(full_store(), tmp_path, question).suspects == [STORE]


def test_the_own_trouble_of_who_uses_it_is_no_answer_about_what_is_well(tmp_path: Path) -> None:
    bundle = full_store()
    bundle.lines["logs/store.log"] = []
    bundle.routine("logs/store.log")
    bundle.change(FAILS_AT - 3, "front", "front 2.0.0 -> 2.0.1")
    bundle.fails("logs/front.log", "ERROR KeyError: 'colour'")

    assert run(bundle, tmp_path, "Why is redis slow?").suspects == []


def test_what_was_found_of_a_component_that_is_well_is_counted(tmp_path: Path) -> None:
    found = run(full_store(known=False), tmp_path, "Why is the mailer slow?")

    told = [claim.statement for claim in found.of_type("context") if claim.component == "mailer"]
    counted = f"0 of {ROUTINE_SECONDS} in logs/mailer.log."
    assert told == [f"mailer: lines that report a failure by their level or status: {counted}"]


def test_a_product_is_known_by_what_the_topology_says_of_it(tmp_path: Path) -> None:
    bundle = full_store()
    bundle.services = {**bundle.services, "postgresql": ["logs/store.log"]}
    bundle.services.pop("store")
    bundle.calls = [("front", "postgresql")]

    found = run(bundle, tmp_path, "Why is postgres slow?")

    assert found.suspects == [("postgresql", "disk.exhausted", "confirmed")]


@pytest.mark.parametrize(("moment", "blamed"), [(FAILS_AT + 30, True), (86_400, False), (-86_400, False)])
def test_a_time_outside_the_recorded_one_is_answered_by_nothing(
    moment: int, blamed: bool, tmp_path: Path
) -> None:
    found = run(full_store(), tmp_path, f"What failed at {iso(moment)}?")

    assert bool(found.suspects) is blamed
    assert any("outside the recorded" in gap for gap in found.evidence.evidence_gaps) is not blamed


def test_every_change_is_listed_whoever_is_blamed(tmp_path: Path) -> None:
    bundle = full_store()
    for number in range(20):
        bundle.change(10 * number, "store", f"store configuration revision {number}", "config_change")

    found = run(bundle, tmp_path, "What is the root cause?")

    assert found.suspects == [STORE]
    told = " ".join(claim.statement for claim in found.of_type("context"))
    assert all(f'"store configuration revision {number}"' in told for number in range(20))


def test_no_sentence_is_claimed_twice(tmp_path: Path) -> None:
    found = run(full_store(), tmp_path, "What is the root cause?")

    statements = [claim.statement for claim in found.evidence.claims]
    assert len(set(statements)) == len(statements)


def test_a_second_cycle_answers_its_gaps_and_nothing_else(tmp_path: Path) -> None:
    found = run(full_store(), tmp_path, "What is the root cause?")
    cause = found.of_type("cause")[0]
    context = context_pb2.DiagnosisContext(
        question="What is the root cause?", intent=context_pb2.INTENT_CAUSE
    )
    gap = evidence_pb2.ClaimGap(claim_id="cause-7", component="store", statement=cause.statement)
    other = evidence_pb2.ClaimGap(claim_id="symptom-1", component="store", statement="Another sentence.")

    claims = Analyst().conclude(context, found.calls, [gap, other]).claims

    assert [claim.statement for claim in claims if claim.claim_id == "cause-7"] == [cause.statement]
    assert {claim.component for claim in claims} == {"store"}
    assert "symptom-1" not in {claim.claim_id for claim in claims}


def test_a_second_cycle_without_news_claims_nothing() -> None:
    gap = evidence_pb2.ClaimGap(claim_id="cause-1", component="store", statement="It is so.")

    assert Analyst().conclude(context_pb2.DiagnosisContext(), [], [gap]).claims == []
