"""What the program says of the work that it does, for whoever traces it; by default nobody does.

A process has one tracer, as it has one log: `install` sets it before anything is built.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from enum import Enum
from typing import Any, Protocol

from services.common.telemetry.allowed import Value


class Kind(Enum):
    """What a span is to others: work of this process, or a request to another one."""

    INTERNAL = "internal"
    CLIENT = "client"


class Span(Protocol):
    """One piece of work. What may be noted of it is in `allowed.py`; anything else does not leave."""

    def note(self, attributes: Mapping[str, Value], /) -> None:
        """Add attributes."""
        ...

    def evaluated(self, name: str, label: str, /) -> None:
        """Add that something was judged: what judged, and its word."""
        ...

    def failed(self, error_type: str, /) -> None:
        """Say that the work failed, and how, by a name of a closed list."""
        ...


class Tracer(Protocol):
    """Takes spans."""

    @property
    def server_interceptors(self) -> Sequence[Any]:
        """What each server of the process puts around its calls."""
        ...

    def client_interceptors(self, address: str, /) -> Sequence[Any]:
        """Return what each channel to an address puts around its calls."""
        ...

    def span(self, name: str, kind: Kind, attributes: Mapping[str, Value], /) -> AbstractContextManager[Span]:
        """Return a block that is one span, below the current one."""
        ...

    def current(self) -> tuple[str, str] | None:
        """Return the ids of the current trace and span in hexadecimal; None outside one."""
        ...

    def called(self, code: int, /) -> None:
        """Say with which gRPC status the call of the current server span ended."""
        ...


class _Nothing:
    """A span that nobody takes."""

    def note(self, *_: object) -> None:
        return

    evaluated = failed = note


class _Nobody:
    """Takes no span, at no cost."""

    server_interceptors: Sequence[Any] = ()

    def __init__(self) -> None:
        self._nothing = nullcontext(_Nothing())

    def client_interceptors(self, *_: object) -> Sequence[Any]:
        return ()

    def span(self, *_: object) -> AbstractContextManager[Span]:
        return self._nothing

    def current(self) -> None:
        return None

    def called(self, *_: object) -> None:
        return


_tracer: Tracer = _Nobody()


def install(tracer: Tracer | None) -> None:
    """Set the tracer of the process; None takes it away."""
    global _tracer  # noqa: PLW0603 - one for the process, as the log
    _tracer = _Nobody() if tracer is None else tracer


def tracer() -> Tracer:
    """Return the tracer of the process."""
    return _tracer


def span(
    name: str, attributes: Mapping[str, Value], kind: Kind = Kind.INTERNAL
) -> AbstractContextManager[Span]:
    """Return a block that is one span, below the current one."""
    return _tracer.span(name, kind, attributes)
