"""How the reader can call this command again: as this process was started, for it need not be on PATH."""

import os
import shlex
import shutil
import sys
from pathlib import Path

_NAME = "assay"


def show_command(run_id: str, target: str = "") -> str:
    """Return the command that shows a stored run, quoted for a shell."""
    return command("show", run_id, *for_target(target))


def for_target(target: str | None) -> list[str]:
    """Return the words that make a command ask the same service; none for the local one."""
    return ["--target", target] if target else []


def command(*words: str) -> str:
    """Return a call of this command with these words, quoted for a shell."""
    return shlex.join([*started_as(sys.argv[0], sys.executable), *words])


def started_as(script: str, python: str) -> list[str]:
    """Return the words that start this command: its name when PATH leads here, else the way to its file.

    A path below the working directory is written relative to it.
    """
    if Path(script).suffix == ".py":
        return [_from_here(python), "-m", "orchestrator.cli"]
    found = shutil.which(_NAME)
    if found and os.path.realpath(found) == os.path.realpath(script):
        return [_NAME]
    return [_from_here(script)]


def _from_here(path: str) -> str:
    try:
        here = Path.cwd()
    except OSError:
        # The working directory is gone; nothing is relative to it.
        return path
    whole = here / path
    if not whole.is_relative_to(here):
        return str(whole)
    below = str(whole.relative_to(here))
    return below if os.sep in below else f".{os.sep}{below}"
