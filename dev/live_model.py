"""`make test-llm`: the model client against a real model, in every form; exit code 1 when a check fails."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from assay.common.v1.reasoning_pb2 import ModelCall
from pydantic import BaseModel, ConfigDict, Field
from pydantic_settings import SettingsConfigDict

from dev.model_server import ModelServer, model_server
from services.common.llm.client import EndpointClient
from services.common.llm.completion import Completion
from services.common.llm.failures import RequestFailedError
from services.common.llm.forms import MODES, Mode
from services.common.llm.model import Client, EndpointModel
from services.common.llm.port import OK, Kind, Model, ModelError, ModelRequest
from services.common.llm.settings import ReasonerSettings
from services.common.rpc import logs

SECONDS: Final = 120.0
MATERIAL: Final = (
    "logs/api.log line 7: connection refused by db:5432. logs/db.log line 2: max_connections reached."
)
# More than the context of the server, whatever its tokens are.
TOO_LONG: Final = "word " * 20_000


class Settings(ReasonerSettings):
    """The settings of an agent."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_PLANNER_")


class Claim(BaseModel):
    """An answer of some structure."""

    model_config = ConfigDict(extra="forbid")

    component: str = Field(description="who failed")
    severity: int
    confirmed: bool
    lines: list[int]


class Story(BaseModel):
    """An answer that takes more tokens than it may have, whatever a model writes: by its names alone."""

    model_config = ConfigDict(extra="forbid")

    a_story_of_a_thousand_words_at_the_very_least: str
    what_everybody_who_reads_it_should_learn_from_it: str


CLAIM: Final = ModelRequest("Name the component that failed.", MATERIAL, Claim, 200)
STORY: Final = ModelRequest("Tell a story of a thousand words.", "Of a lighthouse.", Story, 8)


@dataclass(frozen=True)
class Check:
    """One check: what was seen of it, and whether that is right."""

    name: str
    right: bool
    calls: Sequence[ModelCall]


class Older:
    """A client of an endpoint that refuses every form above a mode, as older ones do."""

    def __init__(self, inner: Client, lowest: Mode) -> None:
        self._inner = inner
        self._refused = [mode for mode in MODES if MODES.index(mode) < MODES.index(lowest)]

    async def complete(self, body: dict[str, Any], deadline: float) -> Completion:
        if _mode(body) in self._refused:
            raise RequestFailedError(Kind.REFUSED_REQUEST, 400)
        return await self._inner.complete(body, deadline)


def _mode(body: Mapping[str, Any]) -> Mode:
    wanted = body.get("response_format", {"type": Mode.TEXT.value})
    return Mode.JSON_OBJECT_WITH_SCHEMA if "schema" in wanted else Mode(wanted["type"])


@asynccontextmanager
async def asking(
    server: ModelServer,
    mode: Mode = Mode.JSON_SCHEMA,
    **changed: Any,  # noqa: ANN401 - values of settings
) -> AsyncIterator[EndpointModel]:
    """Yield the model as an agent would open it, on a server that takes a mode and those below."""
    told = {
        "reasoner": "openai",
        "model_base_url": server.base_url,
        "model_name": server.name,
        "model_api_key": server.key,
        "model_timeout_seconds": SECONDS,
        "model_context_tokens": 1_000_000,
        **changed,
    }
    settings = Settings.model_validate(told)
    client = EndpointClient(settings)
    model = EndpointModel(Older(client, mode), settings, str)
    try:
        yield model
    finally:
        await model.aclose()
        await client.aclose()


async def called(model: Model, request: ModelRequest[Any], seconds: float = SECONDS) -> ModelCall:
    """Ask and return what the call was, answered or not."""
    try:
        return (await model.ask(request, seconds)).call
    except ModelError as error:
        return error.call


async def each_mode(server: ModelServer) -> AsyncIterator[Check]:
    """Check that each mode is found where the stricter ones are refused, and what is answered in it."""
    for mode in Mode:
        async with asking(server, mode) as model:
            await model.find_mode()
            yield Check(f"{mode.value} is found", model.mode == mode.value, ())
            call = await called(model, CLAIM)
        # Nothing constrains text: so small a model may answer anything, but only in known ways.
        known = [OK, "not_json", "wrong_shape", "cut_off"] if mode in (Mode.TEXT, Mode.JSON_OBJECT) else [OK]
        right = call.outcome in known and call.mode == mode.value and not call.tokens_estimated
        yield Check(f"{mode.value} is answered", right and call.input_tokens > 0 < call.output_tokens, [call])


async def each_bound(server: ModelServer) -> AsyncIterator[Check]:
    """Check what ends a call early, and that the next one works."""
    async with asking(server) as model:
        call = await called(model, STORY)
        yield Check("an answer that is cut off", call.outcome == Kind.CUT_OFF.value, [call])
        call = await called(model, CLAIM, 0.02)
        yield Check("a call without time", call.outcome == Kind.OUT_OF_TIME.value, [call])
        call = await called(model, ModelRequest(CLAIM.instructions, TOO_LONG, Claim, 100))
        yield Check("more than the model's context", call.outcome == Kind.REFUSED_REQUEST.value, [call])
        calls = await asyncio.gather(*(called(model, CLAIM) for _ in range(3)))
        yield Check("three calls at once", {call.outcome for call in calls} == {OK}, calls)
    async with asking(server, model_context_tokens=512) as model:
        call = await called(model, ModelRequest(CLAIM.instructions, TOO_LONG, Claim, 100))
        yield Check("more than the agent's budget", call.outcome == Kind.OVER_BUDGET.value, [call])
    async with asking(server, model_api_key="wrong") as model:
        call = await called(model, CLAIM)
        yield Check("a wrong key", call.outcome == Kind.UNAUTHORIZED.value, [call])


async def main() -> int:
    """Run every check and print it; returns the exit code."""
    logs.configure("live_model", "warning")
    groups: Sequence[Callable[[ModelServer], AsyncIterator[Check]]] = (each_mode, each_bound)
    checks: list[Check] = []
    async with model_server() as server:
        for group in groups:
            async for check in group(server):
                checks.append(check)
                sys.stdout.writelines(_lines(check))
                sys.stdout.flush()
    calls = [call for check in checks for call in check.calls]
    wrong = [check for check in checks if not check.right]
    sys.stdout.write(
        f"{len(checks)} checks, {len(wrong)} wrong; {len(calls)} calls, "
        f"{sum(call.input_tokens for call in calls)} tokens in, "
        f"{sum(call.output_tokens for call in calls)} out, "
        f"{sum(_seconds(call) for call in calls):.1f} s\n"
    )
    return 1 if wrong else 0


def _lines(check: Check) -> list[str]:
    told = [
        f"        {call.outcome:16} {call.mode:24} {call.input_tokens:6} in {call.output_tokens:5} out "
        f"{call.request_bytes:7} bytes {_seconds(call):6.2f} s\n"
        for call in check.calls
    ]
    return [f"{'ok' if check.right else 'WRONG':6}  {check.name}\n", *told]


def _seconds(call: ModelCall) -> float:
    return call.duration.ToNanoseconds() / 1e9


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
