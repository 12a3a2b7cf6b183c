"""The derivability guard: true statements pass, each mutation of one is lowered."""

import pytest
from assay.common.v1 import evidence_pb2
from hypothesis import given
from hypothesis import strategies as st

from services.common.evidence.guard import guard_checks
from tests.fakes.claims import ARGUMENTS, claim, context, item, output

DIRECT = evidence_pb2.CLASSIFICATION_DIRECT_OBSERVATION
INFERENCE = evidence_pb2.CLASSIFICATION_REASONABLE_INFERENCE
OVERSTATED = evidence_pb2.CLASSIFICATION_OVERSTATED
SYMPTOM = evidence_pb2.CLAIM_TYPE_SYMPTOM

EVIDENCE = [
    item("2026-11-30 09:10:53.441 UTC [196] FATAL:  sorry, too many clients already (10.0.0.7:5432)"),
    item("2118", "/templates/0/count"),
    item("0", "/templates/0/count_before", time="2026-11-30T09:09:55Z"),
    item("db_connections", "/series/0/name"),
    item('{app="cart",state="idle"}', "/series/0/labels"),
    item("4.2991", "/durations/max_seconds"),
    item("SQLSTATE 53300", "/lines/1/text"),
]
TRUE = (
    'db refused 10.0.0.7:5432 with "FATAL:  sorry, too many clients already" and SQLSTATE 53300 2118 times '
    "from 2026-11-30T09:10:53Z; 0 before 2026-11-30T09:09:55Z, while no "
    'db_connections{app="cart",state="idle"} waited over 4.30 s (logs/db.log:236).'
)


def guarded(
    statement: str,
    classification: "evidence_pb2.Classification.ValueType" = DIRECT,
    component: str = "db",
    elsewhere: str = "nothing",
    question: str = "why do orders fail?",
) -> evidence_pb2.ClaimCheck:
    claims = output(claim(statement, component=component), claim("x", claim_id="c2"))
    checks = [
        evidence_pb2.ClaimCheck(claim_id="c1", classification=classification, reason="as judged"),
        evidence_pb2.ClaimCheck(claim_id="c2", classification=evidence_pb2.CLASSIFICATION_UNSUPPORTED),
    ]
    evidence = [*EVIDENCE, item(elsewhere, claim_id="c2", invocation="inv-2", owner="cache")]
    arguments = {"inv-1": ARGUMENTS, "inv-2": b'{"contains":["pool_timeout"],"limit":20}'}
    return guard_checks(checks, claims, evidence, context(question), arguments)[0]


@pytest.mark.parametrize("classification", [DIRECT, INFERENCE])
def test_a_true_statement_stays_as_it_was(classification: "evidence_pb2.Classification.ValueType") -> None:
    check = guarded(TRUE, classification)
    assert check.classification == classification
    assert not check.fabricated
    assert not check.guard_reason
    assert not check.model_classification
    assert check.reason == "as judged"


MUTATIONS = {
    "number": ("2118", "2119", False),
    "decimals": ("4.30 s", "4.31 s", False),
    "unit": ("4.30 s", "4.30 ms", False),
    "code": ("53300", "53301", True),
    "identifier": ("db_connections", "db_connection", True),
    "label": ('state="idle"', 'state="active"', True),
    "address": ("10.0.0.7", "10.0.0.8", True),
    "port": ("5432", "5433", True),
    "quotation": ("too many", "so many", True),
    "quotation case": ("FATAL", "Fatal", True),
    "time": ("09:10:53Z", "09:10:52Z", False),
    "date": ("2026-11-30T09:10", "2026-11-29T09:10", False),
    "file": ("logs/db.log:236", "logs/api.log:236", True),
    "line": ("logs/db.log:236", "logs/db.log:237", False),
    "negation": ("waited", "never waited", None),
}


@pytest.mark.parametrize("name", MUTATIONS)
@pytest.mark.parametrize("classification", [DIRECT, INFERENCE])
def test_each_mutation_is_lowered(name: str, classification: "evidence_pb2.Classification.ValueType") -> None:
    before, after, fabricated = MUTATIONS[name]
    assert before in TRUE
    if fabricated is None:
        # A bound 0 holds any denial; the control is below.
        assert guarded(TRUE.replace(before, after, 1), classification).classification == classification
        return
    check = guarded(TRUE.replace(before, after, 1), classification)
    assert check.classification == OVERSTATED
    assert check.model_classification == classification
    assert check.guard_reason
    assert check.fabricated is fabricated


def test_a_denial_needs_a_denial_or_a_bound_zero() -> None:
    claims = output(claim("db did not refuse clients"))
    checks = [evidence_pb2.ClaimCheck(claim_id="c1", classification=DIRECT)]
    for text, expected in (
        ("db refused clients", OVERSTATED),
        ("db could not refuse", DIRECT),
        ("0", DIRECT),
    ):
        evidence = [item(text, "/value")]
        (check,) = guard_checks(checks, claims, evidence, context(), {"inv-1": ARGUMENTS})
        assert check.classification == expected


