"""The tracer of a process, in the process of a test."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from services.common.rpc.telemetry import traced
from services.common.settings import ServiceSettings
from tests.fakes.collector import Collector, collecting
from tests.fakes.scripted import ScriptedSettings


@contextmanager
def tracing(settings: type[ServiceSettings] = ScriptedSettings, **more: Any) -> Iterator[Collector]:  # noqa: ANN401 - values of settings
    """Trace inside the block as a process with these settings does; afterwards all has come.

    Open what is to be traced inside the block.
    """
    with collecting() as collector, traced(settings(otlp_endpoint=collector.endpoint, **more)):
        yield collector
