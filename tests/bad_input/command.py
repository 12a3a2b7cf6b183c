"""The real command in the rows of the table: run as a person runs it, and what that person sees."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from tests.bad_input.table import CannotHappenError, Place, Seen
from tests.fakes.bundles import write
from tests.fakes.command_line import ASSAY, LIMIT_SECONDS, environment

QUESTION = "Why does api fail?"
LOG = "".join(
    f"2026-11-30T09:{minute:02}:00Z {'ERROR db refused' if minute > 30 else 'INFO served'}\n"
    for minute in range(60)
)

Files = Mapping[str, str | bytes | dict[str, Any] | list[Any]]


def seen(ended: "subprocess.CompletedProcess[str]", more: str = "") -> Seen:
    """Return what a person sees of a command that has ended: its error, else the headline of its answer."""
    stdout = ended.stdout or ""
    return Seen(_told(stdout, ended.stderr), str(ended.returncode), stdout + ended.stderr + more)


def _told(stdout: str, stderr: str) -> str:
    for line in stderr.splitlines():
        if line.startswith(("assay:", "Error:")) or "cannot start:" in line:
            return line
    # Question, verdict with what must be known of it, then the answer.
    verdict = "".join(stdout.split("\n\n")[1:2])
    looked_at = stdout.partition("\nLooked at\n")[2].partition("\n\n")[0]
    return " ".join([*verdict.split(), *looked_at.split()])


async def run(
    place: Place,
    *command: str,
    environ: Mapping[str, str] | None = None,
    stdout: int = subprocess.PIPE,
) -> "subprocess.CompletedProcess[str]":
    """Run any command with the row's own state folder."""

    def ended() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(  # noqa: S603 - the project's own command, and the system's own around it
            command,
            env=environment(place.home, **(environ or {})),
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            errors="backslashreplace",
            timeout=LIMIT_SECONDS,
            check=False,
        )

    return await asyncio.to_thread(ended)


async def assay(place: Place, *arguments: str, **environ: str) -> Seen:
    """Run `assay`, with what its local services logged."""
    ended = await run(place, ASSAY, *arguments, environ=environ)
    return seen(ended, logged(place))


def logged(place: Place) -> str:
    """Return what the services of the row's own state folder wrote."""
    folder = place.home / "logs"
    if not folder.is_dir():
        return ""
    return "".join(path.read_text(errors="backslashreplace") for path in sorted(folder.glob("*.log")))


def diagnosing(bundle: str, *more: str, question: str = QUESTION) -> Callable[[Place], Awaitable[Seen]]:
    """Return a row's runner: a diagnosis by a stack of its own, of a bundle in the row's folder."""

    async def runner(place: Place) -> Seen:
        return await assay(place, "diagnose", question, "--bundle", str(place.folder / bundle), *more)

    return runner


def asking(question: str, *more: str) -> Callable[[Place], Awaitable[Seen]]:
    """Return a row's runner: a question to the shared stack about a sound bundle."""
    return with_files({"app.log": LOG}, *more, question=question)


def with_files(
    files: Files, *more: str, question: str = QUESTION, prepare: Callable[[Path], None] | None = None
) -> Callable[[Place], Awaitable[Seen]]:
    """Return a row's runner: a diagnosis by the shared stack, of a bundle with these files."""

    async def runner(place: Place) -> Seen:
        bundle = place.shared.root / place.folder.name
        bundle.mkdir()
        write(bundle, files)
        if prepare:
            await asyncio.to_thread(prepare, bundle)
        return await remote(place, bundle.name, *more, question=question)

    return runner


async def remote(place: Place, bundle: str, *more: str, question: str = QUESTION) -> Seen:
    """Ask the shared stack about a bundle below its root."""
    where = ["--bundle", bundle, "--target", place.shared.address]
    return await assay(place, "diagnose", question, *where, *more)


async def unprivileged(place: Place, *command: str, **environ: str) -> Seen:
    """Run a command to which the permissions of files apply, as they do not to root's."""
    if os.geteuid() == 0:
        command = ("setpriv", "--bounding-set=-all", *command)
        if not shutil.which("setpriv"):
            raise CannotHappenError("root cannot drop its privileges without setpriv")
    return seen(await run(place, *command, environ=environ), logged(place))
