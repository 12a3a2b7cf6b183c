"""What each process of the local stack is told, all of it through the environment.

These variables stand over inherited ones and over the configuration file: limits and log levels that a person
set hold, where to listen, whom to call and where data lies is the stack's own.
"""

from collections.abc import Mapping
from pathlib import Path

from orchestrator.cli.settings import is_given, variable
from services.common.processes import AGENTS, MODEL, ORCHESTRATOR, REASONING

ANY_FREE_PORT = "127.0.0.1:0"
# A stored run is read without calling any agent; port 1 of this machine answers nothing.
_NO_AGENT = "127.0.0.1:1"
# Certificates and probes are for services that other machines reach.
_ON_THIS_MACHINE = {
    "tls_certificate_file": "",
    "tls_key_file": "",
    "tls_ca_file": "",
    "plaintext": "0",
    "health_listen": "",
    # Nobody is left to hand anything over to.
    "handover_seconds": "0",
}


def module_of(service: str) -> str:
    """Return the module that `python -m` runs for a service."""
    return service if service == ORCHESTRATOR else f"services.{service}"


def inherited(service: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Return what a process gets of this command's environment: no key of a model that it does not ask."""
    others = [variable(agent, f"{MODEL}_") for agent in REASONING if agent != service]
    if service not in REASONING:
        others.append(variable(MODEL, ""))
    return {name: value for name, value in environ.items() if not name.startswith(tuple(others))}


def for_agent(service: str, bundle_root: Path | None) -> dict[str, str]:
    """Return the variables of one agent; only the executor knows where bundles are.

    Without a root here, the executor's own settings name it.
    """
    own = {"bundle_root": str(bundle_root)} if service == "executor" and bundle_root else {}
    return _variables(service, {"listen": ANY_FREE_PORT, **own})


def for_orchestrator(
    addresses: Mapping[str, str], database: Path, listen: str = ANY_FREE_PORT
) -> dict[str, str]:
    """Return the variables of the orchestrator; an agent without an address cannot be called."""
    agents = {f"{agent}_address": addresses.get(agent, _NO_AGENT) for agent in AGENTS}
    return _variables(ORCHESTRATOR, {"listen": listen, "database": str(database), **agents})


def chosen(service: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Return stand-ins for what the stack decides for a service whatever a person set.

    The root of the bundles is the person's, when the settings name one.
    """
    if service == ORCHESTRATOR:
        return for_orchestrator({}, Path("/"))
    return for_agent(service, None if is_given(environ, "executor", "bundle_root") else Path("/"))


def _variables(service: str, own: Mapping[str, str]) -> dict[str, str]:
    settings = {"stop_with_parent": "1", **_ON_THIS_MACHINE, **own}
    return {variable(service, key): value for key, value in settings.items()}
