"""Everybody who might call, and what must come of it; written without a look at the table in the code."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

import grpc

from dev.authority import Authority, Issued
from services.common.processes import SERVICES
from services.common.rpc.callers import identity_of, server_name
from tests.fakes.certificates import DOMAIN, USER, Trust


class Decision(StrEnum):
    """What comes of a call, by the sign that the printed table shows."""

    ALLOWED = "yes"
    DENIED = "-"
    UNIDENTIFIED = "?"
    NO_CONNECTION = "x"


_ORCHESTRATOR: Final = identity_of("orchestrator", DOMAIN)
# Names by which proxies and other systems tell who calls.
_CLAIMS: Final = (
    ("x-forwarded-client-cert", f"By=spiffe://x/y;URI={_ORCHESTRATOR}"),
    ("x-spiffe-id", _ORCHESTRATOR),
    ("peer_spiffe_id", _ORCHESTRATOR),
    ("peer_uri", _ORCHESTRATOR),
    ("x509_common_name", _ORCHESTRATOR),
    ("authorization", f"Bearer {_ORCHESTRATOR}"),
    ("assay-identity", USER),
)


@dataclass(frozen=True)
class CallerKind:
    """One kind of caller: what it shows, and as whom it must count.

    `role` is a service, "user", "nobody" for an identity that no service knows, "unidentified" for a
    certificate that does not tell whose it is, "refused" for one that gets no connection.
    """

    name: str
    shows: Callable[[Trust], Issued | None]
    role: str
    metadata: tuple[tuple[str, str], ...] = ()


def _uris(*uris: str, common_name: str = "") -> Callable[[Trust], Issued]:
    return lambda trust: trust.authority.issue(uris=uris, common_name=common_name)


def _service(name: str) -> Callable[[Trust], Issued]:
    return lambda trust: trust.service(name)


def _elsewhere(_: Trust) -> Issued:
    return Authority("another").issue(uris=[_ORCHESTRATOR])


KINDS: Final = (
    CallerKind("no certificate", lambda _: None, "refused"),
    CallerKind("expired", lambda trust: trust.service("orchestrator", timedelta(hours=-1)), "refused"),
    CallerKind("other authority", _elsewhere, "refused"),
    *(CallerKind(name, _service(name), name) for name in SERVICES),
    CallerKind("user", _uris(USER), "user"),
    CallerKind("stranger", _uris(identity_of("nobody", DOMAIN)), "nobody"),
    CallerKind("other trust domain", _uris("spiffe://elsewhere.local/orchestrator"), "nobody"),
    CallerKind("longer path", _uris(f"{_ORCHESTRATOR}/x"), "nobody"),
    CallerKind("common name", lambda t: t.authority.issue(common_name=_ORCHESTRATOR), "unidentified"),
    CallerKind(
        "host names",
        lambda t: t.authority.issue(
            dns=[server_name("orchestrator", DOMAIN), "x"], common_name=_ORCHESTRATOR
        ),
        "unidentified",
    ),
    CallerKind(
        "common name, own URI", _uris(identity_of("planner", DOMAIN), common_name=_ORCHESTRATOR), "planner"
    ),
    CallerKind("two URI names", _uris(_ORCHESTRATOR, identity_of("planner", DOMAIN)), "unidentified"),
    CallerKind("two, one of the web", _uris(_ORCHESTRATOR, "https://assay.local/x"), "unidentified"),
    CallerKind("capital scheme", _uris("SPIFFE://assay.local/orchestrator"), "unidentified"),
    CallerKind("metadata", _service("planner"), "planner", _CLAIMS),
    CallerKind("metadata, stranger", _uris(identity_of("nobody", DOMAIN)), "nobody", _CLAIMS),
)

_KNOWN: Final = frozenset({*SERVICES, "user"})
# By the beginning of a method's path.
_MAY_CALL: Final[Mapping[str, frozenset[str]]] = {
    "/assay.planner.": frozenset({"orchestrator"}),
    "/assay.executor.": frozenset({"orchestrator"}),
    "/assay.gatekeeper.": frozenset({"orchestrator"}),
    "/assay.verifier.": frozenset({"orchestrator"}),
    "/assay.composer.": frozenset({"orchestrator"}),
    "/assay.orchestrator.": frozenset({"user"}),
    "/assay.common.v1.ProcessService/": frozenset({"orchestrator", "user"}),
    "/grpc.health.v1.": _KNOWN,
    "/grpc.reflection.": frozenset({"user"}),
}
_SIGNS: Final = {
    grpc.StatusCode.PERMISSION_DENIED: Decision.DENIED,
    grpc.StatusCode.UNAUTHENTICATED: Decision.UNIDENTIFIED,
    grpc.StatusCode.UNAVAILABLE: Decision.NO_CONNECTION,
}


def wanted(path: str, kind: CallerKind) -> Decision:
    """Return what must come of a call."""
    match kind.role:
        case "refused":
            return Decision.NO_CONNECTION
        case "unidentified":
            return Decision.UNIDENTIFIED
        case role:
            (may,) = [may for begin, may in _MAY_CALL.items() if path.startswith(begin)]
            return Decision.ALLOWED if role in may else Decision.DENIED


def decision(code: grpc.StatusCode) -> Decision:
    """Return what came of a call; whatever the service itself answers, it let the caller in."""
    return _SIGNS.get(code, Decision.ALLOWED)
