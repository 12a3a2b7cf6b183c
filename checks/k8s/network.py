"""Network policies against the call graph: who may reach whom, on which port, and who may leave."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from checks.k8s.code import CLIENTS, Process, callers
from checks.k8s.manifests import Document, Rendering, Workload, port_of, selects
from services.common.llm.settings import ReasonerSettings
from services.common.settings import ServiceSettings

CLIENT_LABEL: Final = {"assay/client": "true"}
# A policy that lets somebody out of the namespace says by this label where to.
EGRESS_LABEL: Final = "assay/egress"
# And by this one what somebody from outside is let in for.
INGRESS_LABEL: Final = "assay/ingress"
DNS: Final = "DNS"
_DNS_PORT: Final = 53
_MODEL: Final = "model"
_COLLECTOR: Final = "collector"
_METRICS: Final = "metrics"


class Way(NamedTuple):
    """One permission: the other end (a service, `clients`, DNS, the purpose of a way out) and the port."""

    other: str
    port: int


def problems(rendering: Rendering, known: Mapping[str, Process]) -> Iterator[str]:
    """Yield a line per permission that the code does not need, and per need without one."""
    policies = rendering.of_kind("NetworkPolicy")
    if not any(_denies_all(policy) for policy in policies):
        yield "no NetworkPolicy denies everything, both ways, to all pods"
    for service, workload in rendering.workloads.items():
        into = _ingress(rendering, policies, workload)
        yield from _differences(f"{service}: ingress from", into, _expected_in(workload, known, into))
        out = _egress(rendering, policies, workload)
        yield from _differences(f"{service}: egress to", out, _expected_out(rendering, known[service], out))


def model_problems(rendering: Rendering, settings: Mapping[str, ServiceSettings]) -> Iterator[str]:
    """Yield a line per process that is told to ask a model and has no way to it."""
    policies = rendering.of_kind("NetworkPolicy")
    for service, told in settings.items():
        if isinstance(told, ReasonerSettings) and told.reasoner == "openai":
            url = urlsplit(told.model_base_url)
            needed = Way(_MODEL, url.port or (443 if url.scheme == "https" else 80))
            if needed not in _egress(rendering, policies, rendering.workloads[service]):
                yield f"{service}: asks a model on port {needed.port}, and no policy lets it out there"


def telemetry_problems(rendering: Rendering, settings: Mapping[str, ServiceSettings]) -> Iterator[str]:
    """Yield a line per process whose spans or metrics nobody can get."""
    policies = rendering.of_kind("NetworkPolicy")
    for service, told in settings.items():
        workload = rendering.workloads[service]
        if told.otlp_endpoint:
            needed = Way(_COLLECTOR, port_of(told.otlp_endpoint))
            if needed not in _egress(rendering, policies, workload):
                yield f"{service}: sends spans to port {needed.port}, and no policy lets it out there"
        if told.metrics_listen:
            needed = Way(_METRICS, port_of(told.metrics_listen))
            if needed not in _ingress(rendering, policies, workload):
                yield f"{service}: serves metrics on port {needed.port}, and no policy lets anybody in there"


def _ingress(rendering: Rendering, policies: Sequence[Document], workload: Workload) -> set[Way]:
    chosen = _of(policies, workload, "Ingress")
    return {way for policy in chosen for way in _ways(rendering, policy, "ingress")}


def _egress(rendering: Rendering, policies: Sequence[Document], workload: Workload) -> set[Way]:
    chosen = _of(policies, workload, "Egress")
    return {way for policy in chosen for way in _ways(rendering, policy, "egress")}


def _differences(what: str, found: set[Way], wanted: set[Way]) -> Iterator[str]:
    for way in sorted(found - wanted):
        yield f"{what} {way.other}:{way.port} is allowed, and no call of the code needs it"
    for way in sorted(wanted - found):
        yield f"{what} {way.other}:{way.port} is needed, and no policy allows it"


def _expected_in(workload: Workload, known: Mapping[str, Process], found: set[Way]) -> set[Way]:
    """Return the ways that lead to a process; whoever scrapes metrics may come, to that port alone."""
    calls = {Way(caller, workload.port("grpc") or 0) for caller in callers(workload.service, known)}
    return calls | (found & {Way(_METRICS, workload.port("metrics") or 0)})


def _expected_out(rendering: Rendering, process: Process, found: set[Way]) -> set[Way]:
    """Return the ways that a process needs; the ways out are as the rendering offers, for those who may."""
    ways = {
        Way(callee, rendering.workloads[callee].port("grpc") or 0)
        for callee in process.callees
        if callee in rendering.workloads
    }
    purposes = {_COLLECTOR}
    if process.asks_model:
        purposes.add(_MODEL)
    if process.service == "executor":
        purposes.add("sources")
    ways |= {way for way in found if way.other in purposes}
    # Whoever calls anybody looks a name up; who calls nobody has no use for names.
    return ways | ({Way(DNS, _DNS_PORT)} if ways else set())


def _denies_all(policy: Document) -> bool:
    spec = policy["spec"]
    everyone = not any(spec.get("podSelector", {}).values())
    both = {"Ingress", "Egress"} <= set(spec.get("policyTypes", []))
    return everyone and both and not spec.get("ingress") and not spec.get("egress")


def _of(policies: Sequence[Document], workload: Workload, direction: str) -> list[Document]:
    return [
        policy
        for policy in policies
        if selects(policy["spec"].get("podSelector", {}), workload.labels)
        and direction in policy["spec"].get("policyTypes", [])
    ]


_LABELS: Final = {"ingress": INGRESS_LABEL, "egress": EGRESS_LABEL}


def _ways(rendering: Rendering, policy: Document, direction: str) -> Iterator[Way]:
    key = "from" if direction == "ingress" else "to"
    for rule in policy["spec"].get(direction, []):
        # No peers, or no ports, mean all of them.
        peers = rule.get(key) or [{}]
        ports = [port.get("port", 0) for port in rule.get("ports", [])] or [0]
        for peer in peers:
            for other in _others(rendering, policy, peer, _LABELS[direction]):
                yield from (Way(other, port) for port in ports)


def _others(rendering: Rendering, policy: Document, peer: Document, label: str) -> list[str]:
    if _is_dns(peer):
        return [DNS]
    if "ipBlock" not in peer and "namespaceSelector" not in peer and "podSelector" in peer:
        return _pods(rendering, peer["podSelector"])
    # A purpose is believed of a policy that says it, and of a destination that is bounded.
    bounded = "ipBlock" in peer or all(peer.get(name) for name in ("namespaceSelector", "podSelector"))
    purpose = policy["metadata"].get("labels", {}).get(label)
    return [purpose if purpose and bounded else f"anything ({policy['metadata']['name']})"]


def _pods(rendering: Rendering, selector: Document) -> list[str]:
    if selector == {"matchLabels": CLIENT_LABEL}:
        return [CLIENTS]
    chosen = [service for service, item in rendering.workloads.items() if selects(selector, item.labels)]
    return chosen or [f"pods that nothing runs ({selector})"]


def _is_dns(peer: Document) -> bool:
    namespace = peer.get("namespaceSelector", {}).get("matchLabels", {})
    pods = peer.get("podSelector", {}).get("matchLabels", {})
    return (namespace, pods) == ({"kubernetes.io/metadata.name": "kube-system"}, {"k8s-app": "kube-dns"})
