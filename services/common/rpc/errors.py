"""The one table from domain errors to gRPC codes, and the shape in which an error travels.

Every error carries google.rpc.ErrorInfo (domain "assay"), google.rpc.BadRequest where a field is to blame,
and google.rpc.RetryInfo where a limit is. What the table does not name is masked: a stranger learns nothing
from an internal failure.
"""

from typing import Any, Final, NoReturn

import grpc
import grpc.aio
from google.protobuf import any_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from services.common import errors

DOMAIN = "assay"
# The status travels twice in one header block, of which gRPC accepts 8 KiB.
MAX_MESSAGE_CHARS = 400

TABLE: Final[dict[type[errors.AssayError], grpc.StatusCode]] = {
    errors.InvalidArgumentError: grpc.StatusCode.INVALID_ARGUMENT,
    errors.NotFoundError: grpc.StatusCode.NOT_FOUND,
    errors.FailedPreconditionError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.AlreadyExistsError: grpc.StatusCode.ALREADY_EXISTS,
    errors.UnauthenticatedError: grpc.StatusCode.UNAUTHENTICATED,
    errors.PermissionDeniedError: grpc.StatusCode.PERMISSION_DENIED,
    errors.ResourceExhaustedError: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.UnavailableError: grpc.StatusCode.UNAVAILABLE,
    errors.DataLossError: grpc.StatusCode.DATA_LOSS,
}


def code_of(error: BaseException) -> grpc.StatusCode | None:
    """Return the code of an error or of the nearest ancestor that has one; None for what is to be masked."""
    for ancestor in type(error).__mro__:
        if ancestor in TABLE:
            return TABLE[ancestor]
    return None


async def abort(context: grpc.aio.ServicerContext[Any, Any], error: errors.AssayError) -> NoReturn:
    """End a call with a domain error of the table."""
    code = code_of(error)
    if code is None:
        await abort_masked(context)
    message = _shortened(error.message)
    details: list[Message] = [error_details_pb2.ErrorInfo(reason=code.name, domain=DOMAIN)]
    if error.field:
        violation = error_details_pb2.BadRequest.FieldViolation(field=error.field, description=message)
        details.append(error_details_pb2.BadRequest(field_violations=[violation]))
    if isinstance(error, errors.ResourceExhaustedError):
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromNanoseconds(round(error.retry_seconds * 1e9))
        details.append(retry)
    await _abort(context, code, message, details)


async def abort_masked(context: grpc.aio.ServicerContext[Any, Any]) -> NoReturn:
    """End a call whose failure is nobody's business but the log's."""
    code = grpc.StatusCode.INTERNAL
    info = error_details_pb2.ErrorInfo(reason=code.name, domain=DOMAIN)
    await _abort(context, code, "internal error", [info])


async def _abort(
    context: grpc.aio.ServicerContext[Any, Any], code: grpc.StatusCode, message: str, details: list[Message]
) -> NoReturn:
    packed = [any_pb2.Any() for _ in details]
    for target, detail in zip(packed, details, strict=True):
        target.Pack(detail)
    number: int = code.value[0]
    status = rpc_status.to_status(status_pb2.Status(code=number, message=message, details=packed))
    await context.abort(status.code, status.details, status.trailing_metadata)
    raise AssertionError("abort returned")  # it never does; types-grpcio does not say so


def _shortened(message: str) -> str:
    return message if len(message) <= MAX_MESSAGE_CHARS else message[: MAX_MESSAGE_CHARS - 1] + "…"
