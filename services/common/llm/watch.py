"""How a model's endpoint is, for readiness and for a person: looked at now and then, never inside a call."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from assay.common.v1 import process_pb2

from services.common.llm.addresses import host_and_port, is_open
from services.common.llm.failures import FAILURES, RequestFailedError
from services.common.llm.port import Kind
from services.common.llm.settings import ReasonerSettings

LOOK_SECONDS: Final = 1.0
# Whoever asks how the process is waits so long for the form of answers; the search goes on without them.
FIND_SECONDS: Final = 1.0
# How long a look holds.
FRESH_SECONDS_GOOD: Final = 5.0
FRESH_SECONDS_BAD: Final = 1.0


class Looker(Protocol):
    """Looks at an endpoint without asking its model."""

    async def look(self, seconds: float) -> Kind | None:
        """Return what is wrong with it, or None."""
        ...


class ModeFinder(Protocol):
    """Knows in which mode the endpoint answers."""

    @property
    def mode(self) -> str:
        """The mode, empty while it is not known."""
        ...

    async def find_mode(self) -> None:
        """Find it out; raises RequestFailedError."""
        ...


class EndpointWatch:
    """One endpoint and what was last seen of it. `now` is the event loop's clock, in seconds."""

    def __init__(
        self, looker: Looker, finder: ModeFinder, settings: ReasonerSettings, now: Callable[[], float]
    ) -> None:
        self._looker = looker
        self._finder = finder
        self._settings = settings
        self._now = now
        self._looking = asyncio.Lock()
        self._seen: Kind | None = None
        self._fresh_until = now()

    async def ready(self) -> bool:
        """Tell whether the model can be asked."""
        return await self._look() is None

    async def problems(self) -> Sequence[str]:
        """Tell what is wrong, a sentence."""
        seen = await self._look()
        if seen is None:
            return ()
        where = host_and_port(self._settings.model_base_url)
        return (f"model endpoint {where}: {FAILURES[seen].sentence}",)

    async def describe(self) -> process_pb2.ModelEndpoint:
        """Describe the endpoint; looks for its mode, too, when it can be asked."""
        reachable = await self._look() is None
        if reachable:
            with contextlib.suppress(TimeoutError, RequestFailedError):
                async with asyncio.timeout(FIND_SECONDS):
                    await self._finder.find_mode()
        return process_pb2.ModelEndpoint(
            address=host_and_port(self._settings.model_base_url),
            name=self._settings.model_name,
            mode=self._finder.mode,
            reachable=reachable,
            key_in_clear=self._settings.model_api_key is not None and is_open(self._settings.model_base_url),
        )

    async def _look(self) -> Kind | None:
        async with self._looking:
            if self._now() >= self._fresh_until:
                self._seen = await self._looker.look(LOOK_SECONDS)
                fresh = FRESH_SECONDS_GOOD if self._seen is None else FRESH_SECONDS_BAD
                self._fresh_until = self._now() + fresh
            return self._seen
