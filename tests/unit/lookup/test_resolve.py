"""What each question asks for, as data; what is not wholly understood is refused."""

from dataclasses import replace

import pytest

from services.executor.analyst.lookup.asked import Ask, Lookup, Refused, Span, What
from services.executor.analyst.lookup.vocabulary import OOM_SIGNS
from tests.unit.lookup.world import DAY, understood

LINES, REQUESTS, ALERTS, CHANGES = What.LINES, What.REQUESTS, What.ALERTS, What.CHANGES
OBJECTS, METRIC = What.OBJECTS, What.METRIC
TEN, FIVE_PAST, QUARTER = f"{DAY}T10:00:00Z", f"{DAY}T10:05:00Z", f"{DAY}T10:15:00Z"

UNDERSTOOD: list[tuple[str, Lookup]] = [
    ("How many errors in basket?", Lookup(LINES, Ask.COUNT, components=("basket",), severities=("failure",))),
    (
        "how many errors did the database log",
        Lookup(LINES, Ask.COUNT, components=("ledger",), severities=("failure",)),
    ),
    ("Are there any warnings?", Lookup(LINES, Ask.LIST, severities=("warning",))),
    (
        "List the errors and warnings of gate.",
        Lookup(LINES, Ask.LIST, components=("gate",), severities=("failure", "warning")),
    ),
    ("Was there any FATAL in ledger?", Lookup(LINES, Ask.ANY, components=("ledger",), levels=("FATAL",))),
    (
        "how many panics in logs/ledger.log",
        Lookup(LINES, Ask.COUNT, sources=("logs/ledger.log",), levels=("PANIC",)),
    ),
    (
        "Are there ERROR lines in ledger.log?",
        Lookup(LINES, Ask.ANY, sources=("logs/ledger.log",), levels=("ERROR",)),
    ),
    (
        'How often did basket log "lost it"?',
        Lookup(LINES, Ask.COUNT, components=("basket",), literals=("lost it",)),
    ),
    ("How many lines hold “no way”?", Lookup(LINES, Ask.COUNT, literals=("no way",))),
    (
        "How many lost connection lines are there?",
        Lookup(LINES, Ask.COUNT, literals=("lost connection",), is_phrase=True),
    ),
    (
        "How many lines say timed out in basket?",
        Lookup(LINES, Ask.COUNT, components=("basket",), literals=("timed out",), is_phrase=True),
    ),
    (
        "Since when does basket fail?",
        Lookup(LINES, Ask.FIRST, components=("basket",), severities=("failure",)),
    ),
    (
        'When did basket first log "lost"?',
        Lookup(LINES, Ask.FIRST, components=("basket",), literals=("lost",)),
    ),
    (
        'When did ledger last say "x"?',
        Lookup(LINES, Ask.LAST, components=("ledger",), literals=("x",), from_end=True),
    ),
    (
        "Show the last 5 lines of basket",
        Lookup(LINES, Ask.LIST, components=("basket",), limit=5, from_end=True),
    ),
    (
        "What is the latest error of ledger?",
        Lookup(LINES, Ask.LAST, components=("ledger",), severities=("failure",), from_end=True),
    ),
    (
        "When did basket start failing?",
        Lookup(LINES, Ask.FIRST, components=("basket",), severities=("failure",)),
    ),
    ("show the first 2 errors", Lookup(LINES, Ask.LIST, severities=("failure",), limit=2)),
    ("How many errors since 10:05?", Lookup(LINES, Ask.COUNT, Span(FIVE_PAST), severities=("failure",))),
    (
        "How many errors between 10:05 and 10:15?",
        Lookup(LINES, Ask.COUNT, Span(FIVE_PAST, QUARTER), severities=("failure",)),
    ),
    (
        "How many errors from 10:05 until 10:15?",
        Lookup(LINES, Ask.COUNT, Span(FIVE_PAST, QUARTER), severities=("failure",)),
    ),
    (
        f"How many errors before {QUARTER}?",
        Lookup(LINES, Ask.COUNT, Span("", QUARTER), severities=("failure",)),
    ),
    (
        "How many errors at 10:05?",
        Lookup(LINES, Ask.COUNT, Span(FIVE_PAST, f"{DAY}T10:06:00Z"), FIVE_PAST, severities=("failure",)),
    ),
    ("How many requests failed?", Lookup(REQUESTS, Ask.COUNT, outcomes=("5xx",))),
    ("How many requests were there?", Lookup(REQUESTS, Ask.COUNT)),
    ("how many 502s did gate answer", Lookup(REQUESTS, Ask.COUNT, components=("gate",), outcomes=("502",))),
    ("How many 502 and 504 responses?", Lookup(REQUESTS, Ask.COUNT, outcomes=("502", "504"))),
    ("When did the first 4xx occur?", Lookup(REQUESTS, Ask.FIRST, outcomes=("4xx",))),
    (
        "How many POST requests to /api/pay failed?",
        Lookup(REQUESTS, Ask.COUNT, outcomes=("5xx",), methods=("POST",), paths=("/api/pay",)),
    ),
    ("How many GET requests were there?", Lookup(REQUESTS, Ask.COUNT, methods=("GET",))),
    ("how many get requests failed", Lookup(REQUESTS, Ask.COUNT, methods=("GET",), outcomes=("5xx",))),
    ("how many requests did gate get", Lookup(REQUESTS, Ask.COUNT, components=("gate",))),
    ("How many errors per client?", Lookup(REQUESTS, Ask.COUNT, outcomes=("5xx",), group="client")),
    (
        "how many requests from 10.0.0.7 failed",
        Lookup(REQUESTS, Ask.COUNT, clients=("10.0.0.7",), outcomes=("5xx",)),
    ),
    ("slowest 5 requests to /pay", Lookup(REQUESTS, Ask.LIST, paths=("/pay",), limit=5, slowest=True)),
    ('grep "no way"', Lookup(LINES, Ask.LIST, literals=("no way",))),
    ('How often does "no way" show up?', Lookup(LINES, Ask.COUNT, literals=("no way",))),
    ("How many services call ledger?", Lookup(What.CALLS, Ask.COUNT, components=("ledger",), callers=True)),
    ("How many requests failed with 502 or 504?", Lookup(REQUESTS, Ask.COUNT, outcomes=("502", "504"))),
    (
        "How many errors 10:05-10:15?",
        Lookup(LINES, Ask.COUNT, Span(FIVE_PAST, QUARTER), severities=("failure",)),
    ),
    ("How many log files are there?", Lookup(LINES, Ask.COUNT)),
    ("How many POSTs?", Lookup(REQUESTS, Ask.COUNT, methods=("POST",))),
    ("how many reqs returned 502", Lookup(REQUESTS, Ask.COUNT, outcomes=("502",))),
    ("What percentage of requests failed?", Lookup(REQUESTS, Ask.COUNT, outcomes=("5xx",))),
    ("Show the last 3 requests.", Lookup(REQUESTS, Ask.LIST, limit=3, from_end=True)),
    ("How many requests took longer than 2 seconds?", Lookup(REQUESTS, Ask.COUNT, slower=2.0)),
    ("requests over 500ms of gate", Lookup(REQUESTS, Ask.LIST, components=("gate",), slower=0.5)),
    ("top 3 slowest requests", Lookup(REQUESTS, Ask.LIST, limit=3, slowest=True)),
    ("Which request took the longest?", Lookup(REQUESTS, Ask.LIST, slowest=True)),
    ("Which status codes were there?", Lookup(REQUESTS, Ask.COUNT, group="status")),
    ("status codes?", Lookup(REQUESTS, Ask.COUNT, group="status")),
    (
        "5xx per path since 10:05",
        Lookup(REQUESTS, Ask.COUNT, Span(FIVE_PAST), outcomes=("5xx",), group="path"),
    ),
    ("How many unique client IPs are there?", Lookup(REQUESTS, Ask.COUNT, group="client")),
    ("which clients got a 502", Lookup(REQUESTS, Ask.COUNT, outcomes=("502",), group="client")),
    ("top 3 endpoints by 5xx", Lookup(REQUESTS, Ask.COUNT, outcomes=("5xx",), group="path", limit=3)),
    (
        "In which minute were the most 5xx?",
        Lookup(REQUESTS, Ask.COUNT, outcomes=("5xx",), group="minute", most=True),
    ),
    (
        "in what hour did most errors occur",
        Lookup(LINES, Ask.COUNT, severities=("failure",), group="hour", most=True),
    ),
    (
        "errors per minute in basket",
        Lookup(LINES, Ask.COUNT, components=("basket",), severities=("failure",), group="minute"),
    ),
    ("How many errors per service?", Lookup(LINES, Ask.COUNT, severities=("failure",), by_log=True)),
    ("What is the most common error?", Lookup(LINES, Ask.COUNT, severities=("failure",), group="message")),
    ("top 5 warnings", Lookup(LINES, Ask.COUNT, severities=("warning",), group="message", limit=5)),
    ("How many lines at level warn?", Lookup(LINES, Ask.COUNT, levels=("WARN",))),
    ("Which alerts fire?", Lookup(ALERTS, Ask.LIST, states=("firing",))),
    ("How many alerts for basket?", Lookup(ALERTS, Ask.COUNT, components=("basket",))),
    (
        "Since when does BasketSlow fire?",
        Lookup(ALERTS, Ask.FIRST, names=("BasketSlow",), states=("firing",)),
    ),
    (
        "Which alerts were firing at 10:15?",
        Lookup(ALERTS, Ask.LIST, Span("", f"{DAY}T10:16:00Z"), QUARTER, states=("firing",)),
    ),
    ("What changed since 10:05?", Lookup(CHANGES, Ask.LIST, Span(FIVE_PAST))),
    (
        "When was the last deploy of basket?",
        Lookup(
            CHANGES, Ask.LAST, components=("basket",), types=("deploy", "release", "rollout"), from_end=True
        ),
    ),
    ("Was there any config change?", Lookup(CHANGES, Ask.ANY, types=("config",))),
    ("Which services are there?", Lookup(What.COMPONENTS, Ask.LIST)),
    ("How many components are there?", Lookup(What.COMPONENTS, Ask.COUNT)),
    ("What does gate call?", Lookup(What.CALLS, Ask.LIST, components=("gate",))),
    ("Who calls basket?", Lookup(What.CALLS, Ask.LIST, components=("basket",), callers=True)),
    (
        "Which services depend on the database?",
        Lookup(What.CALLS, Ask.LIST, components=("ledger",), callers=True),
    ),
    ("How many pods run?", Lookup(OBJECTS, Ask.COUNT, kind="Pod", states=("running",))),
    ("Which pods are not running?", Lookup(OBJECTS, Ask.LIST, kind="Pod", states=("not running",))),
    ("How many pods aren't ready?", Lookup(OBJECTS, Ask.COUNT, kind="Pod", states=("not ready",))),
    ("Which pods are on node worker-1?", Lookup(OBJECTS, Ask.LIST, kind="Pod", node="worker-1")),
    ("List the pods in namespace mall.", Lookup(OBJECTS, Ask.LIST, kind="Pod", namespaces=("mall",))),
    (
        "What image does mailer-0 run?",
        Lookup(OBJECTS, Ask.LIST, kind="Pod", names=("mailer-0",), fact="image"),
    ),
    ("Which node is mailer-0 on?", Lookup(OBJECTS, Ask.LIST, kind="Pod", names=("mailer-0",), fact="node")),
    (
        "How many restarts has mailer-0?",
        Lookup(OBJECTS, Ask.COUNT, kind="Pod", names=("mailer-0",), fact="restarts"),
    ),
    (
        "How many replicas has basket-app?",
        Lookup(OBJECTS, Ask.COUNT, kind="Deployment", names=("basket-app",), fact="replicas"),
    ),
    ("Which deployments are there?", Lookup(OBJECTS, Ask.LIST, kind="Deployment")),
    ("Was there any OOM kill?", Lookup(OBJECTS, Ask.ANY, kind="Pod", states=("OOMKilled",))),
    ("Show the events of mailer-0.", Lookup(What.EVENTS, Ask.LIST, names=("mailer-0",))),
    ("What was the maximum of queue_depth?", Lookup(METRIC, Ask.MAX, names=("queue_depth",))),
    ("what was the lowest queue depth", Lookup(METRIC, Ask.MIN, names=("queue_depth",))),
    (
        "What was queue_depth at 10:05?",
        Lookup(METRIC, Ask.VALUE, Span(FIVE_PAST, f"{DAY}T10:06:00Z"), FIVE_PAST, names=("queue_depth",)),
    ),
    ("what was the average queue_depth", Lookup(METRIC, Ask.MEAN, names=("queue_depth",))),
    ("max of open connections", Lookup(METRIC, Ask.MAX, names=("ledger_open_connections",))),
    (
        "When did queue_depth first go above 7 seconds?",
        Lookup(METRIC, Ask.FIRST, names=("queue_depth",), above=7.0),
    ),
    ("Which metrics are there?", Lookup(METRIC, Ask.LIST)),
    ("When did queue_depth exceed 7.5?", Lookup(METRIC, Ask.WHEN, names=("queue_depth",), above=7.5)),
    ("Since when is queue_depth below 2?", Lookup(METRIC, Ask.FIRST, names=("queue_depth",), below=2.0)),
]

