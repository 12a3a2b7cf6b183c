"""The gRPC server that every process runs."""

import time

import grpc
import grpc.aio
from grpc_reflection.v1alpha import reflection

from services.common.rpc.admission import Admission
from services.common.rpc.certificates import Material, Watched
from services.common.rpc.health import HEALTH_SERVICE
from services.common.rpc.identity import Peers
from services.common.rpc.interceptors import Concern, Interceptor, anybody, concerns, identified
from services.common.rpc.rates import Rates
from services.common.rpc.shares import Shares
from services.common.settings import ServiceSettings
from services.common.telemetry.spans import tracer

# One connection may carry every call that the service admits, and this many probes, up to a bound. More are
# refused, which is what keeps a client that begins and resets them (HTTP/2 rapid reset) from starving others:
# with 64 they notice nothing, with 256 they wait, and with 512 some of their calls fail.
SPARE_STREAMS = 16
MAX_STREAMS = 256
# Calls of all connections beyond the admitted ones: probes, reflection, refusals being written.
RESERVED_RPCS = 80
# What still runs on a connection that is too old goes on for so long: longer than any call of a command.
MAX_CONNECTION_GRACE_SECONDS = 4000
# Probes ask one after the other.
_PROBE_CALLS = 32
_PROBE_BYTES = 4096
# Two processes on one port would share its calls at random.
_OWN_PORT = [("grpc.so_reuseport", 0)]


class ListenError(Exception):
    """The address to listen on cannot be had."""


def new_server(settings: ServiceSettings, admission: Admission) -> grpc.aio.Server:
    """Return a server with the interceptors and limits; call it inside the event loop that will run it."""
    return grpc.aio.server(
        interceptors=[*tracer().server_interceptors, Interceptor(concerns(admission, _caller(settings)))],
        maximum_concurrent_rpcs=settings.max_concurrent_rpcs + RESERVED_RPCS,
        options=[
            ("grpc.max_send_message_length", settings.max_message_bytes),
            ("grpc.max_receive_message_length", settings.max_message_bytes),
            ("grpc.max_concurrent_streams", min(settings.max_concurrent_rpcs + SPARE_STREAMS, MAX_STREAMS)),
            # A connection outlives the certificate that it began with, and pins its calls to one replica.
            ("grpc.max_connection_age_ms", round(settings.max_connection_age_seconds * 1000)),
            ("grpc.max_connection_age_grace_ms", MAX_CONNECTION_GRACE_SECONDS * 1000),
            *_OWN_PORT,
        ],
    )


def _caller(settings: ServiceSettings) -> Concern:
    if settings.tls is None:
        return anybody
    peers = Peers(settings.trust_domain, frozenset(settings.users))
    rates = Rates(settings.max_calls_per_second, time.monotonic)
    return identified(peers, rates, Shares(settings.max_calls_of_one_caller))


def new_health_server() -> grpc.aio.Server:
    """Return a server for probes alone, which tell nobody who they are; it stays small whoever calls it."""
    return grpc.aio.server(
        maximum_concurrent_rpcs=_PROBE_CALLS,
        options=[
            ("grpc.max_send_message_length", _PROBE_BYTES),
            ("grpc.max_receive_message_length", _PROBE_BYTES),
            ("grpc.max_concurrent_streams", _PROBE_CALLS),
            *_OWN_PORT,
        ],
    )


def listen(server: grpc.aio.Server, address: str, certificates: Watched | None = None) -> str:
    """Bind the server and return the address with the port it got; raises ListenError.

    With certificates it takes only connections of those who show one of a trusted authority.
    """
    host, _, port = address.rpartition(":")
    try:
        if certificates:
            bound = server.add_secure_port(address, _credentials(certificates))
        else:
            bound = server.add_insecure_port(address)
    except RuntimeError:
        raise ListenError(
            f"cannot listen on {address}: port {port} is already taken, or {host} is not of this machine"
        ) from None
    return f"{host}:{bound}"


def _credentials(certificates: Watched) -> grpc.ServerCredentials:
    def renewed() -> grpc.ServerCertificateConfiguration | None:
        """Return what is new; gRPC asks at each new connection, in a thread of its own."""
        material = certificates.renewed()
        return _configuration(material) if material else None

    return grpc.dynamic_ssl_server_credentials(
        _configuration(certificates.material),
        renewed,  # type: ignore[arg-type] # None says that nothing is new; the stubs forget it
        require_client_authentication=True,
    )


def _configuration(material: Material) -> grpc.ServerCertificateConfiguration:
    pair = (material.key, material.certificate)
    return grpc.ssl_server_certificate_configuration([pair], material.authorities)


def add_reflection(server: grpc.aio.Server, names: tuple[str, ...]) -> None:
    """Let clients list the services and read their contracts."""
    reflection.enable_server_reflection((*names, HEALTH_SERVICE, reflection.SERVICE_NAME), server)
