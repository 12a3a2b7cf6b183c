"""What kind of answer a question asks for."""

import pytest
from assay.common.v1 import context_pb2

from orchestrator.intent import intent_of

CAUSE = [
    "Why do checkouts fail since 14:02?",
    "HighErrorRate for orders started firing: what is the root cause?",
    "LatencyHigh is still firing: what is making search slow?",
    "Which change caused the outage?",
    "When did it break and why?",
    "What happened to the cache?",
    "Payments time out.",
    "What is wrong with the queue?",
    "Is the database the reason for the errors?",
]
LOOKUP = [
    "How many pods run?",
    "how long did the longest query take?",
    "Which services call the database?",
    "Since when is replication behind?",
    "List the deployments of today",
    "What is the version of the cache?",
    "What is the current number of connections?",
    "Are there any alerts?",
    "Please count the 504 responses",
]


@pytest.mark.parametrize("question", CAUSE)
def test_a_question_for_a_reason(question: str) -> None:
    assert intent_of(question) == context_pb2.INTENT_CAUSE


@pytest.mark.parametrize("question", LOOKUP)
def test_a_question_for_a_fact(question: str) -> None:
    assert intent_of(question) == context_pb2.INTENT_LOOKUP
