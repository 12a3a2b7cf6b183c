"""The settings of every process, as each tells its own: nobody else knows what a service can be told."""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping, Sequence
from typing import Final

from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.local_stack.environment import chosen, inherited, module_of
from orchestrator.cli.settings import CommandSettings, own_variables
from services.common.processes import SERVICES
from services.common.settings_report import Report, report

ORIGIN_STACK: Final = "chosen by the local stack"
_SECONDS: Final = 30.0


async def every_report(environ: Mapping[str, str], flags: Mapping[str, str]) -> list[Report]:
    """Return the report of the command line and of each service.

    `flags` names the flag behind a variable. What the local stack decides is not shown with a value: it is
    another one every time.
    """
    services = await asyncio.gather(*(_report(service, environ) for service in SERVICES))
    rows = [row for told in services for row in told["settings"]]
    others = {name for row in rows for name in (row["variable"], row["shared_variable"]) if name}
    told = [report(CommandSettings, own_variables(environ), others), *services]
    for item in told:
        for row in item["settings"]:
            row["origin"] = flags.get(row["origin"], row["origin"])
    return told


def problems_of(reports: Sequence[Report]) -> list[str]:
    """Return every problem once; what is wrong with the file itself, all processes say."""
    return list(dict.fromkeys(problem for told in reports for problem in told["problems"]))


async def _report(service: str, environ: Mapping[str, str]) -> Report:
    own = chosen(service, environ)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        f"{module_of(service)}.settings",
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=DEVNULL,
        env={**inherited(service, environ), **own},
    )
    told = await _output(process)
    try:
        made: Report = json.loads(told)
    except ValueError:
        raise CommandError(
            f"the settings of the {service} cannot be told: its program does not run", ExitCode.ERROR
        ) from None
    for row in made["settings"]:
        if row["variable"] in own:
            row["value"], row["origin"] = None, ORIGIN_STACK
    return made


async def _output(process: Process) -> bytes:
    try:
        async with asyncio.timeout(_SECONDS):
            return (await process.communicate())[0]
    except TimeoutError:
        return b""
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
