"""The one table of failures: a row per kind, and none for anything else."""

from assay.composer.v1 import composer_pb2
from assay.planner.v1 import planner_pb2
from assay.verifier.v1 import verifier_pb2
from google.protobuf.descriptor import EnumDescriptor

from services.common.llm.failures import FAILURES, failed_as
from services.common.llm.port import OK, Kind
from services.common.reasoning import FailedAs

AGAIN = {
    Kind.UNREACHABLE,
    Kind.TIMED_OUT,
    Kind.OUT_OF_TIME,
    Kind.RATE_LIMITED,
    Kind.OVERLOADED,
    Kind.UNFIT_MODE,
}
NEVER = {
    Kind.UNAUTHORIZED,
    Kind.REFUSED_REQUEST,
    Kind.OVER_BUDGET,
    Kind.REFUSAL,
    Kind.CONTENT_FILTERED,
}


def test_every_kind_has_a_row_and_every_row_a_kind() -> None:
    assert set(FAILURES) == set(Kind)


def test_each_kind_leads_where_it_should() -> None:
    assert {kind for kind in Kind if failed_as(kind) is FailedAs.RETRYABLE_FAILED} == AGAIN
    assert {kind for kind in Kind if failed_as(kind) is FailedAs.NON_RETRYABLE_FAILED} == NEVER


def test_a_record_tells_kinds_apart() -> None:
    recorded = [kind.value for kind in Kind]
    assert len(set(recorded)) == len(recorded)
    assert OK not in recorded
    assert all(kind.value == kind.name.lower() for kind in Kind)


def test_the_outcomes_are_statuses_of_the_agents() -> None:
    outcomes = {outcome.value for outcome in FailedAs}
    assert outcomes < named(planner_pb2.PlannerStatus.DESCRIPTOR)
    assert outcomes < named(verifier_pb2.VerifierStatus.DESCRIPTOR)
    assert outcomes < named(composer_pb2.ComposerStatus.DESCRIPTOR)


def named(statuses: EnumDescriptor) -> set[str]:
    return {name.split("_STATUS_")[1] for name in statuses.values_by_name}


def test_a_person_is_told_one_sentence_each() -> None:
    sentences = [failure.sentence for failure in FAILURES.values()]
    assert len(set(sentences)) == len(sentences)
    assert all(sentence and sentence[0].islower() and sentence[-1] != "." for sentence in sentences)
