"""A system of invented names as its documents show it, for questions to be held against."""

from assay.common.v1 import tool_pb2

from services.common.evidence import strict_json
from services.common.evidence.strict_json import Json
from services.executor.analyst.lookup.asked import Lookup
from services.executor.analyst.lookup.known import Known
from services.executor.analyst.lookup.question import parse
from services.executor.analyst.lookup.resolve import resolve
from services.executor.analyst.reading.material import Material
from services.executor.recorded import RecordedCall

DAY = "2026-03-04"


def _log(source: str, owner: str, requests: int = 0) -> Json:
    ends: dict[str, Json] = {
        side: {"n": "1", "time": f"{DAY}T{time}Z", "text": "x"}
        for side, time in (("first", "10:00:00"), ("last", "10:30:00"))
    }
    return {"source": source, "owner": owner, "requests": str(requests), **ends}


def _object(kind: str, name: str, stem: str, status: str = "", node: str = "") -> Json:
    stated = {"status": status, "node": node}
    excerpts: dict[str, Json] = {
        role: {"source": "k", "n": "1", "text": text} for role, text in stated.items() if text
    }
    return {
        "kind": kind,
        "namespace": "mall",
        "name": name,
        "about": [name, stem],
        "excerpts": excerpts,
        "counts": {},
    }


def _series(name: str, owner: str, labels: str = "") -> Json:
    ends: dict[str, Json] = {"first_at": f"{DAY}T10:00:00Z", "last_at": f"{DAY}T10:30:00Z"}
    return {"source": f"m/{name}.json", "owner": owner, "name": name, "query": name, "labels": labels, **ends}


DOCUMENTS: tuple[tuple[str, dict[str, Json]], ...] = (
    (
        "topology_get",
        {
            "source": "topology.json",
            "services": [
                {"value": {"name": "basket", "kind": "go service", "logs": ["logs/basket.log"]}},
                {"value": {"name": "gate", "kind": "edge proxy", "logs": ["logs/gate-access.log"]}},
                {"value": {"name": "ledger", "kind": "PostgreSQL 16", "logs": ["logs/ledger.log"]}},
            ],
            "calls": [
                {"value": {"from": "gate", "to": "basket"}},
                {"value": {"from": "basket", "to": "ledger"}},
            ],
        },
    ),
    (
        "alerts_list",
        {
            "source": "alerts.json",
            "elements": [
                {
                    "value": {
                        "labels": {"alertname": "BasketSlow", "service": "basket"},
                        "state": "firing",
                        "activeAt": f"{DAY}T10:10:00Z",
                    }
                }
            ],
        },
    ),
    (
        "change_events_list",
        {
            "source": "events.json",
            "elements": [
                {
                    "value": {
                        "time": f"{DAY}T10:05:00Z",
                        "type": "deploy",
                        "service": "basket",
                        "summary": "basket 1 -> 2",
                    }
                }
            ],
        },
    ),
    (
        "logs_count",
        {
            "logs": [
                _log("logs/basket.log", "basket"),
                _log("logs/gate-access.log", "gate", 90),
                _log("logs/ledger.log", "ledger"),
            ]
        },
    ),
    (
        "kubernetes_inventory",
        {
            "listed": [
                _object("Pod", "basket-7c9d8b6f5d-x2kqz", "basket-app", "Running", "worker-1/10.0.0.7"),
                _object("Pod", "mailer-0", "mailer", "CrashLoopBackOff", "worker-2"),
                _object("Deployment", "basket-app", "basket-app"),
            ]
        },
    ),
    (
        "metrics_summary",
        {
            "series": [
                _series("ledger_open_connections", "ledger"),
                _series("queue_depth", "", '{queue="mail"}'),
                _series("errors", "basket"),
            ]
        },
    ),
)


def known(*without: str) -> Known:
    """Return what exists, but for the documents of some tools."""
    calls = [
        RecordedCall(
            f"call-{tool}",
            tool,
            {},
            tool_pb2.INVOCATION_STATUS_OK,
            strict_json.loads(strict_json.dumps(document)),
        )
        for tool, document in DOCUMENTS
        if tool not in without
    ]
    return Known(Material(calls))


def understood(question: str, *without: str) -> Lookup:
    """Return what a question asks for; raises Refused."""
    return resolve(parse(question), known(*without))
