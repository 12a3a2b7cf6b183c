"""The telemetry of a process, from its settings: begun before anything is built, ended after all else."""

from collections.abc import Iterator
from contextlib import contextmanager

import grpc

from services.common.processes import ORCHESTRATOR
from services.common.rpc.certificates import Material, Watched
from services.common.rpc.process import own_version
from services.common.settings import ServiceSettings, process_name
from services.common.telemetry import metrics, spans
from services.common.tls_settings import TlsFiles, is_loopback


@contextmanager
def traced(settings: ServiceSettings) -> Iterator[None]:
    """Trace inside the block where the settings name a collector; what waits at its end is still sent.

    Raises CertificateError for certificates that cannot be used.
    """
    if not settings.otlp_endpoint:
        yield
        return
    from services.common.telemetry.tracing import Tracing  # noqa: PLC0415 - large, and not for everyone

    name = process_name(type(settings))
    tracing = Tracing(
        {"service.name": f"assay-{name}", "service.namespace": "assay", "service.version": own_version()},
        settings.otlp_endpoint,
        Credentials(settings.tls),
        continues=_continues(name, settings),
    )
    spans.install(tracing)
    try:
        yield
    finally:
        spans.install(None)
        tracing.close()


@contextmanager
def metered(settings: ServiceSettings) -> Iterator[None]:
    """Count inside the block where the settings say that metrics are served."""
    if not settings.metrics_listen:
        yield
        return
    from services.common.telemetry.prometheus import Prometheus  # noqa: PLC0415 - not for everyone

    metrics.install(Prometheus())
    try:
        yield
    finally:
        metrics.install(None)


def _continues(name: str, settings: ServiceSettings) -> bool:
    """Tell whether calls go on with their callers' traces.

    The agents' caller is the orchestrator. Its own may be anybody, who could mix their traces with those of
    others: so they have to prove who they are, or be on this machine.
    """
    return name != ORCHESTRATOR or settings.tls is not None or is_loopback(settings.listen)


class Credentials:
    """The process's own certificate for the collector, as it is renewed; without one, none."""

    def __init__(self, files: TlsFiles | None) -> None:
        self._watched = Watched(files) if files else None
        self._is_new = True

    def __call__(self) -> grpc.ChannelCredentials | None:
        if self._watched is None:
            return None
        material = self._watched.material if self._is_new else self._watched.renewed()
        self._is_new = False
        return _credentials(material) if material else None


def _credentials(material: Material) -> grpc.ChannelCredentials:
    return grpc.ssl_channel_credentials(material.authorities, material.key, material.certificate)
