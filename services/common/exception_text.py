"""An exception as text that quotes nothing: messages may hold a stranger's text, a prompt or a secret."""

import traceback
from types import TracebackType

MAX_FRAMES = 30


def exception_text(error: BaseException) -> list[str]:
    """Return an exception and its causes, the last raised first: class names and frames, no messages."""
    lines: list[str] = []
    current: BaseException | None = error
    while current is not None and len(lines) < MAX_FRAMES:
        lines.append(f"{type(current).__module__}.{type(current).__qualname__}")
        lines += _frames(current.__traceback__)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return lines[:MAX_FRAMES]


def _frames(trace: TracebackType | None) -> list[str]:
    return [
        f"  {frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(traceback.extract_tb(trace))
    ]
