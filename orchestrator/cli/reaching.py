"""How the command line reaches a diagnosis service: with its own certificate where its settings name one."""

from collections.abc import Mapping
from typing import NamedTuple

import grpc.aio

from orchestrator.cli.errors import wrong_input
from orchestrator.cli.settings import own_settings
from services.common.processes import ORCHESTRATOR
from services.common.rpc.callers import server_name
from services.common.rpc.certificates import CertificateError
from services.common.rpc.channels import ClientTls, open_channel


class Reached(NamedTuple):
    """Where a service is, and what the command shows and demands there; nothing on this machine."""

    address: str
    tls: ClientTls | None = None


def remote(target: str, environ: Mapping[str, str]) -> Reached:
    """Return how to reach the service of `--target`; raises CommandError when that would protect nothing."""
    settings = own_settings(environ)
    try:
        settings.refuse_open("--target", target)
    except ValueError as error:
        raise wrong_input(str(error)) from None
    if settings.tls is None:
        return Reached(target)
    return Reached(target, ClientTls(settings.tls, server_name(ORCHESTRATOR, settings.trust_domain)))


def channel_to(reached: Reached, max_message_bytes: int) -> grpc.aio.Channel:
    """Open a channel; raises CommandError for certificates that cannot be used."""
    try:
        return open_channel(reached.address, max_message_bytes, reached.tls)
    except CertificateError as error:
        raise wrong_input(error.message) from None
