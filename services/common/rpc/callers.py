"""Who may call what: one table, and what it does not name is denied.

A method belongs to a server, a role to the identity of a connection. Whoever has no role may call nothing.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from services.common.processes import ORCHESTRATOR, SERVICES


class Role(StrEnum):
    """What a caller is: the service of that name, or a user."""

    PLANNER = "planner"
    EXECUTOR = "executor"
    GATEKEEPER = "gatekeeper"
    VERIFIER = "verifier"
    COMPOSER = "composer"
    ORCHESTRATOR = ORCHESTRATOR
    USER = "user"


_ORCHESTRATOR: Final = frozenset({Role.ORCHESTRATOR})
_USER: Final = frozenset({Role.USER})
_BOTH: Final = _ORCHESTRATOR | _USER
# Health tells no secret, and who may call nothing else may still want to know why.
_ANY: Final = frozenset(Role)

_DIAGNOSIS: Final = "/assay.orchestrator.v1.DiagnosisService"

TABLE: Final = MappingProxyType(
    {
        "/assay.planner.v1.PlannerService/Plan": _ORCHESTRATOR,
        "/assay.executor.v1.ExecutorService/ListTools": _ORCHESTRATOR,
        "/assay.executor.v1.ExecutorService/Execute": _ORCHESTRATOR,
        "/assay.gatekeeper.v1.GatekeeperService/Check": _ORCHESTRATOR,
        "/assay.verifier.v1.VerifierService/Verify": _ORCHESTRATOR,
        "/assay.composer.v1.ComposerService/Compose": _ORCHESTRATOR,
        f"{_DIAGNOSIS}/Diagnose": _USER,
        f"{_DIAGNOSIS}/SubmitDiagnosis": _USER,
        f"{_DIAGNOSIS}/WatchRun": _USER,
        f"{_DIAGNOSIS}/GetRun": _USER,
        f"{_DIAGNOSIS}/ListRuns": _USER,
        f"{_DIAGNOSIS}/CancelRun": _USER,
        f"{_DIAGNOSIS}/RecordEvaluation": _USER,
        f"{_DIAGNOSIS}/PruneRuns": _USER,
        f"{_DIAGNOSIS}/GetTrace": _USER,
        f"{_DIAGNOSIS}/GetInvocation": _USER,
        f"{_DIAGNOSIS}/ListInvocations": _USER,
        f"{_DIAGNOSIS}/ListTools": _USER,
        "/assay.orchestrator.v1.StatusService/GetStatus": _USER,
        "/assay.common.v1.ProcessService/GetProcess": _BOTH,
        "/grpc.health.v1.Health/Check": _ANY,
        "/grpc.health.v1.Health/Watch": _ANY,
        "/grpc.health.v1.Health/List": _ANY,
        # Served only where the setting `reflection` says so.
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": _USER,
    }
)


def role_of(identity: str, trust_domain: str, users: frozenset[str]) -> Role | None:
    """Return the role of an identity, None for a stranger.

    A service's identity is `spiffe://<trust domain>/<service>`; a user's is one of those that are listed,
    which cannot be a service's.
    """
    path = identity.removeprefix(f"spiffe://{trust_domain}/")
    if path != identity and path in SERVICES:
        return Role(path)
    return Role.USER if identity in users else None


def identity_of(service: str, trust_domain: str) -> str:
    """Return the identity of a service."""
    return f"spiffe://{trust_domain}/{service}"


def server_name(service: str, trust_domain: str) -> str:
    """Return the DNS name that a service's certificate must hold for those who call it."""
    return f"{service}.{trust_domain}"
