"""What each process of the local stack is told, all of it through the environment.

These variables stand over inherited ones: limits and log levels that a person exported hold, where to listen,
whom to call and where data lies is the stack's own.
"""

from collections.abc import Mapping
from pathlib import Path

from orchestrator.cli.errors import wrong_input

AGENTS = ("planner", "executor", "gatekeeper", "verifier", "composer")
ORCHESTRATOR = "orchestrator"
_OWN = frozenset({"ASSAY_HOME"})
_ANY_FREE_PORT = "127.0.0.1:0"
# A stored run is read without calling any agent; port 1 of this machine answers nothing.
_NO_AGENT = "127.0.0.1:1"


def check_names(environ: Mapping[str, str]) -> None:
    """Raise CommandError for a variable that looks like Assay's and that no process would read.

    A service refuses an unknown name behind its own prefix; nobody else would notice a misspelt prefix.
    """
    known = tuple(f"ASSAY_{service.upper()}_" for service in (*AGENTS, ORCHESTRATOR))
    names = [name for name in environ if name.startswith("ASSAY_") and not name.startswith(known)]
    if unknown := sorted(set(names) - _OWN):
        raise wrong_input(
            f"{', '.join(unknown)}: no such setting; known are {', '.join(sorted(_OWN))} "
            f"and what begins with {', '.join(known)}"
        )


def module_of(service: str) -> str:
    """Return the module that `python -m` runs for a service."""
    return service if service == ORCHESTRATOR else f"services.{service}"


def for_agent(service: str, bundle_root: Path) -> dict[str, str]:
    """Return the variables of one agent; only the executor knows where bundles are."""
    own = {"BUNDLE_ROOT": str(bundle_root)} if service == "executor" else {}
    return _variables(service, own)


def for_orchestrator(addresses: Mapping[str, str], database: Path) -> dict[str, str]:
    """Return the variables of the orchestrator; an agent without an address cannot be called."""
    own = {f"{agent.upper()}_ADDRESS": addresses.get(agent, _NO_AGENT) for agent in AGENTS}
    return _variables(ORCHESTRATOR, {**own, "DATABASE": str(database)})


def _variables(service: str, own: Mapping[str, str]) -> dict[str, str]:
    prefix = f"ASSAY_{service.upper()}_"
    values = {"LISTEN": _ANY_FREE_PORT, "STOP_WITH_PARENT": "1", **own}
    return {prefix + name: value for name, value in values.items()}
