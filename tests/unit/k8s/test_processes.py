"""Ports, names, probes, settings, and the time that an end may take: as the processes themselves say."""

from pathlib import Path
from typing import Final

import pytest

from checks.k8s.code import longest_calls
from orchestrator.settings import OrchestratorSettings
from services.common.processes import AGENTS
from services.common.settings import load
from tests.fakes.manifests import (
    Break,
    Manifests,
    in_container,
    in_pod,
    removed,
    variable,
)


@pytest.fixture
def manifests(project: Path) -> Manifests:
    return Manifests(project / "k8s" / "base")


def service(key: str, value: object) -> Break:
    def change(manifests: Manifests) -> None:
        manifests.get("Service", "assay-planner")["spec"][key] = value

    return change


def misnamed(manifests: Manifests) -> None:
    manifests.get("Deployment", "assay-planner")["metadata"]["name"] = "assay-planer"


def job(manifests: Manifests) -> None:
    manifests.add("{kind: Job, metadata: {name: some}}")


def asks(probe: str, for_what: str) -> Break:
    return in_container(probe, "grpc", "service", to=for_what)


# What is broken, how, and what is then said.
BREAKS: Final[dict[str, tuple[Break, str]]] = {
    "no such service": (misnamed, "no Deployment assay-planner"),
    "a kind that is not compared": (job, "Job some: only Deployments"),
    "another port of the service": (
        service("ports", [{"port": 80, "targetPort": "grpc"}]),
        "its Service has the port 80",
    ),
    "one address for all pods": (service("clusterIP", None), "its Service is not headless"),
    "pods of others": (
        service("selector", {"app.kubernetes.io/name": "assay-verifier"}),
        "its Service selects other pods",
    ),
    "no service": (removed("Service", "assay-verifier"), "verifier: has no Service"),
    "another container port": (
        in_container("ports", 0, "containerPort", to=50053),
        "the port grpc is 50053, and listen is",
    ),
    "another port to listen on": (variable("planner", "PLANNER_LISTEN", "[::]:50099"), "is [::]:50099"),
    "a server for itself": (variable("planner", "PLANNER_LISTEN", "127.0.0.1:50051"), "no other pod reaches"),
    "no health": (variable("planner", "PLANNER_HEALTH_LISTEN", ""), "health_listen is not set"),
    "metrics without a port": (
        variable("planner", "PLANNER_METRICS_LISTEN", "[::]:9464"),
        "the port metrics is None, and metrics_listen is [::]:9464",
    ),
    "another address": (
        variable("orchestrator", "ORCHESTRATOR_VERIFIER_ADDRESS", "assay-verifier:50051"),
        "verifier_address is assay-verifier:50051",
    ),
    "no readiness": (in_container("readinessProbe", to=None), "has no readinessProbe"),
    "liveness that asks for readiness": (
        asks("livenessProbe", "assay.planner.v1.PlannerService"),
        "livenessProbe: asks for 'assay.planner.v1.PlannerService'",
    ),
    "readiness that asks for liveness": (
        asks("readinessProbe", "liveness"),
        "readinessProbe: asks for 'liveness'",
    ),
    "readiness of another service": (
        asks("readinessProbe", "assay.verifier.v1.VerifierService"),
        "readinessProbe: asks for",
    ),
    "a probe behind TLS": (in_container("livenessProbe", "grpc", "port", to=50051), "asks port 50051"),
    "a probe of another kind": (
        in_container("livenessProbe", to={"tcpSocket": {"port": 50052}}),
        "is no gRPC probe",
    ),
    "too little grace": (
        in_pod("terminationGracePeriodSeconds", to=70),
        "terminationGracePeriodSeconds is 70",
    ),
    "grace by default": (
        in_pod("terminationGracePeriodSeconds", to=None),
        "terminationGracePeriodSeconds is 30",
    ),
    "a longer call": (
        variable("orchestrator", "ORCHESTRATOR_PLANNER_SECONDS", "120"),
        "planner: drains for 95 s, and its longest call takes 120 s",
    ),
    "a shorter drain": (variable("executor", "EXECUTOR_DRAIN_SECONDS", "10"), "executor: drains for 10 s"),
    "a handover too short to look a name up": (
        variable("verifier", "VERIFIER_HANDOVER_SECONDS", "5"),
        "verifier: hands its callers over for 5 s, and they look names up every 5 s",
    ),
    "a handover that the grace has no time for": (
        variable("verifier", "VERIFIER_HANDOVER_SECONDS", "60"),
        "not more than preStop 5 + handover 60 + drain 95 + longest call 90",
    ),
    "no pause": (in_container("lifecycle", to=None), "has no preStop sleep"),
    "an unknown variable": (
        variable("planner", "PLANNER_DRAIN_SECOND", "1"),
        "ASSAY_PLANNER_DRAIN_SECOND: no such setting",
    ),
    "an illegal value": (
        variable("planner", "PLANNER_DRAIN_SECONDS", "soon"),
        "planner: ASSAY_PLANNER_DRAIN_SECONDS",
    ),
    "a variable of another process": (
        variable("planner", "VERIFIER_REFLECTION", "true"),
        "ASSAY_VERIFIER_REFLECTION: the planner does not read it",
    ),
    "a model for who asks none": (
        variable("gatekeeper", "MODEL_NAME", "some"),
        "ASSAY_MODEL_NAME: the gatekeeper does not read it",
    ),
    "no encryption": (variable("planner", "PLANNER_PLAINTEXT", "false"), "neither encrypted nor checked"),
    "a folder that no volume has": (
        in_container("volumeMounts", to=None, of="executor"),
        "ASSAY_EXECUTOR_BUNDLE_ROOT: it is no folder",
    ),
    "a file that no volume has": (
        variable("planner", "CONFIG", "/etc/assay/config.toml"),
        "planner: /etc/assay/config.toml: there is no such file",
    ),
}


