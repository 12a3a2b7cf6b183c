"""`assay up`: the local stack in the foreground, until it is told to end or a part of it ends."""

import asyncio
import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from orchestrator.cli.errors import CommandError, wrong_input
from orchestrator.cli.layout import Layout
from orchestrator.cli.local_stack import local_stack
from orchestrator.cli.local_stack.logs import PassedOnLog, opened
from orchestrator.cli.own_command import command
from orchestrator.cli.settings import is_given, loopback
from orchestrator.cli.state_folder import exclusive, prepare, state_folder
from services.common.visible import visible

_MAX_LOG_BYTES: Final = 16 << 20


@dataclass(frozen=True)
class Ready:
    """A stack that takes calls: where, and below which folder; that is empty when the settings name it.

    `lacking` tells what is wrong with models that cannot be asked, a sentence each.
    """

    address: str
    bundle_root: str
    lacking: Sequence[str] = ()


@dataclass(frozen=True)
class Up:
    """One `assay up`."""

    listen: str
    bundle_root: Path | None
    log_file: Path | None


async def up(wanted: Up, environ: Mapping[str, str], announce: Callable[[Ready], None]) -> None:
    """Keep the stack until this task is cancelled, which is its ordered end.

    Raises CommandError when the stack cannot start, or when one of its processes ends by itself.
    """
    folder = prepare(state_folder(environ))
    root = root_of(wanted.bundle_root, environ)
    with _sink(wanted.log_file) as pass_on:
        try:
            async with (
                exclusive(folder, 0, lambda: None),
                local_stack(
                    folder, root, environ, listen=wanted.listen, logs=lambda _: PassedOnLog(pass_on)
                ) as stack,
            ):
                announce(Ready(stack.address, str(root or ""), stack.lacking))
                raise await stack.death()
        except asyncio.CancelledError:
            return


def root_of(given: Path | None, environ: Mapping[str, str]) -> Path | None:
    """Return the folder that bundles are named below: the option's, else the settings' (None), else here."""
    if given is None:
        return None if is_given(environ, "executor", "bundle_root") else Path.cwd()
    if not given.is_dir():
        raise wrong_input(f"--bundle-root: there is no folder {given}")
    return given.resolve()


def listen_address(typed: str) -> str:
    """Return an address to listen on; raises CommandError for one that others can reach."""
    try:
        return loopback(typed)
    except ValueError as error:
        raise wrong_input(f"--listen: {error}") from None


def as_text(ready: Ready) -> str:
    """Return what a person has to know, the address on the first line."""
    layout = Layout()
    below = f"bundles below {ready.bundle_root}" if ready.bundle_root else "bundles as the settings say"
    return "".join(
        f"{line}\n"
        for line in (
            f"assay is ready at {ready.address}, {visible(below)}",
            *(f"It takes no diagnosis yet. {visible(lacking)}" for lacking in ready.lacking),
            layout.command(command("diagnose", "QUESTION", "--bundle", "NAME", "--target", ready.address)),
            layout.command(f"grpcurl -plaintext {ready.address} list"),
            "Ctrl-C ends it.",
        )
    )


def as_json(ready: Ready) -> str:
    """Return one line of JSON."""
    told = {
        "event": "ready",
        "address": ready.address,
        "bundle_root": ready.bundle_root or None,
        "lacking": list(ready.lacking),
    }
    return json.dumps(told) + "\n"


@contextlib.contextmanager
def _sink(path: Path | None) -> Iterator[Callable[[str], None]]:
    """Give what takes the lines of all processes: standard error, or a file of bounded size."""
    if path is None:
        yield _to_standard_error
        return
    file = _LogFile(path)
    try:
        yield file.write
    finally:
        file.close()


def _to_standard_error(line: str) -> None:
    sys.stderr.write(f"{visible(line)}\n")


class _LogFile:
    """The file of `--log-file`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = self._opened()

    def write(self, line: str) -> None:
        # A full disk loses lines of the log; it does not end the stack.
        with contextlib.suppress(OSError, ValueError, CommandError):
            self._file.write(line.encode("utf-8", "replace") + b"\n")
            self._file.flush()
            if self._file.tell() > _MAX_LOG_BYTES:
                self._file.close()
                self._file = self._opened()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._file.close()

    def _opened(self) -> BinaryIO:
        return opened(self._path, _MAX_LOG_BYTES, "name another file with --log-file")
