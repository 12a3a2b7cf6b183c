"""Who is at the other end of a connection, by its certificate alone.

gRPC's own `peer_identities()` falls back to the common name, which a certificate for something else may set
to anything. Only the URI names count, and there must be exactly one: with two, which one holds would be this
code's choice.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from services.common.errors import PermissionDeniedError, UnauthenticatedError
from services.common.rpc.callers import TABLE, Role, role_of

_URIS: Final = "peer_uri"
_SPIFFE_ID: Final = "peer_spiffe_id"
_SPIFFE: Final = "spiffe://"
_MAX_SHOWN_CHARS: Final = 200

AuthContext = Mapping[str, Iterable[bytes]]


@dataclass(frozen=True, slots=True)
class Peers:
    """Whom a server knows: the services of its trust domain, and users by their identities."""

    trust_domain: str
    users: frozenset[str]

    def check(self, method: str, connection: AuthContext) -> str:
        """Return the identity of a caller who may call a method.

        Raises UnauthenticatedError for a connection that does not tell who it is, PermissionDeniedError for
        one that may not.
        """
        identity = uri_of(connection)
        role = role_of(identity, self.trust_domain, self.users)
        allowed = allowed_roles(method)
        if role is None:
            raise PermissionDeniedError(
                f"{_shown(identity)} is nobody whom this service knows: no service of {self.trust_domain}, "
                "and not one of the users in its settings"
            )
        if role not in allowed:
            raise PermissionDeniedError(
                f"{_shown(identity)} may not call {method}: only {' or '.join(sorted(allowed))} may"
            )
        return identity


def allowed_roles(method: str) -> frozenset[Role]:
    """Return who may call a method; raises PermissionDeniedError for one without a row."""
    if method not in TABLE:
        raise PermissionDeniedError(f"nobody may call {method}: the table of callers has no row for it")
    return TABLE[method]


def uri_of(connection: AuthContext) -> str:
    """Return the one URI name of a connection's certificate; raises UnauthenticatedError."""
    uris = list(connection.get(_URIS, ()))
    if len(uris) != 1:
        raise UnauthenticatedError(
            "the caller's certificate must hold exactly one URI name, such as a SPIFFE id; "
            f"it holds {len(uris)}"
        )
    identity = uris[0].decode("ascii", "backslashreplace")
    # gRPC tells a SPIFFE id only of a certificate that is a sound one.
    if identity.lower().startswith(_SPIFFE) and list(connection.get(_SPIFFE_ID, ())) != uris:
        raise UnauthenticatedError("the URI name of the caller's certificate is no sound SPIFFE id")
    return identity


def _shown(identity: str) -> str:
    text = ascii(identity)[1:-1]
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}..."