# Each is asked again with one word more.
ONE_MORE = (
    "How many errors in basket?",
    "How many requests failed?",
    "How many pods run?",
    "What changed since 10:05?",
)

REFUSED = [
    "Is the moon made of cheese?",
    "How many customers were affected?",
    "How many errors in production?",
    "How many errors yesterday?",
    "How many errors in the last hour?",
    "How many errors around 10:05?",
    "How many errors in basket that are not timeouts?",
    "How many different errors?",
    "How many brand new errors?",
    "How many timeout errors?",
    "How many errors or deployments?",
    'How many errors or lines with "x"?',
    'How many lines with "x" and "y"?',
    "How many errors between 10:15 and 10:05?",
    "How many errors since 10:05 and since 10:10?",
    "How many errors at 23:59?",
    f"How many errors before {DAY}T09:00:00Z?",
    "How many errors since 2026-03-05?",
    "How many requests failed in the first minute?",
    "How many of the last requests failed?",
    "How many requests exceeded 500?",
    "How many requests to / failed?",
    "How many requests with a status != 200?",
    "How many responses with status <> 200?",
    "How many requests with status >= 500?",
    "How many requests ≥ 500?",
    "How many errors / warnings?",
    "How many seconds did basket fail?",
    "How many minutes did basket fail?",
    "How many requests from gate to basket failed?",
    "What is the status of basket?",
    "What was the total time of the requests?",
    "How many requests exceeded 5?",
    "When did queue_depth exceed 500 ms?",
    "What is the last 502 per client?",
    "Which path is slowest?",
    "How many requests per second?",
    "What is the mean of the maximum of queue_depth?",
    "Is there any metric above 1000?",
    "How many unique users?",
    "How many requests had status 200 or failed?",
    "How many errors and 404s?",
    "status codes per path",
    "How many errors 10:15-10:05?",
    "How many errors at 10:05 to 10:10?",
    "How many requests failed and how many errors were there?",
    "What was the maximum of connections?",
    "Who deployed basket?",
    "Which pods were running at 10:05?",
    "How many of the 200 pods run?",
    "How many pods and deployments are there?",
    "What was the maximum of something?",
    "When did queue_depth exceed 80%?",
    "When was queue_depth?",
    "How many services at 10:05?",
    "What does gate and basket call?",
    "How many logins?",
    "x" * 2000,
    "",
]


