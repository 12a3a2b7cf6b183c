"""What an agent may not know reaches no later message, no log, no trace, and no table but its own."""

import base64
import gzip
import json
import sqlite3
import zlib
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from assay.common.v1 import evidence_pb2
from assay.common.v1.tool_pb2 import PlanStep
from assay.composer.v1.composer_pb2 import ComposeRequest
from assay.executor.v1.executor_pb2 import ExecuteResponse
from assay.orchestrator.v1.diagnosis_pb2 import DiagnoseResponse
from assay.orchestrator.v1.state_pb2 import RunState
from assay.planner.v1 import planner_pb2
from assay.planner.v1.planner_pb2 import PlanResponse
from assay.verifier.v1.verifier_pb2 import VerifyRequest, VerifyResponse

from orchestrator.material import Material
from orchestrator.nodes import composer as composer_node
from orchestrator.nodes.composer import compose_request
from tests.fakes import canaries
from tests.fakes.agents import (
    CHANGE,
    SYMPTOM_BINDING,
    Json,
    Reply,
    cause,
    claim,
    composed,
    executed,
    invocation,
    judging,
    result,
)
from tests.fakes.command_line import assay
from tests.fakes.diagnosed import DATABASE, Diagnosed, diagnosed
from tests.fakes.incident import Incident
from tests.fakes.process_log import logged

LOW = evidence_pb2.VERDICT_LOW_CONFID
UNSUPPORTED = evidence_pb2.CLASSIFICATION_UNSUPPORTED

# Where each canary may be found, and must be: planted where it is, it goes there by design. `state` is
# run_state while the run lives; `self` its self-evaluation.
MAY_BE_IN: dict[str, set[str]] = {
    "planner-goal": {"Execute", "state"},
    "planner-argument": {"Execute", "state"},
    "executor-gap": {"Check", "state"},
    "failed-claim": {"Check", "state"},
    "failed-binding": {"Check", "state"},
    "unreferenced-call": {"tool_invocation"},
    "unreferenced-argument": {"tool_invocation"},
    "unreferenced-line": {"Check", "tool_invocation"},
    "disallowed-claim": {"Check", "Verify", "state", "self"},
    "verifier-rationale": {"state", "self"},
    # The caller is shown the checks of the claims that it is shown.
    "verifier-reason": {"state", "self", "caller", "diagnosis_run"},
    # The statement of a critical gap is what the second cycle is about.
    "gap-claim": {"Check", "Verify", "Plan", "Execute", "state", "self"},
}


@dataclass
class Planted:
    """One run of two cycles with a canary in every place, and the live state as the composer found it."""

    folder: Path
    texts: dict[str, str] = field(default_factory=lambda: {name: canaries.canary() for name in MAY_BE_IN})
    live: dict[str, list[bytes]] = field(default_factory=dict)

    def plan(self) -> PlanResponse:
        arguments = json.dumps({"source": "logs/api.log", "contains": [self.texts["planner-argument"]]})
        step = PlanStep(
            goal=self.texts["planner-goal"], tool_name="logs_search", arguments_json=arguments.encode()
        )
        return PlanResponse(status=planner_pb2.PLANNER_STATUS_COMPLETED, steps=[step])

    def first(self) -> Reply:
        texts = self.texts
        line = "api: connection refused by db"
        output = {
            "source": "logs/api.log",
            "owner": "api",
            "lines": [{"text": line}, {"text": texts["unreferenced-line"]}],
        }
        claims = [
            claim("symptom-1"),
            cause(),
            claim("gap-1", statement=f"{line}, {texts['gap-claim']}"),
            claim("off-1", critical=False, statement=f"{line}, {texts['disallowed-claim']}"),
        ]
        calls = [
            invocation("inv-1", "logs_search", {"source": "logs/api.log"}, output),
            CHANGE,
            invocation(
                "inv-7",
                "logs_search",
                {"contains": [texts["unreferenced-argument"]]},
                {"lines": [{"text": texts["unreferenced-call"]}]},
            ),
        ]
        return [*executed(calls=calls)[:-1], self._saying(*claims)]

    def second(self) -> Reply:
        """What fails at the gate bounds the verdict, so that a first cycle with it would be the only one."""
        failed = {**SYMPTOM_BINDING, "raw_path": "/lines/7/text"}
        mixed = [SYMPTOM_BINDING, {**failed, "matched_text": self.texts["failed-binding"]}]
        return [
            self._saying(
                claim("mixed-1", critical=False, evidence_bindings=mixed),
                claim("failed-1", statement=self.texts["failed-claim"], evidence_bindings=[failed]),
            )
        ]

    def _saying(self, *claims: Json) -> ExecuteResponse:
        gaps = [self.texts["executor-gap"]]
        document = {"version": "executor_evidence_v2", "claims": claims, "evidence_gaps": gaps}
        return result(json.dumps(document).encode())

    async def verified(self, request: VerifyRequest) -> Reply:
        judged = await judging(LOW, gap_1=UNSUPPORTED, off_1=UNSUPPORTED)(request)
        assert isinstance(judged, VerifyResponse)
        judged.verification.rationale = self.texts["verifier-rationale"]
        for check in judged.verification.claim_checks:
            check.reason = self.texts["verifier-reason"]
        return judged

    async def composing(self, request: ComposeRequest) -> Reply:
        self.live = canaries.tables(self.folder / DATABASE)
        return await composed(request)

    async def diagnose(self) -> Diagnosed:
        return await diagnosed(
            self.folder,
            {
                "Plan": [self.plan()],
                "Execute": [self.first(), self.second()],
                "Verify": [self.verified],
                "Compose": [self.composing],
            },
        )


