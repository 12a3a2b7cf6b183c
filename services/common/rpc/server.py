"""The gRPC server that every process runs."""

import grpc.aio
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection

from services.common.rpc.admission import Admission
from services.common.rpc.interceptors import Interceptor, concerns
from services.common.settings import ServiceSettings

# One connection may carry every call that the service admits, and this many probes. More streams are refused,
# which is what keeps a client that opens and resets them (HTTP/2 rapid reset) from starving the others.
SPARE_STREAMS = 16
# Calls of all connections beyond the admitted ones: probes, reflection, refusals being written.
RESERVED_RPCS = 80


class ListenError(Exception):
    """The address to listen on cannot be had."""


def new_server(settings: ServiceSettings, admission: Admission) -> grpc.aio.Server:
    """Return a server with the interceptors and limits; call it inside the event loop that will run it."""
    return grpc.aio.server(
        interceptors=[Interceptor(concerns(admission))],
        maximum_concurrent_rpcs=settings.max_concurrent_rpcs + RESERVED_RPCS,
        options=[
            ("grpc.max_send_message_length", settings.max_message_bytes),
            ("grpc.max_receive_message_length", settings.max_message_bytes),
            ("grpc.max_concurrent_streams", settings.max_concurrent_rpcs + SPARE_STREAMS),
            # Two processes on one port would share its calls at random.
            ("grpc.so_reuseport", 0),
        ],
    )


def listen(server: grpc.aio.Server, address: str) -> str:
    """Bind the server and return the address with the port it got; raises ListenError."""
    host, _, port = address.rpartition(":")
    try:
        bound = server.add_insecure_port(address)
    except RuntimeError:
        raise ListenError(
            f"cannot listen on {address}: port {port} is already taken, or {host} is not of this machine"
        ) from None
    return f"{host}:{bound}"


def add_reflection(server: grpc.aio.Server, names: tuple[str, ...]) -> None:
    """Let clients list the services and read their contracts."""
    health = health_pb2.DESCRIPTOR.services_by_name["Health"].full_name
    reflection.enable_server_reflection((*names, health, reflection.SERVICE_NAME), server)
