"""Policies: who is let in and out is what the code needs, no more and no less."""

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from checks.k8s.code import CLIENTS, callers, table_problems
from checks.k8s.manifests import Document, selects
from services.common.processes import AGENTS
from tests.fakes.manifests import KNOWN, Break, Manifests, removed

COMPOSER: Final[Document] = {"podSelector": {"matchLabels": {"app.kubernetes.io/name": "assay-composer"}}}


@pytest.fixture
def manifests(project: Path) -> Manifests:
    return Manifests(project / "k8s" / "base")


def another_caller(manifests: Manifests) -> None:
    manifests.policy("planner")["ingress"][0]["from"].append(COMPOSER)


def no_caller(manifests: Manifests) -> None:
    del manifests.policy("gatekeeper")["ingress"]


def no_callee(manifests: Manifests) -> None:
    del manifests.policy("orchestrator")["egress"][0]


def any_caller(manifests: Manifests) -> None:
    del manifests.policy("composer")["ingress"][0]["from"]


def any_way_out(manifests: Manifests) -> None:
    manifests.policy("verifier")["egress"] = [{"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}]


def way_out(service: str, purpose: str) -> Break:
    def change(manifests: Manifests) -> None:
        manifests.get("NetworkPolicy", f"assay-{service}")["metadata"]["labels"] = {"assay/egress": purpose}
        manifests.policy(service)["egress"] = [
            {"to": [{"ipBlock": {"cidr": "192.0.2.0/24"}}], "ports": [{"port": 443}]}
        ]

    return change


def denial_elsewhere(manifests: Manifests) -> None:
    manifests.get("NetworkPolicy", "deny-all")["metadata"]["namespace"] = "elsewhere"


def asks_model(manifests: Manifests) -> None:
    manifests.variable("verifier", "ASSAY_VERIFIER_REASONER", "openai")
    manifests.variable("verifier", "ASSAY_VERIFIER_MODEL_NAME", "some")
    manifests.variable("verifier", "ASSAY_VERIFIER_MODEL_BASE_URL", "http://models.example.com:8000/v1")


def sends_spans(manifests: Manifests) -> None:
    manifests.variable("verifier", "ASSAY_VERIFIER_OTLP_ENDPOINT", "https://collector.telemetry.svc:4317")


def serves_metrics(manifests: Manifests) -> None:
    manifests.variable("verifier", "ASSAY_VERIFIER_METRICS_LISTEN", "[::]:9464")


def scraped_elsewhere(manifests: Manifests) -> None:
    manifests.get("NetworkPolicy", "assay-planner")["metadata"]["labels"] = {"assay/ingress": "metrics"}
    peer = {"namespaceSelector": {"matchLabels": {"a": "b"}}, "podSelector": {"matchLabels": {"a": "b"}}}
    manifests.policy("planner")["ingress"].append({"from": [peer], "ports": [{"port": 50051}]})


# What is broken, how, and what is then said.
BREAKS: Final[dict[str, tuple[Break, str]]] = {
    "a caller too many": (another_caller, "planner: ingress from composer:50051 is allowed"),
    "no caller": (no_caller, "gatekeeper: ingress from orchestrator:50051 is needed"),
    "no callee": (no_callee, "orchestrator: egress to planner:50051 is needed"),
    "any caller": (any_caller, "composer: ingress from anything (assay-composer):50051 is allowed"),
    "any way out": (any_way_out, "verifier: egress to anything (assay-verifier):0 is allowed"),
    "the model": (way_out("gatekeeper", "model"), "gatekeeper: egress to model:443 is allowed"),
    "sources": (way_out("composer", "sources"), "composer: egress to sources:443 is allowed"),
    "no known purpose": (way_out("executor", "fun"), "executor: egress to fun:443 is allowed"),
    "no names": (way_out("executor", "sources"), "executor: egress to DNS:53 is needed"),
    "no way to the model": (asks_model, "verifier: asks a model on port 8000, and no policy lets it out"),
    "no way to the collector": (sends_spans, "verifier: sends spans to port 4317, and no policy lets it out"),
    "no way to the metrics": (serves_metrics, "verifier: serves metrics on port 9464, and no policy lets"),
    "a scraper of another port": (scraped_elsewhere, "planner: ingress from metrics:50051 is allowed"),
    "no denial": (removed("NetworkPolicy", "deny-all"), "no NetworkPolicy denies everything"),
    "a denial elsewhere": (denial_elsewhere, "NetworkPolicy deny-all: lies in namespace 'elsewhere'"),
}


def test_the_base_agrees_with_the_code(manifests: Manifests) -> None:
    assert manifests.problems() == []


@pytest.mark.parametrize("what", BREAKS)
def test_what_is_broken_is_told(manifests: Manifests, what: str) -> None:
    change, said = BREAKS[what]
    change(manifests)
    told = manifests.problems()
    assert any(said in problem for problem in told), told


def test_the_addresses_and_the_table_of_callers_tell_one_call_graph() -> None:
    assert table_problems(KNOWN) == []
    assert {callers(agent, KNOWN) for agent in AGENTS} == {frozenset({"orchestrator"})}
    assert callers("orchestrator", KNOWN) == {CLIENTS}


def test_an_address_without_a_row_in_the_table_is_told() -> None:
    calling = replace(KNOWN["composer"], callees=frozenset({"planner"}))
    (told,) = table_problems({**KNOWN, "composer": calling})
    assert told.startswith(
        "planner: its callers are ['composer', 'orchestrator'] by addresses, ['orchestrator']"
    )


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [
        ({"key": "a", "operator": "In", "values": ["1", "2"]}, True),
        ({"key": "a", "operator": "NotIn", "values": ["1"]}, False),
        ({"key": "a", "operator": "Exists"}, True),
        ({"key": "a", "operator": "DoesNotExist"}, False),
    ],
)
def test_selectors_mean_what_they_mean_in_a_cluster(expression: Document, chosen: bool) -> None:
    assert selects({"matchExpressions": [expression]}, {"a": "1"}) is chosen
    assert selects({}, {"a": "1"})
    assert not selects(None, {"a": "1"})


def test_an_unknown_operator_is_no_silent_match() -> None:
    with pytest.raises(ValueError, match="Near"):
        selects({"matchExpressions": [{"key": "a", "operator": "Near"}]}, {})
