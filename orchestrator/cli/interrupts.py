"""What a signal does while no run can be under way: before the first and after the last of the real work.

This module loads nothing that takes time, so that it holds from the first moment on.
"""

import contextlib
import os
import signal
from types import FrameType
from typing import Final, NoReturn

STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# ExitCode.CANCELLED; its own module takes as long to load as all the others.
CANCELLED: Final = 4


def end_at_once() -> None:
    """Let each of the signals end this process with one line and the exit code of what was cancelled."""
    for number in STOP_SIGNALS:
        signal.signal(number, _end)


def let_it_exit() -> None:
    """Have no signal change the exit code any more: Python puts the system's reactions back as it ends."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    with contextlib.suppress(OSError):
        os.write(2, b"assay: cancelled\n")
    os._exit(CANCELLED)