@pytest.mark.parametrize(("question", "expected"), UNDERSTOOD, ids=[question for question, _ in UNDERSTOOD])
def test_what_is_asked_for(question: str, expected: Lookup) -> None:
    assert understood(question) == expected


@pytest.mark.parametrize("question", REFUSED)
def test_what_is_not_wholly_understood_is_refused(question: str) -> None:
    with pytest.raises(Refused):
        understood(question)


@pytest.mark.parametrize("word", ["purple", "per", "unique", "without", "except"])
@pytest.mark.parametrize(("question", "expected"), [each for each in UNDERSTOOD if each[0] in ONE_MORE])
def test_one_word_more_is_not_passed_over(question: str, expected: Lookup, word: str) -> None:
    assert understood(question) == expected
    with pytest.raises(Refused):
        understood(question.replace("?", f" {word}?"))


def test_without_a_cluster_what_ran_out_of_memory_is_looked_for_in_logs() -> None:
    found = understood("Was there any OOM kill?", "kubernetes_inventory")
    assert found == Lookup(LINES, Ask.ANY, literals=OOM_SIGNS, is_phrase=True)


def test_deployments_are_changes_where_a_time_or_no_cluster_tells_so() -> None:
    types = ("deploy", "release", "rollout")
    asked = "List the deployments."
    assert understood(asked).what is OBJECTS
    assert understood(asked, "kubernetes_inventory") == Lookup(CHANGES, Ask.LIST, types=types)
    assert understood("List the deployments since 10:00.") == Lookup(
        CHANGES, Ask.LIST, Span(TEN), types=types
    )


def test_a_metric_that_is_called_like_a_plain_word_is_not_meant_by_it() -> None:
    count = understood("How many errors in basket?")
    assert count.what is LINES
    assert replace(count, severities=()) == Lookup(LINES, Ask.COUNT, components=("basket",))


def test_a_time_of_day_needs_a_recorded_day() -> None:
    with pytest.raises(Refused, match="time of day"):
        understood(
            "How many errors since 10:05?",
            *("logs_count", "metrics_summary", "alerts_list", "change_events_list"),
        )
