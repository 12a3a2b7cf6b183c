"""The trace of a run over six real processes, as a collector gets it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.common.processes import SERVICES
from tests.fakes import canaries
from tests.fakes.collector import Collector, Received, collecting
from tests.fakes.command_line import Ended, asked
from tests.fakes.incident import Incident
from tests.fakes.model_endpoint import ModelEndpoint, replies, scripted
from tests.fakes.model_endpoint.server import Asked, Reply
from tests.fakes.sensible_model import agent_of, sensible
from tests.integration.conftest import PROVEN

WITH_A_MODEL = ("planner", "verifier", "composer")
# Each method, and the node that calls it; the catalog is asked for before there is one.
CALLS = {
    "assay.executor.v1.ExecutorService/ListTools": None,
    "assay.planner.v1.PlannerService/Plan": "planner",
    "assay.executor.v1.ExecutorService/Execute": "executor",
    "assay.gatekeeper.v1.GatekeeperService/Check": "gatekeeper",
    "assay.verifier.v1.VerifierService/Verify": "verifier",
    "assay.composer.v1.ComposerService/Compose": "composer",
}
DIAGNOSIS = "assay.orchestrator.v1.DiagnosisService"
NODES = ("planner", "executor", "gatekeeper", "verified_input", "verifier", "composer")


def sending(endpoint: str) -> dict[str, str]:
    return {f"ASSAY_{name.upper()}_OTLP_ENDPOINT": endpoint for name in SERVICES}


@dataclass(frozen=True)
class Trace:
    """The spans of one run, and the answer that it gave."""

    answer: dict[str, Any]
    spans: list[Received]

    def named(self, name: str) -> list[Received]:
        return [span for span in self.spans if span.name == name or span.name.startswith(f"{name} ")]

    def above(self, span: Received) -> list[str]:
        """Return the names of all spans above one, the nearest first."""
        known, names = {item.span_id: item for item in self.spans}, []
        while span.parent_id:
            span = known[span.parent_id]
            names.append(span.name)
        return names


async def diagnosed(project: Path, home: Path, collector: Collector, **more: str) -> Ended:
    bundle = project / "examples" / "incidents" / PROVEN / "bundle"
    question = (bundle / "question.txt").read_text(encoding="utf-8").strip()
    told = {**sending(collector.endpoint), **more}
    return await asked(home, "diagnose", question, "--bundle", str(bundle), "--json", **told)


def asking(model: ModelEndpoint) -> dict[str, str]:
    chosen = {f"ASSAY_{agent.upper()}_REASONER": "openai" for agent in WITH_A_MODEL}
    return {**chosen, "ASSAY_MODEL_BASE_URL": model.base_url, "ASSAY_MODEL_NAME": "scripted"}


async def test_one_trace_holds_every_node_call_tool_and_model_of_a_run(project: Path, home: Path) -> None:
    with collecting() as collector:
        async with scripted(sensible) as model:
            ended = await diagnosed(project, home, collector, **asking(model))
        # The command has ended all six processes, each of which sent what it had before.
    answer = json.loads(ended.stdout)
    assert (ended.code, answer["effective_verdict"]) == (0, "PASS"), ended.stderr
    (run,) = collector.named("run")
    trace = Trace(answer, [span for span in collector.spans if span.trace_id == run.trace_id])
    # The command reads the path of the run afterwards, in a call of its own.
    assert [span.name for span in collector.spans if span not in trace.spans] == [f"{DIAGNOSIS}/GetTrace"]
    one_root(trace)
    every_node(trace, run)
    every_call(trace)
    every_tool(trace)
    every_model_call(trace, len(model.completions))
    every_judgement(trace, run)
    assert not [span.name for span in trace.spans if span.is_error]


def one_root(trace: Trace) -> None:
    assert {span.process for span in trace.spans} == {f"assay-{name}" for name in SERVICES}
    (root,) = [span for span in trace.spans if not span.parent_id]
    assert (root.name, root.kind) == (f"{DIAGNOSIS}/Diagnose", "SERVER")
    assert all(trace.above(span)[-1] == root.name for span in trace.spans if span is not root)


def every_node(trace: Trace, run: Received) -> None:
    said = (run.attributes["assay.run.id"], run.attributes["assay.run.status"])
    assert said == (trace.answer["run_id"], "SUCCEEDED")
    nodes = trace.named("node")
    assert sorted(span.name for span in nodes) == sorted(f"node {name}" for name in NODES)
    assert all(span.parent_id == run.span_id for span in nodes)


def every_call(trace: Trace) -> None:
    """On both sides, the one below the other, and below the node that made it."""
    for method, node in CALLS.items():
        assert len(trace.named(method)) == 2
        sides = {span.kind: span for span in trace.named(method)}
        assert sides["SERVER"].parent_id == sides["CLIENT"].span_id
        assert sides["CLIENT"].process == "assay-orchestrator"
        for side in sides.values():
            assert (side.attributes["rpc.system.name"], side.attributes["rpc.method"]) == ("grpc", method)
        assert sides["CLIENT"].attributes["server.address"] == "127.0.0.1"
        assert isinstance(sides["CLIENT"].attributes["server.port"], int)
        assert sides["SERVER"].attributes["rpc.response.status_code"] == "OK"
        assert node is None or trace.above(sides["CLIENT"])[0] == f"node {node}"


def every_tool(trace: Trace) -> None:
    tools = trace.named("execute_tool")
    assert len(tools) == trace.answer["usage"]["tool_invocations"]
    for span in tools:
        assert trace.above(span)[0] == "assay.executor.v1.ExecutorService/Execute"
        assert span.name == f"execute_tool {span.attributes['gen_ai.tool.name']}"
        assert span.attributes["gen_ai.operation.name"] == "execute_tool"


def every_model_call(trace: Trace, count: int) -> None:
    """Below the agent that asked, with what it cost."""
    assert len(trace.named("chat")) == count
    chats = {span.process: span for span in trace.named("chat")}
    assert chats.keys() == {f"assay-{agent}" for agent in WITH_A_MODEL}
    usage = {item["agent"]: item for item in trace.answer["usage"]["agents"]}
    for agent in WITH_A_MODEL:
        chat = chats[f"assay-{agent}"]
        assert chat.attributes["gen_ai.request.model"] == "scripted"
        assert chat.attributes["gen_ai.usage.input_tokens"] == usage[agent]["input_tokens"]
        assert f"node {agent}" in trace.above(chat)


def every_judgement(trace: Trace, run: Received) -> None:
    assert {span.name: [dict(pairs) for _, pairs in span.events] for span in trace.spans if span.events} == {
        "node gatekeeper": [evaluation("assay.gate", "PASS")],
        "node verifier": [evaluation("assay.verdict", "PASS")],
        run.name: [evaluation("assay.verdict", "PASS")],
    }


def evaluation(name: str, label: str) -> dict[str, str]:
    return {"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.label": label}


async def test_no_content_is_in_a_trace(tmp_path: Path) -> None:
    """A word in the question, in the bundle's name, in a line of a log, and in all that a model writes."""
    texts = {name: canaries.canary() for name in ("question", "bundle", "line", "goal", "argument")}
    home, incident = tmp_path / "home", Incident()
    home.mkdir()
    incident.log(incident.names.front, 12.5, f"INFO served item=7 for {texts['line']} ok")
    bundle = incident.write(tmp_path / f"bundle-{texts['bundle']}")
    question = f"Why does {texts['question']} fail?"

    def writing(request: Asked) -> Reply:
        if agent_of(request) != "Plan":
            return sensible(request)
        source = f"logs/{incident.names.front}.log"
        steps = [
            {
                "goal": texts["goal"],
                "tool": "logs_search",
                "args": json.dumps({"source": source, "contains": [words]}),
                "gap": "",
            }
            for words in (texts["argument"], f"for {texts['line']}")
        ]
        return replies.answer({"steps": steps})

    with collecting() as collector:
        async with scripted(writing) as model:
            told = {**sending(collector.endpoint), **asking(model)}
            ended = await asked(home, "diagnose", question, "--bundle", str(bundle), "--json", **told)
    assert {f"assay-{name}" for name in SERVICES} == {span.process for span in collector.spans}, ended.stderr
    stored: list[bytes] = [
        value for values in canaries.tables(home / "assay.sqlite3").values() for value in values
    ]
    found = canaries.where({"trace": collector.wire, "stored": stored}, texts)
    assert {name: where for name, where in found.items() if where - {"stored"}} == {}
    # The control: the run was about all of it.
    assert {name for name, where in found.items() if where} >= {"question", "line", "argument"}
