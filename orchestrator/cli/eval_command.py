"""`assay eval`: past incidents asked again, and held against what turned out to be right."""

import json as json_text
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from orchestrator.cli import options
from orchestrator.cli.errors import wrong_input
from orchestrator.cli.evaluation.asking import ask
from orchestrator.cli.evaluation.cases import Case, cases_in
from orchestrator.cli.evaluation.judging import Score, judge
from orchestrator.cli.evaluation.printed import as_text
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.leaving import found_by, put
from orchestrator.cli.parameters import AsJson
from orchestrator.cli.progress import Progress
from orchestrator.cli.run_store import holding
from orchestrator.cli.table import paper_for


def evaluate(
    folder: Annotated[
        str,
        typer.Argument(
            metavar="DIR",
            help="A folder of cases, each a folder with bundle/ or bundle.zip and answer.json.",
        ),
    ],
    json: AsJson = False,
    timeout: Annotated[
        float, typer.Option(min=1, max=3600, help="Seconds until one run is cancelled.")
    ] = 300.0,
) -> None:
    """Ask past incidents again and count the right answers. Exit code 3 when any is not right."""
    score = found_by(partial(_score, folder, timeout, os.environ))
    text = json_text.dumps(score.as_object()) + "\n" if json else as_text([score], paper_for(sys.stdout))
    put(text)
    raise typer.Exit(int(ExitCode.UNPROVEN if score.misses else ExitCode.ANSWERED))


async def _score(typed: str, seconds: float, environ: Mapping[str, str], progress: Progress) -> Score:
    root = _folder(typed)
    cases = cases_in(root)
    async with holding(environ, seconds, progress) as state:
        asked = await ask(cases, root, state, environ, seconds, _counting(cases, progress))
    judged = [judge(case.name, case.expected, ended) for case, ended in zip(cases, asked.ended, strict=True)]
    return Score(root.name, judged, asked.cpu_seconds)


def _folder(typed: str) -> Path:
    root = options.path("DIR", typed).resolve()
    if not root.is_dir():
        raise wrong_input(f"DIR: there is no folder {options.shown(typed)}")
    return root


def _counting(cases: list[Case], progress: Progress) -> Callable[[str], None]:
    left = len(cases)

    def told(name: str) -> None:
        nonlocal left
        left -= 1
        progress(f"{name} is answered; {left} to go")

    return told
