"""Standard streams as a caller may leave them: closed, full, without a reader, unable to show a character."""

import contextlib
import io
import os
import sys


class _Optional(io.TextIOWrapper):
    """A stream whose text may be lost: that nobody can read the progress is no reason to end a run."""

    def write(self, text: str, /) -> int:
        with contextlib.suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            super().flush()


def prepare() -> None:
    """Make the standard streams safe to use; call it before anything is opened or printed.

    A closed descriptor is filled, or the next file that is opened would take its number and receive what is
    meant to be printed. What a terminal cannot show stands there as its escape.
    """
    for descriptor in range(3):
        _fill(descriptor)
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "wb", closefd=False), encoding="utf-8", write_through=True)
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # the real stream can
    encoding = sys.stderr.encoding if sys.stderr else "utf-8"
    sys.stderr = _Optional(
        io.BufferedWriter(io.FileIO(2, "wb", closefd=False)),
        encoding,
        "backslashreplace",
        line_buffering=True,
    )


def print_answer(output: str | bytes) -> None:
    """Write text, or bytes as they are, to standard output; raises OSError when that fails.

    A reader that has gone away (`assay ... | head -1`) had what it wanted: that is no failure.
    """
    try:
        if isinstance(output, bytes):
            sys.stdout.buffer.write(output)
        else:
            sys.stdout.write(output)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
    except OSError:
        _drop_output()
        raise


def give_up_output() -> None:
    """Write what is buffered for standard output, or drop it where that fails."""
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()


def _fill(descriptor: int) -> None:
    try:
        os.fstat(descriptor)
    except OSError:
        # Reading only: that what was printed went nowhere must still be an error.
        os.open(os.devnull, os.O_RDONLY)


def _drop_output() -> None:
    """Send what is still buffered nowhere, or the interpreter would fail on it once more when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
