"""The commands of `assay`: arguments, signals, exit codes. Only answers go to standard output."""

import json as json_text
import os
import uuid
from importlib.metadata import version
from typing import Annotated

import typer

from orchestrator.cli import (
    commands,
    eval_command,
    flags,
    options,
    runs_command,
    service_commands,
    show_command,
    streams,
    tools_command,
    trace_command,
)
from orchestrator.cli.errors import CommandError, wrong_input
from orchestrator.cli.exit_codes import ExitCode, of_run
from orchestrator.cli.leaving import found_by, note, put
from orchestrator.cli.own_command import command as own_command
from orchestrator.cli.own_command import for_target
from orchestrator.cli.parameters import AsJson, Target
from orchestrator.cli.run_output import put_run
from orchestrator.cli.running import fail
from services.common.visible import visible

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


@app.command()
def diagnose(
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help='What is wrong, such as "why do checkouts fail?"')
    ],
    bundle: Annotated[
        str,
        typer.Option(
            metavar="FOLDER|ZIP",
            help="The incident's folder or zip file; with --target, its name relative to the service's root.",
        ),
    ],
    target: Target = None,
    json: AsJson = False,
    window_start: Annotated[
        str, typer.Option(metavar="TIME", help="First instant of interest, RFC 3339.")
    ] = "",
    window_end: Annotated[
        str, typer.Option(metavar="TIME", help="First instant no longer of interest, RFC 3339.")
    ] = "",
    intent: Annotated[
        str,
        typer.Option(
            metavar="cause|lookup",
            help="Overrides what the question suggests.",
            autocompletion=lambda: list(options.INTENTS),
        ),
    ] = "",
    timeout: Annotated[
        float,
        typer.Option(
            min=1, max=3600, help="Seconds until the run is cancelled, or with --detach not begun any more."
        ),
    ] = 300.0,
    detach: Annotated[
        bool, typer.Option("--detach", help="With --target: print the run's id and do not wait for its end.")
    ] = False,
    idempotency_key: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="With --detach: the same key and question begin one run only."),
    ] = None,
) -> None:
    """Ask one question about one incident."""

    def command() -> commands.Diagnosis:
        address = options.address(target)
        where = options.bundle(bundle, address)
        request = options.request(question, where, window_start, window_end, intent)
        return commands.Diagnosis(request, where, address, timeout)

    if detach or idempotency_key is not None:
        run_id = found_by(
            lambda _: commands.submit(command(), _submission_key(detach, idempotency_key), os.environ)
        )
        put((json_text.dumps({"run_id": run_id}) if json else visible(run_id)) + "\n")
        note(f"to follow it: {own_command('show', run_id, '--watch', *for_target(target))}")
        return
    shown = found_by(lambda progress: commands.diagnose(command(), os.environ, progress))
    put_run(shown, as_json=json)
    raise typer.Exit(of_run(shown.run))


def _submission_key(detach: bool, key: str | None) -> str:
    if not detach:
        raise wrong_input(
            "--idempotency-key is only for --detach: a run that is waited for is always a new one"
        )
    return uuid.uuid4().hex if key is None else options.text("--idempotency-key", key).strip()


app.command("eval")(eval_command.evaluate)
app.command("show")(show_command.show)
app.add_typer(runs_command.app, name="runs")
app.command("trace")(trace_command.trace)
app.command("tools")(tools_command.tools)
service_commands.add_to(app)