def test_the_component_is_a_concrete_fact() -> None:
    assert guarded(TRUE, component="cache").classification == OVERSTATED
    assert not guarded(TRUE, component="cache").fabricated
    assert guarded(TRUE, component="payments").fabricated


@pytest.mark.parametrize(
    ("statement", "fabricated"),
    [
        ('db says "pool exhausted"', True),
        ("db says pool_exhausted", True),
    ],
)
def test_what_another_claim_holds_is_not_invented(statement: str, fabricated: bool) -> None:
    assert guarded(statement).fabricated is fabricated
    borrowed = guarded(statement, elsewhere="pool exhausted pool_exhausted")
    assert borrowed.classification == OVERSTATED
    assert not borrowed.fabricated


def test_what_was_asked_is_not_invented() -> None:
    assert guarded("db hit pool_timeout").fabricated is False
    assert guarded("db hit pool_size").fabricated is True
    assert guarded("db hit pool_size", question="is pool_size too small?").fabricated is False


@pytest.mark.parametrize(
    "classification",
    [
        evidence_pb2.CLASSIFICATION_UNSUPPORTED,
        evidence_pb2.CLASSIFICATION_EXTERNAL_UNKNOWN,
        evidence_pb2.CLASSIFICATION_CONTRADICTED,
        OVERSTATED,
    ],
)
def test_the_guard_never_raises(classification: "evidence_pb2.Classification.ValueType") -> None:
    assert guarded(TRUE, classification).classification == classification
    assert guarded("db lost 99 clients", classification).classification == classification


def test_a_fabrication_that_the_verifier_found_stays() -> None:
    checks = [evidence_pb2.ClaimCheck(claim_id="c1", classification=DIRECT, fabricated=True)]
    (check,) = guard_checks(checks, output(claim(TRUE)), EVIDENCE, context(), {"inv-1": ARGUMENTS})
    assert check.fabricated
    assert not check.guard_reason


@pytest.mark.parametrize(("name", "fabricated"), [("pool_timeout", False), ("pool_size", True)])
def test_a_fabrication_that_only_the_arguments_refute_is_taken_back(name: str, fabricated: bool) -> None:
    called = evidence_pb2.ClaimCheck(claim_id="c1", classification=OVERSTATED, fabricated=True)
    arguments = {"inv-1": b'{"contains":["pool_timeout"]}'}
    (check,) = guard_checks([called], output(claim(f"db hit {name}")), EVIDENCE, context(), arguments)
    assert check.fabricated is fabricated
    assert check.classification == OVERSTATED
    assert bool(check.guard_reason) is not fabricated
    assert name not in check.guard_reason


def test_the_reason_names_kinds_and_never_the_text() -> None:
    check = guarded('db says "CANARY-7f9" and 1.2.3.4')
    assert check.guard_reason == (
        "the claim's own evidence does not hold every quotation and address that it states; "
        "nothing in the run holds every quotation and address that it states"
    )
    three = guarded('db says "CANARY-7f9" and 1.2.3.4 at 03:04').guard_reason
    assert three.startswith(
        "the claim's own evidence does not hold every quotation, address and instant that"
    )
    one = guarded("db lost 99 clients").guard_reason
    assert one == "the claim's own evidence does not hold every number that it states"


def test_arguments_that_cannot_be_read_hold_nothing() -> None:
    checks = [evidence_pb2.ClaimCheck(claim_id="c1", classification=DIRECT)]
    claims = output(claim("db hit pool_size"))
    (check,) = guard_checks(checks, claims, EVIDENCE, context(), {"inv-1": b'{"a": NaN, "b": "pool_size"}'})
    assert check.fabricated


