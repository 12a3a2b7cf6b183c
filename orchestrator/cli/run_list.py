"""A list of runs: a table for people, one JSON object a line for programs."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from assay.common.v1 import context_pb2, evidence_pb2
from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.table import Paper, table
from orchestrator.cli.times import between, date_and_time
from services.common.evidence.names import plain, short_name

_TITLES: Final = ("RUN", "BEGUN", "TOOK", "STATUS", "VERDICT", "SUSPECT", "QUESTION")
_SHORTEST_ID: Final = 8


def as_table(runs: Sequence[run_pb2.RunSummary], paper: Paper) -> str:
    """Return the runs as a table; on a terminal with ids as short as tells these runs apart."""
    length = _telling_length([run.run_id for run in runs]) if paper.width is not None else None
    return table(_TITLES, [_row(run, length) for run in runs], paper)


def as_json_lines(runs: Sequence[run_pb2.RunSummary]) -> Iterator[str]:
    """Yield one line of ASCII a run. Every key is always there; what does not exist is null."""
    for run in runs:
        yield json.dumps(_object(run), ensure_ascii=True, allow_nan=False) + "\n"


def _telling_length(ids: Sequence[str]) -> int:
    longest = max(map(len, ids), default=0)
    for length in range(_SHORTEST_ID, longest):
        if len({run_id[:length] for run_id in ids}) == len(ids):
            return length
    return longest


def _row(run: run_pb2.RunSummary, id_length: int | None) -> list[str]:
    return [
        run.run_id[:id_length],
        date_and_time(run.create_time),
        between(run.create_time, run.end_time) if run.HasField("end_time") else "",
        short_name(run_pb2.RunStatus.DESCRIPTOR, run.status),
        short_name(evidence_pb2.Verdict.DESCRIPTOR, run.effective_verdict),
        run.first_suspect.component,
        run.context.question,
    ]


def _object(run: run_pb2.RunSummary) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "question": run.context.question,
        "intent": short_name(context_pb2.Intent.DESCRIPTOR, run.context.intent) or None,
        "bundle": run.context.scope.bundle,
        "create_time": run.create_time.ToJsonString(),
        "end_time": run.end_time.ToJsonString() if run.HasField("end_time") else None,
        "status": short_name(run_pb2.RunStatus.DESCRIPTOR, run.status),
        "effective_verdict": short_name(evidence_pb2.Verdict.DESCRIPTOR, run.effective_verdict) or None,
        "first_suspect": plain(run.first_suspect) if run.HasField("first_suspect") else None,
        "failure": plain(run.failure) if run.HasField("failure") else None,
    }
