"""Channels to other services.

A channel retries nothing: the graph decides what is tried again. Every call passes `timeout=` itself, because
a timeout in a service config fires early and cannot follow the caller's remaining time.
"""

import grpc.aio

from services.common.rpc.context import RUN_ID_KEY, check_run_id


def open_channel(address: str, max_message_bytes: int) -> grpc.aio.Channel:
    """Open a channel; call it inside the running event loop that will use it, and close it there."""
    return grpc.aio.insecure_channel(
        address,
        options=[
            ("grpc.max_send_message_length", max_message_bytes),
            ("grpc.max_receive_message_length", max_message_bytes),
            ("grpc.enable_retries", 0),
            # A proxy variable of the environment must not redirect calls between the services.
            ("grpc.enable_http_proxy", 0),
            # By default a service that restarts would stay unreachable for up to two minutes.
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 2000),
            # Despite its name, how long one attempt to connect may take: a busy machine needs seconds.
            ("grpc.min_reconnect_backoff_ms", 5000),
            # Channels share connections, and their back-off, unless they are told not to.
            ("grpc.use_local_subchannel_pool", 1),
        ],
    )


def call_metadata(run_id: str) -> tuple[tuple[str, str], ...]:
    """Return the metadata of a call that belongs to a run; raises InvalidArgumentError for a malformed id."""
    return ((RUN_ID_KEY, check_run_id(run_id)),)
