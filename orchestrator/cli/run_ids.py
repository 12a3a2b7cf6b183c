"""Which run a person means: by its whole id, by the beginning of it, or as the newest."""

from typing import Final

from assay.orchestrator.v1.diagnosis_pb2 import ListRunsRequest

from orchestrator.cli import options
from orchestrator.cli.client import DiagnosisClient
from orchestrator.cli.errors import wrong_input

LATEST: Final = "latest"
MAX_LOOKED_THROUGH: Final = 10_000
_MAX_NAMED: Final = 5


def typed_id(typed: str) -> str:
    """Return what was typed for a run without spaces and line ends around it; raises CommandError."""
    return options.text("RUN_ID", typed).strip()


async def whole_id(client: DiagnosisClient, typed: str) -> str:
    """Return the id of the run that is meant; raises CommandError unless that is exactly one.

    Beginnings of ids are looked up among 10,000 runs at most.
    """
    if typed == LATEST:
        return await _newest(client)
    if await client.has_run(typed):
        return typed
    runs, more = await client.runs(ListRunsRequest(), MAX_LOOKED_THROUGH)
    found = [run.run_id for run in runs if run.run_id.startswith(typed)]
    if more:
        raise wrong_input(
            f"there is no run {options.shown(typed)}, and too many runs to look for one whose id begins so: "
            "give the whole id"
        )
    if not found:
        raise wrong_input(f"there is no run {options.shown(typed)}; `assay runs` lists them")
    if len(found) > 1:
        named = ", ".join(found[:_MAX_NAMED])
        others = f" and {len(found) - _MAX_NAMED} more" if len(found) > _MAX_NAMED else ""
        raise wrong_input(f"{len(found)} runs begin with {typed}: {named}{others}; give more of the id")
    return found[0]


async def _newest(client: DiagnosisClient) -> str:
    runs, _ = await client.runs(ListRunsRequest(), 1)
    if not runs:
        raise wrong_input("there is no run yet")
    return runs[0].run_id
