"""How the stable conventions (1.45) name calls, from what the instrumentation of gRPC writes. Pure.

The instrumentation keeps to the names that it began with: `rpc.system`, `rpc.service`, a method without its
service, a status as a number, a span whose name begins with a slash.
"""

from collections.abc import Mapping
from typing import Final

from services.common.telemetry.allowed import (
    ERROR,
    PORT,
    RPC_METHOD,
    RPC_STATUS,
    RPC_SYSTEM,
    SERVER,
    Value,
)

# Written by the instrumentation, and by this program where that errs.
STATUS_NUMBER: Final = "rpc.grpc.status_code"
_SYSTEM: Final = "rpc.system"
_SERVICE: Final = "rpc.service"
_METHOD: Final = "rpc.method"
# By their numbers.
_STATUS_CODES: Final = (
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
)


def of_call(attributes: Mapping[str, object]) -> bool:
    """Tell whether a span is one that the instrumentation made of a call."""
    return _SYSTEM in attributes


def name_of_call(name: str) -> str:
    """Return the name of a call's span: the full method."""
    return name.removeprefix("/")


def attributes_of_call(attributes: Mapping[str, object], *, is_error: bool) -> dict[str, object]:
    """Return the attributes of a call's span."""
    old = (_SYSTEM, _SERVICE, _METHOD, STATUS_NUMBER)
    named: dict[str, object] = {key: value for key, value in attributes.items() if key not in old}
    named[RPC_SYSTEM] = attributes[_SYSTEM]
    named[RPC_METHOD] = f"{attributes.get(_SERVICE, '')}/{attributes.get(_METHOD, '')}"
    status = status_name(attributes.get(STATUS_NUMBER))
    if status:
        named[RPC_STATUS] = status
        if is_error:
            named.setdefault(ERROR, status)
    return named


def status_name(number: object) -> str:
    """Return the name of a gRPC status; empty for what is none."""
    return _STATUS_CODES[number] if isinstance(number, int) and 0 <= number < len(_STATUS_CODES) else ""


def where_called(address: str) -> dict[str, Value]:
    """Return what tells whom a client calls, by the host and port that it was given."""
    host, _, port = address.rpartition("/")[2].rpartition(":")
    return {SERVER: host.strip("[]"), PORT: int(port)} if host and port.isdigit() else {}
