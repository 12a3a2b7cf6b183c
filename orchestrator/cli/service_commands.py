"""The commands about the services themselves: `up`, `doctor`, `config show`."""

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli import config_command, doctor, options, streams
from orchestrator.cli import up as up_command
from orchestrator.cli.doctor import Doctor
from orchestrator.cli.errors import CommandError
from orchestrator.cli.layout import layout_for
from orchestrator.cli.leaving import found_by, put
from orchestrator.cli.parameters import AsJson, Target
from orchestrator.cli.running import fail, run_to_end
from orchestrator.cli.up import Ready, Up


def add_to(app: typer.Typer) -> None:
    """Add the commands to an application."""
    app.command()(up)
    app.command(name="doctor")(examine)
    config = typer.Typer(no_args_is_help=True, help="Settings of all processes.", rich_markup_mode=None)
    config.command(name="show")(show_config)
    # Alone in its group, a command would take the group's name.
    config.callback()(_config)
    app.add_typer(config, name="config")


def up(
    bundle_root: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Folder that bundles are named below; else here."),
    ] = None,
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where to serve; port 0 picks a free one.")
    ] = "127.0.0.1:0",
    log_file: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Where all services log, instead of standard error."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Run the services in the foreground, until Ctrl-C."""

    def announce(ready: Ready) -> None:
        streams.print_answer(up_command.as_json(ready) if json else up_command.as_text(ready))

    try:
        wanted = Up(
            up_command.listen_address(options.address(listen, "--listen")),
            _path("--bundle-root", bundle_root),
            _path("--log-file", log_file),
        )
        run_to_end(up_command.up(wanted, os.environ, announce))
    except CommandError as error:
        fail(error)


def examine(
    target: Target = None,
    bundle: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Also show what a diagnosis of it would read."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Look whether everything that a diagnosis needs is there. Exit code 1 when something is wrong."""

    def wanted() -> Doctor:
        address = doctor.target_of(options.address(target), os.environ)
        return Doctor(address, options.bundle(bundle, address) if bundle is not None else None)

    found = found_by(lambda progress: doctor.examine(wanted(), os.environ, progress))
    layout = layout_for(sys.stdout, shutil.get_terminal_size().columns, os.environ)
    put(doctor.as_json(found) if json else doctor.as_text(found, layout))
    raise typer.Exit(int(doctor.exit_code(found)))


def _config() -> None:
    pass


def show_config(context: typer.Context, json: AsJson = False) -> None:
    """Show every setting of every process, and who set it. Secrets are hidden."""
    told = found_by(lambda _: config_command.reports(os.environ, context.obj))
    put(config_command.as_json(told) if json else config_command.as_file(told))
    if error_of_all := config_command.error_of(told):
        fail(error_of_all)


def _path(option: str, value: str | None) -> Path | None:
    return None if value is None else options.path(option, value)