async def test_each_canary_is_found_where_it_belongs_and_nowhere_else(tmp_path: Path) -> None:
    planted = Planted(tmp_path)
    # The six services of the run are in this process, and log all that they can be told to.
    with logged("debug") as written:
        seen = await planted.diagnose()
    assert seen.nodes.count("verifier") == 2
    assert [event.outcome for event in seen.events if event.node == "gatekeeper"] == ["PASS", "LOW_CONFID"]
    log = written.getvalue().encode()
    assert b'"event": "rpc"' in log
    stored = canaries.tables(tmp_path / DATABASE)
    assert not stored["run_state"]
    # The text of the self-evaluation is a column of its own: `self` below.
    rest_of_run = [value for value in stored["diagnosis_run"] if value != seen.run.self_evaluation_json]
    assert len(rest_of_run) == len(stored["diagnosis_run"]) - 1
    methods = ("ListTools", "Plan", "Execute", "Check", "Verify", "Compose")
    places: dict[str, bytes | list[bytes]] = {
        **{method: seen.wire(method) for method in methods},
        "log": log,
        "trace": seen.trace.SerializeToString(),
        **outside(seen),
        "state": planted.live["run_state"],
        **stored,
        "diagnosis_run": rest_of_run,
    }
    assert canaries.where(places, planted.texts) == MAY_BE_IN


def outside(seen: Diagnosed) -> dict[str, bytes]:
    """What the caller gets, with the self-evaluation apart."""
    parts = []
    for message in seen.messages:
        copy = DiagnoseResponse()
        copy.CopyFrom(message)
        copy.run.self_evaluation_json = b""
        parts.append(copy.SerializeToString())
    return {"caller": b"".join(parts), "self": seen.run.self_evaluation_json}


async def test_the_second_cycle_adds_nothing_to_what_the_verifier_knows(tmp_path: Path) -> None:
    planted = Planted(tmp_path)
    seen = await planted.diagnose()
    (context,) = [item.retry_context for item in seen.requests("Verify") if item.HasField("retry_context")]
    found = canaries.where({"retry_context": context.SerializeToString()}, planted.texts)
    assert found == {name: set() for name in MAY_BE_IN}


async def test_after_a_run_its_files_hold_no_canary_but_in_tool_calls_and_self_evaluation(
    tmp_path: Path,
) -> None:
    planted = Planted(tmp_path)
    await planted.diagnose()
    stored = {"tool_invocation", "self"}
    gone = {name: text for name, text in planted.texts.items() if not MAY_BE_IN[name] & {"self"}}
    assert {"planner-goal", "executor-gap", "unreferenced-call"} <= gone.keys()
    files = canaries.files_without(tmp_path / DATABASE, "tool_invocation")
    assert DATABASE in files
    assert canaries.where(files, gone) == {name: set() for name in gone}
    # The control: what does belong there is found in the same bytes.
    kept = {name: text for name, text in planted.texts.items() if MAY_BE_IN[name] & stored & {"self"}}
    assert all(found for found in canaries.where(files, kept).values())


