"""What the code says of each process: its settings, whom it calls, what its health is called."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from orchestrator import composition
from orchestrator.settings import OrchestratorSettings
from orchestrator.status import STATUS_SERVICE
from services.common.llm.settings import ReasonerSettings
from services.common.processes import AGENTS, ORCHESTRATOR, SERVICES
from services.common.rpc.callers import TABLE, Role
from services.common.settings import ServiceSettings, prefix_of
from services.composer.settings import ComposerSettings
from services.executor.settings import ExecutorSettings
from services.gatekeeper.settings import GatekeeperSettings
from services.planner.settings import PlannerSettings
from services.verifier.settings import VerifierSettings

SETTINGS: Final[Mapping[str, type[ServiceSettings]]] = {
    "planner": PlannerSettings,
    "executor": ExecutorSettings,
    "gatekeeper": GatekeeperSettings,
    "verifier": VerifierSettings,
    "composer": ComposerSettings,
    ORCHESTRATOR: OrchestratorSettings,
}
# Who is no service and may ask the orchestrator: pods with the label of `network.CLIENT_LABEL`.
CLIENTS: Final = "clients"
_ADDRESS: Final = "_address"


@dataclass(frozen=True, slots=True)
class Process:
    """One process. `names` are those of its health that tell readiness, `callees` the services it calls."""

    service: str
    settings: type[ServiceSettings]
    names: frozenset[str]
    callees: frozenset[str]

    @property
    def prefix(self) -> str:
        """What its variables begin with."""
        return prefix_of(self.settings)

    @property
    def asks_model(self) -> bool:
        """Whether it can be told to ask a model."""
        return issubclass(self.settings, ReasonerSettings)


def processes() -> dict[str, Process]:
    """Return every process by its service."""
    return {
        service: Process(service, SETTINGS[service], _names(service), _callees(SETTINGS[service]))
        for service in SERVICES
    }


def callers(of: str, known: Mapping[str, Process]) -> frozenset[str]:
    """Return who calls a service: the processes whose settings hold its address, and clients."""
    services = {process.service for process in known.values() if of in process.callees}
    return frozenset(services | ({CLIENTS} if _serves_users(known[of]) else set()))


def table_problems(known: Mapping[str, Process]) -> list[str]:
    """Compare the table of callers, which services enforce, with the addresses that processes are given."""
    return [
        f"{service}: its callers are {sorted(callers(service, known))} by addresses, "
        f"{sorted(_allowed(process))} by the table of callers"
        for service, process in known.items()
        if callers(service, known) != _allowed(process)
    ]


def longest_calls(orchestrator: OrchestratorSettings) -> dict[str, float]:
    """Return the longest call of each service, in seconds: callers set every deadline."""
    longest = {agent: float(getattr(orchestrator, f"{agent}_seconds")) for agent in AGENTS}
    longest["executor"] = max(longest["executor"], orchestrator.list_tools_seconds)
    return {**longest, ORCHESTRATOR: orchestrator.run_seconds}


def _names(service: str) -> frozenset[str]:
    if service == ORCHESTRATOR:
        return frozenset({composition.NAME, STATUS_SERVICE})
    return frozenset({import_module(f"services.{service}.__main__").NAME})


def _callees(settings: type[ServiceSettings]) -> frozenset[str]:
    fields = {name.removesuffix(_ADDRESS) for name in settings.model_fields if name.endswith(_ADDRESS)}
    return frozenset(fields & set(SERVICES))


def _serves_users(process: Process) -> bool:
    return CLIENTS in _allowed(process)


def _allowed(process: Process) -> frozenset[str]:
    roles = [
        role for method, allowed in TABLE.items() if _service_of(method) in process.names for role in allowed
    ]
    return frozenset(CLIENTS if role is Role.USER else str(role) for role in roles)


def _service_of(method: str) -> str:
    return method.strip("/").partition("/")[0]
