"""What a model is shown of the recorded incidents, character by character; and how much that is."""

from pathlib import Path

import pytest
from assay.common.v1 import context_pb2

from dev.tokens import counter
from services.common.llm.prompt import load
from services.executor.catalog import readable
from services.executor.desk import Gathered
from services.executor.openai.records import Note
from services.executor.openai.shown import Round, material
from services.executor.recorded import ToolRequest
from services.executor.tools.registry import tools
from tests.fakes.bundles import opened, recorded_path
from tests.fakes.golden import golden
from tests.fakes.investigation import recorded_call

OFFERED = tools(1 << 20, 60)
PLAN = [
    ToolRequest("alerts_list", {"source": "alerts.json"}),
    ToolRequest("change_events_list", {"source": "events.json"}),
    ToolRequest("logs_templates", {"source": "logs/postgres.log"}),
    ToolRequest("metrics_change_points", {}),
]
# Of prompt and material; the schema of the answer comes on top.
MOST_TOKENS = 3_900


@pytest.mark.parametrize("incident", ["pg-connection-exhaustion", "healthy-false-alarm"])
def test_four_calls_are_shown_so(project: Path, incident: str) -> None:
    folder = recorded_path(project, incident)
    bundle = opened(folder)
    calls = [recorded_call(bundle, request, f"inv-{number}") for number, request in enumerate(PLAN)]
    context = context_pb2.DiagnosisContext(
        question=(folder / "question.txt").read_text(encoding="utf-8").strip(),
        intent=context_pb2.INTENT_CAUSE,
    )
    notes = [Note("see what changed and what fails", False, OFFERED[call.tool_name].kind) for call in calls]
    sources = [source.name for source in bundle.sources if source.available]
    asked = Round(context, [], notes, [], 0, 4, 100_000)
    text = material(Gathered(calls, readable(OFFERED, bundle.sources), sources), asked)
    assert text == golden(f"executor_{incident.split('-', maxsplit=1)[0]}.txt")
    _, tokens = counter()
    assert tokens(load("services.executor.openai").text + text) <= MOST_TOKENS
