"""The log of this process, as a service would write it."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr

import structlog

from services.common.rpc import logs


@contextmanager
def logged(level: str) -> Iterator[io.StringIO]:
    """Log like a service inside the block, into what it yields; afterwards everything is as it was."""
    root, own, written = logging.getLogger(), logging.getLogger(logs.OWN), io.StringIO()
    handlers, levels = root.handlers[:], (root.level, own.level)
    with redirect_stderr(written):
        logs.configure("test", level)
    try:
        yield written
    finally:
        root.handlers[:] = handlers
        root.setLevel(levels[0])
        own.setLevel(levels[1])
        structlog.reset_defaults()
