"""The options before every command, laid over the environment of this process.

Whatever it starts reads the same file and the same variables.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from orchestrator.cli.errors import CommandError
from orchestrator.cli.local_stack.settings_reports import every_report, problems_of
from orchestrator.cli.options import text
from orchestrator.cli.running import run_to_end
from orchestrator.cli.settings import CommandSettings, flag_variables, own_settings, variable
from services.common.processes import COMMAND_LINE
from services.common.settings_file import CONFIG_VARIABLE

# Commands that show what is wrong with the settings, and so must begin whatever it is.
SHOWING_SETTINGS = frozenset({"config", "doctor"})


def lay_over(
    config: str | None, assignments: Sequence[str], tls_files: Mapping[str, str | None]
) -> dict[str, str]:
    """Lay the flags over the environment; returns which flag stands behind which variable.

    `tls_files` are the values of `--tls-certificate`, `--tls-key` and `--tls-ca` by their last words.
    """
    variables = flag_variables(config, assignments)
    behind = {name: "--config" if name == CONFIG_VARIABLE else "--set" for name in variables}
    for word, value in tls_files.items():
        if value is not None:
            name = variable(COMMAND_LINE, f"tls_{word}_file")
            variables[name], behind[name] = text(f"--tls-{word}", value), f"--tls-{word}"
    os.environ.update(variables)
    return behind


def checked_settings(flags: Mapping[str, str]) -> CommandSettings:
    """Return the command line's settings; raises CommandError with the problems of every process."""
    try:
        return own_settings(os.environ)
    except CommandError as error:
        # Only now is it worth the time to ask every service what it can be told.
        problems = problems_of(run_to_end(every_report(os.environ, flags)))
        raise CommandError(error.message, error.exit_code, problems) from None


def set_defaults(context: typer.Context, settings: CommandSettings) -> None:
    """Make the settings the defaults of the commands' options of the same meaning."""
    defaults: dict[str, Any] = {"timeout": settings.timeout_seconds, "listen": settings.listen}
    if settings.target is not None:
        defaults["target"] = settings.target
    if isinstance(context.command, TyperGroup):
        context.default_map = dict.fromkeys(context.command.commands, defaults)
    if settings.color == "never":
        # As whatever this process starts understands it, too.
        os.environ["NO_COLOR"] = "1"
