"""What kind of answer a question asks for."""

from pathlib import Path

import pytest
from assay.common.v1 import context_pb2

from orchestrator.intent import intent_of

CAUSE = [
    "Why do checkouts fail since 14:02?",
    "why is redis slow",
    "HighErrorRate for orders started firing: what is the root cause?",
    "LatencyHigh is still firing: what is making search slow?",
    "Which change caused the outage?",
    "When did it break and why?",
    "What happened to the cache?",
    "What's happening with payments?",
    "What is going on?",
    "Any idea what happened to the cache?",
    "Any ideas? Payments time out.",
    "Any payment times out.",
    "Payments time out.",
    "Payments time out?",
    "Payments time out since 09:10, and so do refunds",
    "KubeJobFailed",
    "pods keep restarting?",
    "Pods pending for hours?!",
    "errors everywhere, any hint?",
    "Deployments do not come up?",
    "What is wrong with the queue?",
    "What went wrong at 09:10?",
    "What's up with postgres?",
    "What broke checkout?",
    "Which deployment broke the login?",
    "What is broken?",
    "What\u2019s making search slow?",
    "What is breaking the build queue?",
    "What is blocking the writers?",
    "What keeps killing the workers?",
    "What made search slow?",
    "What took the database down?",
    "What filled the disk?",
    "What is the issue with the importer",
    "What is the problem here?",
    "Is the database the reason for the errors?",
    "Is the last deploy responsible?",
    "Explain the 502 responses",
    "Can you explain the spike?",
    "Please diagnose the latency of search",
    "Could you investigate the timeouts?",
    "Figure out what ails the payment workers",
    "How come the queue grows?",
    "What led to the failover?",
    "What triggered the alert?",
    "Was fine until 09:00, now every request fails",
    "any issues with the carts?",
    "any errors in namespace shop?",
    "Who deleted the last pod?",
    "did a rollback, checkout still fails",
    "does not start",
    "is down and was ok at 09:00, now running out of memory",
    "is failing",
    "When customers pay they see a 502",
    "The count of errors rises and nobody knows what to do",
    "",
]
LOOKUP = [
    "pods pending?",
    "Nodes not ready?",
    "pods crashing in the namespace shop?",
    "errors in checkout?",
    "alerts since 09:10?",
    "is the cart up?",
    "Any errors in orders?",
    "any errors in the logs of the namespace shop?",
    "did the cleanup job fail",
    "does a secret called mail exist",
    "do we have any cron jobs",
    "is the autoscaler ok",
    "are all nodes ready",
    "Any 503s since 09:10?",
    "How many pods run?",
    "how many 504s were there",
    "How much memory does redis use?",
    "How often does the job run?",
    "how long did the longest query take?",
    "How high was the latency at 09:10?",
    "Which services call the database?",
    "which version runs",
    "Which service is affected?",
    "Which query took the longest?",
    "Which pods are failing?",
    "Who is holding the locks?",
    "What is the number of failing jobs?",
    "What slow queries were logged?",
    "Since when is replication behind?",
    "When did the errors start?",
    "when was checkout deployed",
    "At 09:10, how many connections were open?",
    "Who deployed checkout?",
    "Where is the slow query logged?",
    "List the deployments of today",
    "Show the alerts",
    "Please count the 504 responses",
    "Tell me the version of nginx",
    "What is the version of the cache?",
    "What is the max_connections of postgres?",
    "What is the current number of connections?",
    "What changes were made to checkout?",
    "What changed at 09:10?",
    "What was deployed before the alert?",
    "What are the limits of the pool?",
    "What did the last deploy change?",
    "Are there any alerts?",
    "Is checkout affected?",
    "Is checkout down?",
    "Is the moon made of cheese?",
    "Was redis restarted?",
    "Were there errors before 09:00?",
    "Did the deploy finish?",
    "Does checkout call inventory?",
    "Do we have metrics of the host?",
    "Has the alert stopped?",
    "Have the backups run?",
    "Can checkout reach redis?",
    "Payments time out since 09:10. Which customers are affected?",
    "CheckoutDown fires: is postgres up?",
    'Show the lines with "caused by"',
    "Which alerts were triggered?",
    "Print the last 5 lines of api",
    "Are there pods that crash",
    "Maximum of queue_depth",
]


@pytest.mark.parametrize("question", CAUSE)
def test_a_question_for_a_reason(question: str) -> None:
    assert intent_of(question) == context_pb2.INTENT_CAUSE


@pytest.mark.parametrize("question", LOOKUP)
def test_a_question_for_a_fact(question: str) -> None:
    assert intent_of(question) == context_pb2.INTENT_LOOKUP


@pytest.mark.parametrize("folder", ["incidents", "cases", "metric-cases"])
def test_every_recorded_question_asks_for_a_cause(shared: Path, folder: str) -> None:
    asked = sorted((shared / folder).glob("*/bundle/question.txt"))
    assert asked
    assert [path.parts[-3] for path in asked if intent_of(path.read_text()) != context_pb2.INTENT_CAUSE] == []
