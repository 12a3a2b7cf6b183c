"""How each process is reached and watched: ports, names, probes, and the time that its end may take."""

from collections.abc import Iterator, Mapping
from typing import Final

from checks.k8s.code import Process, longest_calls
from checks.k8s.manifests import NAME_PREFIX, Document, Rendering, Workload, port_of
from orchestrator.settings import OrchestratorSettings
from services.common.processes import ORCHESTRATOR
from services.common.rpc.health import LIVENESS
from services.common.rpc.preferring_channel import LOOK_UP_SECONDS
from services.common.settings import ServiceSettings
from services.common.tls_settings import is_loopback

_PROBES: Final = ("startupProbe", "livenessProbe", "readinessProbe")


def problems(
    rendering: Rendering, known: Mapping[str, Process], settings: Mapping[str, ServiceSettings]
) -> Iterator[str]:
    """Yield a line per difference; `settings` are those that each container gives its process."""
    orchestrator = settings[ORCHESTRATOR]
    if not isinstance(orchestrator, OrchestratorSettings):
        raise TypeError("the settings of the orchestrator are not its own")
    longest = longest_calls(orchestrator)
    for service, workload in rendering.workloads.items():
        found = [
            *_ports(workload, settings[service]),
            *_service(rendering, workload),
            *_probes(workload, known[service]),
            *_end(workload, settings[service], longest[service]),
            *_handover(service, settings[service].handover_seconds),
        ]
        yield from (f"{service}: {problem}" for problem in found)
    yield from _addresses(rendering, known[ORCHESTRATOR], orchestrator)


def _ports(workload: Workload, settings: ServiceSettings) -> Iterator[str]:
    listens = {"grpc": ("listen", settings.listen), "health": ("health_listen", settings.health_listen)}
    if settings.metrics_listen or workload.port("metrics"):
        listens["metrics"] = ("metrics_listen", settings.metrics_listen)
    for name, (setting, address) in listens.items():
        if not address:
            yield f"{setting} is not set"
        elif workload.port(name) != port_of(address):
            yield f"the port {name} is {workload.port(name)}, and {setting} is {address}"
        elif is_loopback(address):
            yield f"{setting} is {address}, which no other pod reaches"


def _service(rendering: Rendering, workload: Workload) -> Iterator[str]:
    service = rendering.named("Service", NAME_PREFIX + workload.service)
    if service is None:
        yield "has no Service"
        return
    spec = service["spec"]
    if spec.get("clusterIP") != "None":
        yield "its Service is not headless: one connection would carry all calls to one pod"
    if not spec.get("selector") or not selector_holds(spec["selector"], workload):
        yield "its Service selects other pods"
    for port in spec.get("ports", []):
        target = port.get("targetPort", port["port"])
        number = workload.port(target) if isinstance(target, str) else target
        # A headless Service translates no port.
        if not port["port"] == number == workload.port("grpc"):
            yield f"its Service has the port {port['port']}, and calls come to {workload.port('grpc')}"


def selector_holds(selector: Mapping[str, str], workload: Workload) -> bool:
    """Tell whether a plain selector means the pods of a workload."""
    return all(workload.labels.get(key) == value for key, value in selector.items())


def _probes(workload: Workload, process: Process) -> Iterator[str]:
    for kind in _PROBES:
        probe = workload.container.get(kind)
        if probe is None:
            yield f"has no {kind}"
        elif "grpc" not in probe:
            yield f"{kind}: is no gRPC probe"
        else:
            yield from _probe(kind, probe["grpc"], workload, process)


def _probe(kind: str, probe: Document, workload: Workload, process: Process) -> Iterator[str]:
    if probe["port"] != workload.port("health"):
        yield f"{kind}: asks port {probe['port']}, and plaintext health is on {workload.port('health')}"
    names = {"", *process.names} if kind == "readinessProbe" else {LIVENESS}
    if probe.get("service", "") not in names:
        yield f"{kind}: asks for {probe.get('service', '')!r}, which is none of {sorted(names)}"


def _end(workload: Workload, settings: ServiceSettings, longest: float) -> Iterator[str]:
    pause = workload.container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
    grace = workload.pod.get("terminationGracePeriodSeconds", 30)
    drain, handover = settings.drain_seconds, settings.handover_seconds
    if not pause:
        yield "has no preStop sleep: a look at the names would still find a pod that takes no calls"
    if drain < longest:
        yield f"drains for {drain:g} s, and its longest call takes {longest:g} s"
    if grace <= pause + handover + drain + longest:
        yield (
            f"terminationGracePeriodSeconds is {grace}, not more than preStop {pause} + "
            f"handover {handover:g} + drain {drain:g} + longest call {longest:g}"
        )


def _handover(service: str, handover: float) -> Iterator[str]:
    """Yield a line where callers are refused before they can know another pod; the orchestrator has none."""
    if service != ORCHESTRATOR and handover <= LOOK_UP_SECONDS:
        yield (
            f"hands its callers over for {handover:g} s, and they look names up every {LOOK_UP_SECONDS:g} s "
            "at most"
        )


def _addresses(rendering: Rendering, orchestrator: Process, settings: OrchestratorSettings) -> Iterator[str]:
    for callee in sorted(orchestrator.callees & rendering.workloads.keys()):
        workload = rendering.workloads[callee]
        wanted = f"{NAME_PREFIX}{callee}.{workload.namespace}.svc:{workload.port('grpc')}"
        address = getattr(settings, f"{callee}_address")
        if address != wanted:
            yield f"{ORCHESTRATOR}: {callee}_address is {address}, and the {callee} is at {wanted}"
