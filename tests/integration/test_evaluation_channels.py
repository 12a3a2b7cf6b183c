"""The channels of one self-evaluation are written by several writers, and none undoes another."""

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path

from assay.composer.v1.composer_pb2 import ComposeRequest
from assay.orchestrator.v1 import diagnosis_pb2, run_pb2

from orchestrator.store.port import Store
from orchestrator.store.sqlite import open_store
from tests.fakes.agents import Json, Reply, Stack, composed, stack
from tests.fakes.diagnosed import DATABASE
from tests.fakes.evaluation_schema import checked_evaluation

ROUNDS = 25
WRITES = 8


@dataclass
class Race:
    """The end of a run waits for the first writes, and falls among the others."""

    running: Stack
    run_id: str = ""
    composing: asyncio.Event = field(default_factory=asyncio.Event)
    written: asyncio.Event = field(default_factory=asyncio.Event)

    async def compose(self, request: ComposeRequest) -> Reply:
        self.composing.set()
        await self.written.wait()
        return await composed(request)

    async def begin(self, key: str) -> None:
        self.composing.clear()
        self.written.clear()
        self.run_id = await self.running.submit(key=key)
        await self.composing.wait()

    async def record(self, channel: str, number: int) -> None:
        request = diagnosis_pb2.RecordEvaluationRequest(
            run_id=self.run_id, channel=channel, value_json=json.dumps(number).encode()
        )
        await self.running.stub.RecordEvaluation(request, timeout=60)

    async def recorded(self, channel: str) -> None:
        """Write a channel several times, each after the other was acknowledged."""
        for number in range(WRITES):
            await self.record(channel, number)
            self.written.set()

    async def container(self) -> Json:
        value: Json = json.loads((await self.running.stored(self.run_id)).self_evaluation_json)
        return value


async def test_no_acknowledged_write_is_lost_when_a_run_ends_meanwhile(tmp_path: Path) -> None:
    """Two callers and another process write while the run ends, and once more when it has ended."""
    other = await open_store(tmp_path / DATABASE, busy_seconds=30, keep_runs=ROUNDS)
    try:
        async with (
            stack(tmp_path / DATABASE, database_busy_seconds=30) as running,
            asyncio.timeout(120),
        ):
            race = Race(running)
            running.agents.composer.replies["Compose"] = [race.compose]
            for number in range(ROUNDS):
                await race.begin(f"key-{number}")
                *_, outcome = await asyncio.gather(
                    race.recorded("rule_evaluation"),
                    race.recorded("aiops_rule_evaluation"),
                    _written(other, race.run_id, "third_evaluation"),
                    running.watch(race.run_id),
                )
                assert outcome.run.status == run_pb2.RUN_STATUS_SUCCEEDED
                await race.record("rule_evaluation", WRITES)
                container = await race.container()
                assert checked_evaluation(container.pop("verifier_evaluation")).verdict == "PASS"
                assert container == {
                    "rule_evaluation": WRITES,
                    "aiops_rule_evaluation": WRITES - 1,
                    "third_evaluation": WRITES - 1,
                }
    finally:
        await other.close()


async def _written(store: Store, run_id: str, channel: str) -> None:
    for number in range(WRITES):
        await store.write_channel(run_id, channel, json.dumps(number))