@given(
    st.lists(
        st.tuples(
            st.from_regex(r"[a-z]{2,6}_[a-z]{2,6}", fullmatch=True),
            st.integers(0, 10**6),
            st.sampled_from(["", " ms", " s", " MB", " %"]),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_a_statement_made_of_its_evidence_is_never_lowered(values: list[tuple[str, int, str]]) -> None:
    evidence = [
        item(f"{name}={value}{unit}", f"/lines/{i}/text") for i, (name, value, unit) in enumerate(values)
    ]
    statement = " and ".join(f"{name} was {value}{unit}" for name, value, unit in values)
    checks = [evidence_pb2.ClaimCheck(claim_id="c1", classification=DIRECT)]
    claims = output(claim(f"{statement} at 2026-11-30T09:10:53Z", component="db"))
    (check,) = guard_checks(checks, claims, evidence, context(), {"inv-1": ARGUMENTS})
    assert (check.classification, check.fabricated) == (DIRECT, False)


@pytest.mark.parametrize(
    ("statement", "expected"), [("db rose from 0 to 2118", DIRECT), ("db rose from 2118 to 0", OVERSTATED)]
)
def test_a_direction_that_its_own_ends_contradict_is_lowered(
    statement: str, expected: "evidence_pb2.Classification.ValueType"
) -> None:
    check = guarded(statement)
    assert check.classification == expected
    assert not check.fabricated
    assert ("direction" in check.guard_reason) is (expected == OVERSTATED)


def test_a_fabrication_that_the_question_refutes_was_the_verifiers_to_see() -> None:
    called = evidence_pb2.ClaimCheck(claim_id="c1", classification=OVERSTATED, fabricated=True)
    asked = context("is pool_size too small?")
    (check,) = guard_checks(
        [called], output(claim("db hit pool_size")), EVIDENCE, asked, {"inv-1": ARGUMENTS}
    )
    assert check == called


def judged(
    statement: str, *texts: str, claim_type: "evidence_pb2.ClaimType.ValueType" = SYMPTOM
) -> evidence_pb2.ClaimCheck:
    """Guard a claim on texts of db; another claim's evidence is cache's, and the run knows orders besides."""
    claims = output(claim(statement, claim_type=claim_type, component="db"), claim("x", claim_id="c2"))
    evidence = [
        *(item(text, f"/lines/{n}/text") for n, text in enumerate(texts)),
        item("x", claim_id="c2", owner="cache"),
    ]
    check = evidence_pb2.ClaimCheck(claim_id="c1", classification=DIRECT)
    arguments = {"inv-1": ARGUMENTS}
    return guard_checks([check], claims, evidence, context(), arguments, components=["orders"])[0]


@pytest.mark.parametrize(
    ("statement", "texts", "kind"),
    [
        # A component that another claim's evidence, or the run, knows and this claim's does not.
        ("cache refused the connection", ["connection refused"], "component"),
        ("db refused the connection of Orders", ["connection refused"], "component"),
        ("db refused the connection because it was full", ["connection refused"], "reason"),
        ("db refused the connection, and therefore all went slow", ["connection refused"], "reason"),
        ("db certainly refused the connection", ["connection refused"], "certainty or advice"),
        ("db refused the connection: restart it", ["connection refused"], "certainty or advice"),
        ("db refused the connection and is healthy again", ["connection refused"], "certainty or advice"),
        ("db refused the connection (не было)", ["connection refused"], "word of another language"),
        ("db refused the connection (没有发生)", ["connection refused"], "word of another language"),
        # Denials of languages in Latin letters, and of English without "no" and "not".
        ("db refused the connection (dies geschah nicht)", ["connection refused"], "negation"),
        ("db refused the connection, jamais", ["connection refused"], "negation"),
        ("It is untrue that db refused the connection", ["connection refused"], "negation"),
        ("db hardly refused the connection", ["connection refused"], "negation"),
    ],
)
def test_plain_words_that_say_more_than_the_evidence_are_lowered(
    statement: str, texts: list[str], kind: str
) -> None:
    check = judged(statement, *texts)
    assert (check.classification, check.fabricated) == (OVERSTATED, False)
    assert check.guard_reason == f"the claim's own evidence does not hold every {kind} that it states"


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("db refused the connection", "connection refused"),
        ("db refused the connection of orders", "connection of orders refused"),
        ("db refused the connection because it was full", "refused because of too many clients"),
        ("db refused the connection, its clients should retry", "refused, clients should retry"),
        ("db refused Zürich in 12 µs", "Zürich refused, 12 µs"),
        ("db has fewer replicas than it should: refused", "refused"),
        ("db looks healthy: refused", "refused"),
        ("db failed to delete the volume", "delete failed: volume"),
        ("db switched it from false to true", "switch false -> true"),
        # A part of another word is no name.
        ("db refused to look at reorders and cached ones", "refused"),
    ],
)
def test_plain_words_that_the_evidence_has_stand(statement: str, text: str) -> None:
    assert judged(statement, text).classification == DIRECT


def test_a_cause_may_give_its_reason_and_not_how_sure_it_is() -> None:
    cause = evidence_pb2.CLAIM_TYPE_CAUSE
    assert judged("db failed because it was full", "db is full", claim_type=cause).classification == DIRECT
    sure = judged("db failed, clearly because it was full", "db is full", claim_type=cause)
    assert sure.classification == OVERSTATED


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("db: refused 2118 times", DIRECT),
        ("logs.db: refused 2118 times", OVERSTATED),
        ("Stock: refused 2118 times", OVERSTATED),
        ("Symptom: refused 2118 times", DIRECT),
        ("Alert: refused 2118 times", DIRECT),
        ("The database db: refused 2118 times", DIRECT),
        ("refused 2118 times; Stock: refused", DIRECT),
    ],
)
def test_a_statement_that_is_announced_to_be_about_another_is_lowered(
    statement: str, expected: "evidence_pb2.Classification.ValueType"
) -> None:
    check = guarded(statement)
    assert check.classification == expected
    assert ("subject" in check.guard_reason) is (statement.startswith(("logs.db", "Stock")))
