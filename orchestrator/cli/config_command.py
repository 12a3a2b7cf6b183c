"""`assay config show`: every setting of every process, as a configuration file or as JSON."""

import json
from collections.abc import Mapping, Sequence

from orchestrator.cli.errors import CommandError, wrong_input
from orchestrator.cli.local_stack.settings_reports import every_report, problems_of
from orchestrator.cli.settings import WRONG
from services.common.settings_report import ORIGIN_DEFAULT, ORIGIN_MISSING, Report, Setting
from services.common.visible import visible


async def reports(environ: Mapping[str, str], flags: Mapping[str, str]) -> list[Report]:
    """Return what every process tells of its settings."""
    return await every_report(environ, flags)


def error_of(reports: Sequence[Report]) -> CommandError | None:
    """Return the error with which the command ends; None when nothing is wrong."""
    problems = problems_of(reports)
    return wrong_input(WRONG, problems) if problems else None


def as_json(reports: Sequence[Report]) -> str:
    """Return one JSON object: the file, each process with its settings, the problems."""
    processes = [{"process": told["process"], "settings": told["settings"]} for told in reports]
    shown = {"file": _file(reports), "processes": processes, "problems": problems_of(reports)}
    return json.dumps(shown, indent=2) + "\n"


def as_file(reports: Sequence[Report]) -> str:
    """Return a configuration file that says the same, with the origin of each value beside it."""
    file = _file(reports)
    lines = [f"# Configuration file: {file or 'none is read'}"]
    for told in reports:
        lines += ["", f"[{told['process']}]"]
        for row in told["settings"]:
            lines += [f"# {row['description']}", _assignment(row)]
    return "".join(f"{visible(line)}\n" for line in lines)


def _assignment(row: Setting) -> str:
    told = row["origin"] if row["origin"] == ORIGIN_DEFAULT else f"from {row['origin']}"
    if row["value"] is None:
        unset = row["origin"] in (ORIGIN_DEFAULT, ORIGIN_MISSING)
        return f"# {row['key']} is not set" if unset else f"# {row['key']}: {row['origin']}"
    return f"{row['key']} = {_value(row['value'])}  # {told}"


def _value(value: object) -> str:
    # The JSON of what a setting holds is TOML, but for the tables, of which there is none.
    return json.dumps(value, ensure_ascii=False)


def _file(reports: Sequence[Report]) -> str:
    return next((told["file"] for told in reports if told["file"]), "")
