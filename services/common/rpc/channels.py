"""Channels to other services.

A channel sends again only what no service has begun: what else is tried again, the graph decides. Every call
passes `timeout=` itself, because a timeout in a service config fires early and cannot follow the caller's
remaining time.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import grpc
import grpc.aio

from services.common.rpc.certificates import Material, Watched
from services.common.rpc.context import RUN_ID_KEY, check_run_id
from services.common.rpc.preferring_channel import LOOK_UP_SECONDS, Pair, PreferringChannel
from services.common.rpc.renewed_channel import RenewedChannel
from services.common.telemetry.spans import tracer
from services.common.tls_settings import TlsFiles

# A service may be many pods behind one name: each gets its share of the calls.
_SPREAD: Final[Mapping[str, object]] = {"loadBalancingConfig": [{"round_robin": {}}]}
# The empty name is the readiness of whatever serves.
_SPREAD_OVER_READY: Final[Mapping[str, object]] = {**_SPREAD, "healthCheckConfig": {"serviceName": ""}}


@dataclass(frozen=True, slots=True)
class ClientTls:
    """What a client shows of itself, and the DNS name that it demands of the service, wherever that is.

    gRPC compares the names of hosts only, never a URI: so a service's certificate holds both.
    """

    files: TlsFiles
    server_name: str


def open_channel(address: str, max_message_bytes: int, tls: ClientTls | None = None) -> grpc.aio.Channel:
    """Open a channel; call it inside the running event loop that will use it, and close it there.

    Without `tls` it is plaintext. Raises CertificateError for files that cannot be used.
    """
    return _open(address, tls, _options(max_message_bytes, _SPREAD))


def open_preferring(address: str, max_message_bytes: int, tls: ClientTls | None = None) -> grpc.aio.Channel:
    """Open a channel to a service of several pods, as above; a pod that is not ready is asked last."""

    def open_pair() -> Pair:
        return Pair(
            ready=_open(address, tls, _options(max_message_bytes, _SPREAD_OVER_READY)),
            anybody=_open(address, tls, _options(max_message_bytes, _SPREAD)),
        )

    return PreferringChannel(open_pair)


def _open(address: str, tls: ClientTls | None, options: list[tuple[str, str | int]]) -> grpc.aio.Channel:
    interceptors = tracer().client_interceptors(address)
    if tls is None:
        return grpc.aio.insecure_channel(address, options=options, interceptors=interceptors)
    watched = Watched(tls.files)
    options.append(("grpc.ssl_target_name_override", tls.server_name))

    def open_with(material: Material) -> grpc.aio.Channel:
        return grpc.aio.secure_channel(
            address,
            grpc.ssl_channel_credentials(material.authorities, material.key, material.certificate),
            options=options,
            interceptors=interceptors,
        )

    return RenewedChannel(watched, open_with)


def _options(max_message_bytes: int, service_config: Mapping[str, object]) -> list[tuple[str, str | int]]:
    return [
        ("grpc.max_send_message_length", max_message_bytes),
        ("grpc.max_receive_message_length", max_message_bytes),
        # A call that meets a connection just as that ends, such as for its age, is sent once more. No policy
        # for more is configured, and none is taken from the records of a name.
        ("grpc.enable_retries", 1),
        ("grpc.service_config", json.dumps(service_config)),
        ("grpc.service_config_disable_resolution", 1),
        # Who comes or goes is soon noticed once a connection has ended, or says that it is not ready.
        ("grpc.dns_min_time_between_resolutions_ms", round(LOOK_UP_SECONDS * 1000)),
        # A proxy variable of the environment must not redirect calls between the services.
        ("grpc.enable_http_proxy", 0),
        # By default a service that restarts would stay unreachable for up to two minutes.
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 2000),
        # Despite its name, how long one attempt to connect may take: a busy machine needs seconds.
        ("grpc.min_reconnect_backoff_ms", 5000),
        # Channels share connections, and their back-off, unless they are told not to.
        ("grpc.use_local_subchannel_pool", 1),
    ]


def call_metadata(run_id: str) -> tuple[tuple[str, str], ...]:
    """Return the metadata of a call that belongs to a run; raises InvalidArgumentError for a malformed id."""
    return ((RUN_ID_KEY, check_run_id(run_id)),)
