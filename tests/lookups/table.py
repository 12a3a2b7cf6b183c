"""Questions for facts, each with what a right answer says, computed from the bundle's own files.

`said` are texts that the answer must hold, the first of them in its first sentence; without them the
question must be refused.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.lookups import counting as count

Said = Callable[[Path], Sequence[str]]
OUTAGE, QUIET = "pg-connection-exhaustion", "healthy-false-alarm"
ACCESS = "logs/nginx-access.log"


@dataclass(frozen=True)
class Row:
    """A question on a bundle."""

    bundle: str
    question: str
    said: Said | None = None


def _failed(status: int) -> bool:
    return status >= 500


def _ends(texts: Sequence[str]) -> list[str]:
    return [texts[0], texts[-1]]


def _answered(bundle: Path, fits: Callable[[int], bool]) -> list[str]:
    times = count.answered(bundle, ACCESS, fits)
    whole = len(count.requests(bundle, ACCESS))
    return [f"nginx answered {len(times)} of {whole} requests", *map(count.shown, times[:1])]


def _within(start: str, end: str, fits: Callable[[int], bool]) -> Said:
    def said(bundle: Path) -> list[str]:
        times = count.answered(bundle, ACCESS, fits)
        every = count.answered(bundle, ACCESS, lambda _: True)
        found, of = count.between(times, start, end), count.between(every, start, end)
        return [f"nginx answered {found} of {of} requests"]

    return said


def _lines(name: str, text: str) -> Said:
    return lambda bundle: [f'{len(count.holding(bundle, name, text))} lines of {name} hold "{text}"']


def _alert_names(bundle: Path) -> list[str]:
    names = [alert["labels"]["alertname"] for alert in count.alerts(bundle)]
    return [f"{len(names)} alert", *names]


def _changes(bundle: Path) -> list[str]:
    events = count.loaded(bundle, "events.json")
    return [f"{len(events)} change", *(event["summary"] for event in events)]


def _greatest(bundle: Path) -> list[str]:
    samples = count.samples(bundle, "pg_connections_by_app", application_name="checkout", state="idle")
    value = max(value for _, value in samples)
    return [f"{value:g}", count.moment(next(time for time, each in samples if each == value))]


def _exceeded(bundle: Path) -> list[str]:
    samples = count.samples(bundle, "pg_connections_by_app", application_name="checkout", state="idle")
    return [count.moment(next(time for time, value in samples if value > 70))]


STATUS, CLIENT, METHOD = r'" (\d{3}) ', r"^(\S+) ", r'"([A-Z]+) '
CLIENT_OF_502, PATH_OF_504 = r'^(\S+) .*" 502 ', r'"[A-Z]+ (\S+) [^"]*" 504 '


def _by(pattern: str, word: str, *, first: int | None = None, total: bool = True) -> Said:
    def said(bundle: Path) -> list[str]:
        found = count.largest(count.stated(bundle, ACCESS, pattern))
        whole = len(count.requests(bundle, ACCESS))
        head = f"nginx answered {whole} requests" if total else f"of {whole} requests"
        told = [f"{number} {word} {text}" for text, number in found[:first]]
        return [head, f"{len(found)} different one", *told]

    return said


def _of_method(method: str, fits: Callable[[int], bool]) -> Said:
    def said(bundle: Path) -> list[str]:
        made = count.requests(bundle, ACCESS)
        found = sum(fits(status) and request.startswith(f"{method} ") for _, status, request in made)
        return [f"nginx answered {found} of {len(made)} requests"]

    return said


def _durations(bundle: Path) -> list[str]:
    return count.stated(bundle, ACCESS, r" rt=([\d.]+) ")


def _longer_than(seconds: float) -> Said:
    def said(bundle: Path) -> list[str]:
        found = sum(float(each) > seconds for each in _durations(bundle))
        whole = len(count.requests(bundle, ACCESS))
        return [f"nginx answered {found} of {whole} requests that took more than {seconds:g} seconds"]

    return said


def _slowest(bundle: Path) -> list[str]:
    longest = sorted(map(float, _durations(bundle)), reverse=True)[:3]
    return ["nginx answered", *(f"{each:g} seconds took {ACCESS}" for each in longest)]


def _per_minute(bundle: Path) -> list[str]:
    times = [f"{time:%Y-%m-%dT%H:%M}:00Z" for time in count.answered(bundle, ACCESS, _failed)]
    told = [f"{number} in the minute from {minute}" for minute, number in count.largest(times)]
    return [f"nginx answered {len(times)} of", *told]


def _mean(bundle: Path) -> list[str]:
    samples = count.samples(bundle, "pg_connections_by_app", application_name="checkout", state="idle")
    mean = sum(value for _, value in samples) / len(samples)
    return [f"has the mean {mean:.4g} over {len(samples)} samples"]


def _states(wanted: Callable[[str, str, int], bool]) -> Said:
    def said(bundle: Path) -> list[str]:
        rows = count.pod_rows(bundle)
        found = [name for name, facts in rows.items() if wanted(*facts)]
        return [f"Of {len(rows)} recorded pods, {len(found) or 'none'}", *found]

    return said


def _unready(ready: str, _status: str, _restarts: int) -> bool:
    return ready.split("/", maxsplit=1)[0] != ready.split("/")[1]


def _well(ready: str, status: str, _restarts: int) -> bool:
    return status == "Completed" or (status == "Running" and not _unready(ready, status, 0))


JOB, REPLICAS, OOM = (
    "investigate__07_job_syntax_error",
    "investigate__10_KubeDeploymentReplicasMismatch",
    ("investigate__01_oom_kill"),
)
OOM_POD = "analytics-exporter-fast-76897854c-cw5wh"

ON_INCIDENTS: Sequence[Row] = (
    Row(OUTAGE, "How many requests failed?", lambda bundle: _answered(bundle, _failed)),
    Row(
        QUIET,
        "How many requests failed?",
        lambda bundle: [f"nginx answered 0 of {len(count.requests(bundle, ACCESS))}"],
    ),
    Row(
        OUTAGE,
        "How many requests were there?",
        lambda bundle: [f"nginx answered {len(count.requests(bundle, ACCESS))} requests"],
    ),
    Row(
        OUTAGE,
        "How many 502 responses were there?",
        lambda bundle: _answered(bundle, lambda status: status == 502),
    ),
    Row(
        OUTAGE,
        "how many 504s did nginx answer",
        lambda bundle: _answered(bundle, lambda status: status == 504),
    ),
    Row(OUTAGE, "How many 5xx since 09:12?", _within("09:12:00", "24", _failed)),
    Row(OUTAGE, "Count the 5xx of nginx between 09:11 and 09:12.", _within("09:11:00", "09:12:00", _failed)),
    Row(OUTAGE, "How many requests failed before 09:11:30?", _within("00", "09:11:30", _failed)),
    Row(
        OUTAGE,
        "How many 404 did nginx answer?",
        lambda bundle: _answered(bundle, lambda status: status == 404),
    ),
    Row(
        OUTAGE,
        "When did the first 502 occur?",
        lambda bundle: [count.shown(count.answered(bundle, ACCESS, lambda s: s == 502)[0])],
    ),
    Row(
        OUTAGE,
        "When did nginx last answer 504?",
        lambda bundle: [count.shown(count.answered(bundle, ACCESS, lambda s: s == 504)[-1])],
    ),
    Row(
        OUTAGE,
        "How many requests to /api/checkout failed?",
        lambda b: [str(sum(s >= 500 and "/api/checkout" in r for _, s, r in count.requests(b, ACCESS)))],
    ),
    Row(
        OUTAGE,
        'How many "too many clients" lines in postgres?',
        _lines("logs/postgres.log", "too many clients"),
    ),
    Row(
        OUTAGE,
        'How often did checkout log "database connection failed"?',
        _lines("logs/checkout.log", "database connection failed"),
    ),
    Row(
        OUTAGE,
        'How many lines in logs/nginx-error.log say "upstream timed out"?',
        _lines("logs/nginx-error.log", "upstream timed out"),
    ),
    Row(
        OUTAGE,
        'How many lines hold "upstream timed out"?',
        lambda bundle: [f"{count.all_holding(bundle, 'upstream timed out')} lines of 7 logs"],
    ),
    Row(
        OUTAGE,
        "How many upstream timed out lines were there?",
        lambda bundle: [f"{count.all_holding(bundle, 'upstream timed out')} lines of 7 logs"],
    ),
    Row(OUTAGE, 'How many lines hold "no such text anywhere"?', lambda _: ["No line of 7 logs"]),
    Row(OUTAGE, "How many connection refused errors are there?"),
    Row(
        OUTAGE,
        "How many lines are in redis.log?",
        lambda bundle: [f"{len(count.lines(bundle, 'logs/redis.log'))} lines of logs/redis.log"],
    ),
    Row(
        OUTAGE,
        "How many ERROR lines are in checkout?",
        lambda bundle: [
            f"{len(count.at_level(bundle, 'logs/checkout.log', 'ERROR'))} records of logs/checkout.log"
        ],
    ),
    Row(QUIET, "Were there any errors in checkout?", lambda _: ["No record of logs/checkout.log"]),
    Row(
        OUTAGE,
        "Was there any FATAL in postgres?",
        lambda bundle: [
            f"{len(count.holding(bundle, 'logs/postgres.log', ' FATAL:  '))} records of logs/postgres.log"
        ],
    ),
    Row(OUTAGE, "Are there any errors in notifier?", lambda _: ["No record of logs/notifier.log"]),
    Row(
        OUTAGE,
        'Since when does checkout log "database connection failed"?',
        lambda bundle: [
            next(
                r["ts"]
                for r in count.records(bundle, "logs/checkout.log")
                if r["msg"] == "database connection failed"
            )[:19]
        ],
    ),
    Row(
        OUTAGE,
        "Since when does checkout fail?",
        lambda bundle: [count.at_level(bundle, "logs/checkout.log", "ERROR")[0]["ts"][:19]],
    ),
    Row(
        OUTAGE,
        "Show the last 2 lines of redis.",
        lambda bundle: ["48 lines of logs/redis.log", *count.lines(bundle, "logs/redis.log")[-2:]],
    ),
    Row(
        OUTAGE,
        'Show the lines with "starting PostgreSQL".',
        lambda bundle: [
            "1 line of 7 logs",
            *count.holding(bundle, "logs/postgres.log", "starting PostgreSQL"),
        ],
    ),
    Row(OUTAGE, "Was there any OOM kill?", lambda _: ["No line of 7 logs"]),
    Row(
        OUTAGE,
        "Which logs are there?",
        lambda bundle: [f"{count.all_holding(bundle, '')} lines of 7 logs"],
    ),
    Row(OUTAGE, "Which alerts fire?", _alert_names),
    Row(QUIET, "List the alerts.", _alert_names),
    Row(OUTAGE, "How many alerts are firing?", _alert_names),
    Row(
        OUTAGE,
        "Are there any alerts for postgres?",
        lambda _: ["1 alert of service postgres", "PostgresConnectionsNearLimit"],
    ),
    Row(OUTAGE, "Was there any alert for redis?", lambda _: ["No alert of service redis"]),
    Row(
        OUTAGE,
        "Since when does HighErrorRate fire?",
        lambda bundle: [
            next(a["activeAt"] for a in count.alerts(bundle) if a["labels"]["alertname"] == "HighErrorRate")[
                :19
            ]
        ],
    ),
    Row(OUTAGE, "How many alerts fired before 09:11?", lambda _: ["1 alert", "PostgresConnectionsNearLimit"]),
    Row(OUTAGE, "What changed?", _changes),
    Row(OUTAGE, "List the changes since 09:08.", lambda _: ["1 change", "revision 42"]),
    Row(OUTAGE, "What changed at 09:10?", lambda _: ["No change"]),
    Row(
        OUTAGE,
        "When was the last deploy?",
        lambda bundle: [f"{count.loaded(bundle, 'events.json')[0]['time'][:19]}Z"],
    ),
    Row(OUTAGE, "How many changes were made to checkout?", lambda _: ["1 change of service checkout"]),
    Row(OUTAGE, "Was there any deployment since 09:10?", lambda _: ["No change of type deploy"]),
    Row(
        OUTAGE,
        "Which services are there?",
        lambda b: ["6 services", *(s["name"] for s in count.loaded(b, "topology.json")["services"])],
    ),
    Row(
        OUTAGE,
        "What does checkout call?",
        lambda bundle: [
            f"{len(count.called_by(bundle, 'checkout'))} calls from checkout",
            *count.called_by(bundle, "checkout"),
        ],
    ),
    Row(
        OUTAGE,
        "Who calls inventory?",
        lambda bundle: [
            f"{len(count.callers_of(bundle, 'inventory'))} calls to inventory",
            *count.callers_of(bundle, "inventory"),
        ],
    ),
    Row(OUTAGE, "Does redis call checkout?", lambda _: ["no call goes from redis to checkout"]),
    Row(OUTAGE, "What was the maximum of pg_connections_by_app?", _greatest),
    Row(OUTAGE, "When did pg_connections_by_app exceed 70?", _exceeded),
    Row(
        OUTAGE,
        "What was pg_max_connections at 09:10?",
        lambda bundle: [f"was {count.samples(bundle, 'pg_max_connections')[0][1]:g} at 2026-11-30T09:10:00Z"],
    ),
    Row(
        OUTAGE,
        "When did pg_lock_waiters exceed 5?",
        lambda bundle: [f"no sample of {len(count.samples(bundle, 'pg_lock_waiters'))}"],
    ),
    Row(
        OUTAGE,
        "How much memory does redis use?",
        lambda bundle: [f"was last {count.samples(bundle, 'redis_memory_used')[-1][1]:.0f}"],
    ),
    Row(OUTAGE, "How many pods run?"),
    Row(OUTAGE, "Is the moon made of cheese?"),
    Row(OUTAGE, "How many customers were affected?"),
    Row(OUTAGE, "How many errors did customers of Paris see?"),
    Row(OUTAGE, "How many requests took longer than 2 seconds?", _longer_than(2)),
    Row(OUTAGE, "requests over 5s?", _longer_than(5)),
    Row(OUTAGE, "top 3 slowest requests", _slowest),
    Row(OUTAGE, "status codes?", _by(STATUS, "with")),
    Row(OUTAGE, "how many requests per status code", _by(STATUS, "with")),
    Row(OUTAGE, "how many unique clients are there", _by(CLIENT, "from")),
    Row(OUTAGE, "which clients got 502s", _by(CLIENT_OF_502, "from", total=False)),
    Row(OUTAGE, "top 1 endpoints by 504", _by(PATH_OF_504, "to", first=1, total=False)),
    Row(OUTAGE, "which http methods were there", _by(METHOD, "by")),
    Row(OUTAGE, "How many GET requests failed?", _of_method("GET", _failed)),
    Row(OUTAGE, "how many POST requests were there", _of_method("POST", lambda _: True)),
    Row(OUTAGE, "5xx of nginx per minute", _per_minute),
    Row(OUTAGE, "what percentage of requests failed", lambda bundle: _answered(bundle, _failed)),
    Row(
        OUTAGE,
        "errors per service",
        lambda bundle: [
            "by their level or status",
            f"{len(count.at_level(bundle, 'logs/checkout.log', 'ERROR'))} in logs/checkout.log",
        ],
    ),
    Row(
        OUTAGE,
        "whats the most common error",
        lambda bundle: [
            "report a failure",
            f"{len(count.holding(bundle, 'logs/postgres.log', 'FATAL:  sorry, too many clients'))} like",
        ],
    ),
    Row(OUTAGE, "average of pg_connections_by_app", _mean),
    Row(OUTAGE, "what is the status of checkout"),
    Row(OUTAGE, "how many requests with status != 200"),
    Row(OUTAGE, "how many requests with status >= 500"),
    Row(OUTAGE, "how many seconds did checkout fail"),
    Row(OUTAGE, "how many requests to / failed"),
    Row(OUTAGE, "how many requests per second"),
    Row(OUTAGE, "how many requests failed in the last 2 minutes"),
    Row(OUTAGE, "How many requests failed yesterday?"),
    Row(OUTAGE, "How many of the last requests failed?"),
    Row(OUTAGE, "Who deployed checkout?"),
    Row(OUTAGE, "How many errors or deployments were there?"),
    Row(OUTAGE, "How many errors in checkout that are not timeouts?"),
    Row(OUTAGE, "How many requests failed at 23:59?"),
    Row(OUTAGE, "What was the last line of redis?", lambda b: [count.lines(b, "logs/redis.log")[-1]]),
    Row(OUTAGE, "How many errors were there on 2026-11-29?"),
)

ON_CASES: Sequence[Row] = (
    Row(JOB, "How many pods run?", _states(lambda _, status, __: status == "Running")),
    Row(JOB, "Which pods are not running?", _states(lambda _, status, __: status != "Running")),
    Row(JOB, "How many pods are not ready?", _states(_unready)),
    Row(
        JOB,
        "Which pods are in ImagePullBackOff?",
        _states(lambda _, status, __: status == "ImagePullBackOff"),
    ),
    Row(JOB, "Which pods restarted?", _states(lambda _, __, restarts: restarts > 0)),
    Row(JOB, "How many jobs are there?", lambda _: ["1 job is recorded", "product-data-scraper"]),
    Row(JOB, "Which node is product-data-scraper-2s4j2 on?", lambda _: ["kind-double-node-worker"]),
    Row(JOB, "What image does product-data-scraper-2s4j2 run?", lambda _: ["has the image bash"]),
    Row(JOB, "How many nodes are there?"),
    Row(JOB, "How many pods are healthy?", _states(_well)),
    Row(
        REPLICAS,
        "List the pods.",
        lambda bundle: [f"{len(count.pod_rows(bundle))} pods are recorded", *count.pod_rows(bundle)],
    ),
    Row(REPLICAS, "How many pods are pending?", _states(lambda _, status, __: status == "Pending")),
    Row(OOM, "Was there any OOM kill?", lambda _: ["ended as OOMKilled", OOM_POD]),
    Row(OOM, f"How many restarts has {OOM_POD}?", lambda bundle: [_restart_count(bundle)]),
    Row(OOM, "Which alerts fire?"),
)


def _restart_count(bundle: Path) -> str:
    (line,) = count.holding(bundle, "kubernetes/kubectl_describe.txt", "Restart Count:")
    return f"{line.split()[-1]} in all"
