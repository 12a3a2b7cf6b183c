"""The command `assay`: its own flags, its commands, its last line of defence."""

from importlib.metadata import version
from typing import Annotated

import typer

from orchestrator.cli import (
    diagnose_command,
    eval_command,
    flags,
    runs_command,
    service_commands,
    show_command,
    streams,
    tools_command,
    trace_command,
)
from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.running import fail

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Diagnoses incidents and says only what the evidence can carry.",
    epilog="Exit codes: 0 a proven answer, or done; 1 an error; 2 wrong usage, input or settings; "
    "3 every other ended answer (not proven, rejected, a step failed); 4 cancelled or out of time.",
)


def run() -> None:
    """Run the command line."""
    streams.prepare()
    try:
        app(prog_name="assay")
    except OSError as error:
        streams.give_up_output()
        fail(CommandError(f"the system refused: {error}", ExitCode.ERROR))
    except Exception as error:  # noqa: BLE001 - the last place that can make one line of a defect
        from services.common.exception_text import exception_text  # noqa: PLC0415 - never needed

        told = "; ".join(line.strip() for line in exception_text(error))
        fail(CommandError(f"unexpected error, please report it: {told}", ExitCode.ERROR))


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"assay {version('assay')}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    config: Annotated[
        str | None, typer.Option(metavar="FILE", help="The configuration file, instead of ASSAY_CONFIG's.")
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="TABLE.KEY=VALUE", help="One setting, over file and environment; repeatable."
        ),
    ] = None,
    tls_certificate: Annotated[
        str | None, typer.Option(metavar="FILE", help="With --target: the certificate that says who you are.")
    ] = None,
    tls_key: Annotated[
        str | None, typer.Option(metavar="FILE", help="With --target: the key of the certificate.")
    ] = None,
    tls_ca: Annotated[
        str | None, typer.Option(metavar="FILE", help="With --target: the authority of the service.")
    ] = None,
    _version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit."),
    ] = False,
) -> None:
    try:
        files = {"certificate": tls_certificate, "key": tls_key, "ca": tls_ca}
        context.obj = flags.lay_over(config, assignments or (), files)
        if context.invoked_subcommand not in flags.SHOWING_SETTINGS:
            flags.set_defaults(context, flags.checked_settings(context.obj))
    except CommandError as error:
        fail(error)


app.command("diagnose")(diagnose_command.diagnose)
app.command("eval")(eval_command.evaluate)
app.command("show")(show_command.show)
app.add_typer(runs_command.app, name="runs")
app.command("trace")(trace_command.trace)
app.command("tools")(tools_command.tools)
service_commands.add_to(app)
