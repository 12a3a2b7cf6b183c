"""The commands of `assay`: arguments, signals, exit codes. Only answers go to standard output."""

import os
import shutil
import sys
from collections.abc import Callable, Coroutine
from importlib.metadata import version
from typing import Annotated, Any

import typer

from orchestrator.cli import commands, flags, human, json_output, options, service_commands, streams
from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode, of_run
from orchestrator.cli.layout import layout_for
from orchestrator.cli.own_command import show_command
from orchestrator.cli.progress import Progress, progress_on
from orchestrator.cli.running import fail, run_to_end

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Diagnoses incidents and says only what the evidence can carry.",
    epilog="Exit codes: 0 a proven answer; 1 an error; 2 wrong usage, input or settings; "
    "3 every other ended answer (not proven, rejected, a step failed); 4 cancelled or out of time.",
)

service_commands.add_to(app)

_Target = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT", help="A running diagnosis service, instead of a local one."),
]
_AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


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
    _version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit."),
    ] = False,
) -> None:
    try:
        context.obj = flags.lay_over(config, assignments or ())
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
    target: _Target = None,
    json: _AsJson = False,
    window_start: Annotated[
        str, typer.Option(metavar="TIME", help="First instant of interest, RFC 3339.")
    ] = "",
    window_end: Annotated[
        str, typer.Option(metavar="TIME", help="First instant no longer of interest, RFC 3339.")
    ] = "",
    intent: Annotated[
        str, typer.Option(metavar="cause|lookup", help="Overrides what the question suggests.")
    ] = "",
    timeout: Annotated[
        float, typer.Option(min=1, max=3600, help="Seconds until the run is cancelled.")
    ] = 300.0,
) -> None:
    """Ask one question about one incident."""

    def command() -> commands.Diagnosis:
        address = options.address(target)
        where = options.bundle(bundle, address)
        request = options.request(question, where, window_start, window_end, intent)
        return commands.Diagnosis(request, where, address, timeout)

    _end(json, lambda progress: commands.diagnose(command(), os.environ, progress))


@app.command()
def show(
    run_id: Annotated[str, typer.Argument(metavar="RUN_ID", help="The id of a stored run.")],
    target: _Target = None,
    json: _AsJson = False,
) -> None:
    """Show a stored run again."""

    def call(progress: Progress) -> Coroutine[Any, Any, commands.Shown]:
        options.text("RUN_ID", run_id)
        return commands.show(run_id, options.address(target), os.environ, progress)

    _end(json, call)


def _end(as_json: bool, call: Callable[[Progress], Coroutine[Any, Any, commands.Shown]]) -> None:
    """Run a command to its end and leave with its exit code."""
    try:
        with progress_on(sys.stderr, os.environ) as progress:
            shown = run_to_end(call(progress))
        _print(shown, as_json)
    except CommandError as error:
        fail(error)
    raise typer.Exit(of_run(shown.run))


def _print(shown: commands.Shown, as_json: bool) -> None:
    again = show_command(shown.run.run_id, shown.target)
    if as_json:
        text = json_output.dumps(shown.run, shown.trace) + "\n"
    else:
        layout = layout_for(sys.stdout, shutil.get_terminal_size().columns, os.environ)
        text = human.render(shown.run, layout, again)
    try:
        streams.print_answer(text)
    except OSError as error:
        raise CommandError(
            f"standard output cannot be written ({error.strerror}); the answer is stored: {again}",
            ExitCode.ERROR,
        ) from None
