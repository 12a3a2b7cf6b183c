"""The time that a question is about, as far as it is bounded."""

from dataclasses import dataclass
from math import inf

from assay.common.v1 import context_pb2

from services.common.evidence.strict_json import Json


@dataclass(frozen=True)
class Window:
    """A half-open interval in seconds since the epoch; an open side is infinite."""

    start: float = -inf
    end: float = inf
    arguments: tuple[tuple[str, str], ...] = ()
    """The bounds that were given, as the tools take them."""

    def holds(self, seconds: float) -> bool:
        """Tell whether an instant lies in it."""
        return self.start <= seconds < self.end

    def is_over(self, seconds: float) -> bool:
        """Tell whether it had ended by an instant."""
        return seconds >= self.end

    def bounds(self) -> dict[str, Json]:
        """Return the bounds as arguments of a tool."""
        return dict(self.arguments)


def window_of(context: context_pb2.DiagnosisContext) -> Window:
    """Return the window of a question; without one, all time."""
    sides = [side for side in ("start", "end") if context.window.HasField(side)]
    stamps = {side: getattr(context.window, side) for side in sides}
    seconds = {side: stamp.ToNanoseconds() / 1e9 for side, stamp in stamps.items()}
    arguments = tuple((side, stamp.ToJsonString()) for side, stamp in stamps.items())
    return Window(seconds.get("start", -inf), seconds.get("end", inf), arguments)
