"""A channel that goes on with new certificates. gRPC reads a client's certificate once per channel."""

import time
from collections.abc import Callable
from typing import Final

import grpc.aio

from services.common.rpc.certificates import Material, Watched
from services.common.rpc.successive_channel import SuccessiveChannel

# How often the files are looked at, at most.
LOOK_SECONDS: Final = 1.0

Open = Callable[[Material], grpc.aio.Channel]


class RenewedChannel(SuccessiveChannel):
    """A channel whose calls are always made with the certificate that the files hold."""

    def __init__(self, watched: Watched, open_with: Open) -> None:
        """Open the first real channel; call it inside the running event loop."""
        super().__init__(open_with(watched.material))
        self._watched = watched
        self._open_with = open_with
        self._looked = time.monotonic()

    def successor(self) -> grpc.aio.Channel | None:
        """Return a channel with what the files hold, where that has changed."""
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return None
        self._looked = now
        # Three small files, once in weeks: not worth a thread.
        material = self._watched.renewed()
        return self._open_with(material) if material is not None else None