def _leaks(text: str) -> dict[str, bytes]:
    data = b"before " + text.encode() + b" after"
    deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return {
        "plain": data,
        "inside a message": PlanResponse(steps=[PlanStep(goal=f"see {text}")]).SerializeToString(),
        "JSON": json.dumps({"note": [f"\u00e9 {text}"]}).encode(),
        "base64": base64.b64encode(data),
        "base64 shifted": base64.b64encode(b"x" + data),
        "base64 shifted twice": base64.b64encode(b"xy" + data),
        "hex": data.hex().encode(),
        "zlib": zlib.compress(data * 50),
        "gzip": gzip.compress(data * 50),
        "deflate": deflate.compress(data * 50) + deflate.flush(),
    }


def test_a_leak_made_on_purpose_is_found_in_every_form() -> None:
    text, other = canaries.canary(), canaries.canary()
    leaks = _leaks(text)
    assert canaries.where(leaks, {"leaked": text, "kept": other}) == {"leaked": set(leaks), "kept": set()}


async def test_a_leak_made_on_purpose_is_found_in_a_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The composer node is made to hand on the gap's statement."""
    planted = Planted(tmp_path)

    def leaking(state: RunState, material: Material) -> ComposeRequest:
        request = compose_request(state, material)
        request.question += " ".join(gap.statement for gap in state.gaps)
        return request

    monkeypatch.setattr(composer_node, "compose_request", leaking)
    seen = await planted.diagnose()
    assert "Compose" in canaries.where({"Compose": seen.wire("Compose")}, planted.texts)["gap-claim"]


def test_a_leak_made_on_purpose_is_found_in_a_file_from_which_it_was_deleted(tmp_path: Path) -> None:
    text = canaries.canary()
    found = {}
    for secure in ("OFF", "ON"):
        database = tmp_path / f"{secure}.db"
        with closing(sqlite3.connect(database)) as connection:
            connection.execute(f"PRAGMA secure_delete = {secure}")
            connection.execute("CREATE TABLE kept (value TEXT)")
            connection.execute("CREATE TABLE other (value TEXT)")
            connection.execute("INSERT INTO kept VALUES (?)", (text * 10,))
            connection.commit()
            connection.execute("DELETE FROM kept")
            connection.commit()
        files = canaries.files_without(database, "other")
        found[secure] = canaries.where(files, {"deleted": text})["deleted"]
    assert found == {"OFF": {"OFF.db"}, "ON": set()}


def test_what_a_source_says_and_nothing_cites_stays_in_its_tool_call(tmp_path: Path) -> None:
    """The real processes on a folder of files: a line that the executor reads and that proves nothing."""
    text, home = canaries.canary(), tmp_path / "home"
    incident = Incident()
    incident.log(incident.names.front, 12.5, f"INFO served item=7 for {text} ok")
    bundle = incident.write(tmp_path / "bundle")
    services = ("ORCHESTRATOR", "PLANNER", "EXECUTOR", "GATEKEEPER", "VERIFIER", "COMPOSER")
    levels = {f"ASSAY_{name}_LOG_LEVEL": "debug" for name in services}
    ended = assay(home, "diagnose", "Why does cart fail?", "--bundle", str(bundle), "--json", **levels)
    answer = json.loads(ended.stdout)
    shown = assay(home, "show", answer["run_id"], "--json")
    places: dict[str, bytes | list[bytes]] = {
        **canaries.tables(home / "assay.sqlite3"),
        "answer": ended.stdout.encode(),
        "shown": shown.stdout.encode(),
        "told": (ended.stderr + shown.stderr).encode(),
        **{path.name: path.read_bytes() for path in home.rglob("*.log")},
    }
    assert {f"{name.lower()}.log" for name in services} <= places.keys()
    assert canaries.where(places, {"line": text}) == {"line": {"tool_invocation"}}