@pytest.mark.parametrize("what", BREAKS)
def test_what_is_broken_is_told(manifests: Manifests, what: str) -> None:
    change, said = BREAKS[what]
    change(manifests)
    told = manifests.problems()
    assert any(said in problem for problem in told), told


def test_a_configuration_file_is_read_as_the_process_reads_it(manifests: Manifests) -> None:
    variable("planner", "CONFIG", "/etc/assay/config.toml")(manifests)
    manifests.container("planner")["volumeMounts"] = [{"name": "config", "mountPath": "/etc/assay"}]
    manifests.pod("planner")["volumes"] = [{"name": "config", "configMap": {"name": "some"}}]
    manifests.add('{kind: ConfigMap, metadata: {name: some}, data: {config.toml: "[model]\\nname = 1\\n"}}')
    assert manifests.problems() == []
    manifests.get("ConfigMap", "some")["data"]["config.toml"] = "[model]\nnam = 1\n"
    assert manifests.problems() == [
        "planner: /etc/assay/config.toml:2: [model] nam: no such setting; did you mean name?"
    ]


def test_a_variable_means_those_above_it_alone(manifests: Manifests) -> None:
    environment = manifests.container("orchestrator")["env"]
    environment.append(environment.pop(0))
    assert any("planner_address" in problem.lower() for problem in manifests.problems())


def test_the_longest_call_is_the_callers_deadline() -> None:
    addresses = {f"ASSAY_ORCHESTRATOR_{agent.upper()}_ADDRESS": "127.0.0.1:1" for agent in AGENTS}
    told = {
        "ASSAY_CONFIG": "",
        "ASSAY_ORCHESTRATOR_DATABASE": "/runs",
        "ASSAY_ORCHESTRATOR_LIST_TOOLS_SECONDS": "500",
        "ASSAY_ORCHESTRATOR_COMPOSER_SECONDS": "7",
    }
    longest = longest_calls(load(OrchestratorSettings, {**addresses, **told}))
    assert (longest["executor"], longest["composer"], longest["orchestrator"]) == (500, 7, 300)
