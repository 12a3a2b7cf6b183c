"""Errors of the domain. They know no gRPC; one table in `services.common.rpc.errors` maps them to codes."""


class AssayError(Exception):
    """Something a caller can be told: what was wrong, where, and what to do about it.

    `field` names the request field to blame, where there is one.
    """

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class InvalidArgumentError(AssayError):
    """The request is wrong whatever the state of the system."""


class NotFoundError(AssayError):
    """What the request names does not exist."""


class FailedPreconditionError(AssayError):
    """What the request names exists and cannot be used as it is."""


class AlreadyExistsError(AssayError):
    """What the request would create exists with other content."""


class UnauthenticatedError(AssayError):
    """The caller does not prove who it is."""


class PermissionDeniedError(AssayError):
    """The caller is known and may not do this."""


class ResourceExhaustedError(AssayError):
    """A limit is reached; trying again after `retry_seconds` may help."""

    def __init__(self, message: str, *, retry_seconds: float = 1.0) -> None:
        super().__init__(message)
        self.retry_seconds = retry_seconds


class UnavailableError(AssayError):
    """The service or what it needs cannot be reached now; trying later may help."""


class DataLossError(AssayError):
    """What was stored is damaged; trying again does not help."""
