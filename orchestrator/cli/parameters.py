"""Arguments and options that several commands have, with what the shell may complete of them."""

from typing import Annotated

import typer

from orchestrator.cli.run_ids import LATEST

Target = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT", help="A running diagnosis service, instead of a local one."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
RunId = Annotated[
    str,
    typer.Argument(
        metavar="RUN_ID",
        help=f'The id of a stored run, its beginning, or "{LATEST}" for the newest.',
        # Stored ids are not completed: the store belongs to the orchestrator, which takes seconds to ask.
        autocompletion=lambda: [LATEST],
    ),
]
