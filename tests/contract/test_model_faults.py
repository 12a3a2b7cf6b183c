"""Every way in which a model's endpoint can fail, over real HTTP: one row each.

Each row: the kind, what it means to the graph, one HTTP request, and no word of the endpoint's or of the key
in the error, its record or the log.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from services.common.llm.failures import failed_as
from services.common.llm.model import EndpointModel
from services.common.llm.port import Kind, ModelError, ModelRequest
from services.common.reasoning import FailedAs
from tests.fakes.model_endpoint import ModelEndpoint, Reply, agent_settings, asking, scripted
from tests.fakes.model_endpoint import replies as r
from tests.fakes.model_endpoint.answers import GOOD, Answer
from tests.fakes.nobody import kept_address
from tests.fakes.process_log import logged

CANARY = "canary-9d2e"
KEY = "sk-canary-9d2e-key"
# What never ends is waited for so long: the request has to get there before.
SECONDS = 5
# Nothing else takes as long; whatever hangs fails here instead of for ever.
PATIENCE_SECONDS = 30


REQUEST = ModelRequest("Say a word.", f"material {CANARY}-material", Answer, 100)


@dataclass(frozen=True)
class Fault:
    """A reply, what it is, and what that means."""

    name: str
    reply: Reply
    kind: Kind
    failed_as: FailedAs


INVALID, AGAIN, NEVER = FailedAs.INVALID_OUTPUT, FailedAs.RETRYABLE_FAILED, FailedAs.NON_RETRYABLE_FAILED
_WHOLE = json.dumps(GOOD)
_CALLS = [{"type": "function", "function": {"name": f"do_{CANARY}", "arguments": "{}"}}]

FAULTS = [
    Fault("401", r.failed(f"401 {CANARY}", CANARY), Kind.UNAUTHORIZED, NEVER),
    Fault("403", r.failed(f"403 {CANARY}", CANARY), Kind.UNAUTHORIZED, NEVER),
    Fault("404", r.failed("404 Not Found", CANARY), Kind.REFUSED_REQUEST, NEVER),
    Fault("400 too long", r.failed("400 Bad Request", CANARY), Kind.REFUSED_REQUEST, NEVER),
    Fault("413", r.failed("413 Too Large", CANARY), Kind.REFUSED_REQUEST, NEVER),
    Fault("408", r.failed("408 Timeout", CANARY), Kind.TIMED_OUT, AGAIN),
    Fault("429", r.failed("429 Slow Down", CANARY), Kind.RATE_LIMITED, AGAIN),
    Fault("500", r.failed("500 Oops", CANARY), Kind.OVERLOADED, AGAIN),
    Fault("503", r.failed("503 Loading", CANARY), Kind.OVERLOADED, AGAIN),
    Fault("529", r.failed("529 Overloaded", CANARY), Kind.OVERLOADED, AGAIN),
    Fault("hang", r.hang(), Kind.OUT_OF_TIME, AGAIN),
    Fault("slow trickle", r.trickle(), Kind.OUT_OF_TIME, AGAIN),
    Fault("cut connection", r.cut(CANARY.encode()), Kind.UNREACHABLE, AGAIN),
    Fault("reset before headers", r.reset(), Kind.UNREACHABLE, AGAIN),
    Fault("not HTTP", r.not_http(f"SSH-2.0-{CANARY}\r\n".encode()), Kind.UNREACHABLE, AGAIN),
    Fault("endless body", r.endless(), Kind.TOO_LARGE, INVALID),
    Fault("endless error", r.endless(status="500 Oops"), Kind.TOO_LARGE, INVALID),
    Fault("huge output", r.message(CANARY * 20_000), Kind.TOO_LARGE, INVALID),
    Fault("gzip bomb", r.gzip_bomb(GOOD, 64 << 20), Kind.NO_COMPLETION, INVALID),
    Fault("redirect", r.redirect(f"http://{CANARY}.example/"), Kind.REFUSED_REQUEST, NEVER),
    Fault("wrong content", r.http(CANARY.encode(), content_type="text/html"), Kind.NO_COMPLETION, INVALID),
    Fault("wrong envelope", r.http(b'{"choices": [' + CANARY.encode()), Kind.NO_COMPLETION, INVALID),
    Fault("empty body", r.http(b""), Kind.NO_COMPLETION, INVALID),
    Fault("invalid UTF-8", r.http(b'{"choices": "\xff\xfe"}'), Kind.NO_COMPLETION, INVALID),
    Fault("error with 200", r.sent({"error": {"message": CANARY}}), Kind.EMPTY, INVALID),
    Fault("no choices", r.sent({"choices": []}), Kind.EMPTY, INVALID),
    Fault("null content", r.message(None), Kind.EMPTY, INVALID),
    Fault("refusal", r.message(None, refusal=CANARY), Kind.REFUSAL, NEVER),
    Fault("content filter", r.message(CANARY, "content_filter"), Kind.CONTENT_FILTERED, NEVER),
    Fault("cut off", r.message(_WHOLE, "length"), Kind.CUT_OFF, INVALID),
    Fault("prose", r.message(f"I think that {CANARY}"), Kind.NOT_JSON, INVALID),
    Fault("half an object", r.message(f'{{"word": "{CANARY}", "count":'), Kind.NOT_JSON, INVALID),
    Fault("two objects", r.message(f'{_WHOLE} {{"word": "{CANARY}", "count": 2}}'), Kind.NOT_JSON, INVALID),
    Fault("other tools", r.message(None, tool_calls=_CALLS), Kind.WRONG_SHAPE, INVALID),
    Fault("missing field", r.answer({"word": CANARY}), Kind.WRONG_SHAPE, INVALID),
    Fault("extra field", r.answer({**GOOD, CANARY: 1}), Kind.WRONG_SHAPE, INVALID),
    Fault("wrong type", r.answer({"word": CANARY, "count": "1"}), Kind.WRONG_SHAPE, INVALID),
    Fault("too long a word", r.answer({"word": CANARY * 9, "count": 1}), Kind.WRONG_SHAPE, INVALID),
]


@asynccontextmanager
async def proven(**settings: object) -> AsyncIterator[tuple[ModelEndpoint, EndpointModel]]:
    """Yield an endpoint that has answered once, and the model on it; no request is left recorded."""
    async with (
        scripted(r.always(r.answer(GOOD))) as endpoint,
        asking(agent_settings(endpoint.base_url, model_api_key=KEY, **settings)) as model,
    ):
        await model.ask(REQUEST, PATIENCE_SECONDS)
        endpoint.requests.clear()
        yield endpoint, model


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
async def test_each_fault_is_one_kind_of_one_request_without_a_word_of_it(fault: Fault) -> None:
    async with proven(model_max_answer_bytes=100_000) as (endpoint, model):
        endpoint.script = r.always(fault.reply)
        waits = SECONDS if fault.kind is Kind.OUT_OF_TIME else PATIENCE_SECONDS
        async with asyncio.timeout(2 * PATIENCE_SECONDS):
            with logged("debug") as log, pytest.raises(ModelError) as caught:
                await model.ask(REQUEST, waits)
        error = caught.value
        assert (error.kind, failed_as(error.kind)) == (fault.kind, fault.failed_as)
        assert len(endpoint.requests) == 1
        assert (error.call.outcome, error.call.mode) == (fault.kind.value, "json_schema")
        assert error.call.request_bytes == len(endpoint.requests[0].body)
        written = log.getvalue()
        assert fault.kind.value in written
        for told in (str(error), str(error.call), written):
            assert CANARY not in told
        assert error.__cause__ is None
        assert error.__suppress_context__ or error.__context__ is None


async def test_the_canaries_would_be_seen() -> None:
    # The positive control: the key and the material were sent, and the endpoint's words came in.
    async with proven() as (endpoint, model):
        endpoint.script = r.always(r.answer({"word": CANARY, "count": 1}))
        assert (await model.ask(REQUEST, PATIENCE_SECONDS)).value.word == CANARY
        assert endpoint.requests[0].headers["authorization"] == f"Bearer {KEY}"
        assert CANARY in endpoint.requests[0].json["messages"][1]["content"]


@pytest.mark.parametrize(
    ("own", "waits", "kind", "says"),
    [
        (0.2, PATIENCE_SECONDS, Kind.TIMED_OUT, "raise model_timeout_seconds"),
        (PATIENCE_SECONDS, 0.2, Kind.OUT_OF_TIME, "planner_seconds"),
    ],
)
async def test_whose_time_was_up_is_told(own: float, waits: float, kind: Kind, says: str) -> None:
    async with (
        scripted(r.always(r.hang())) as endpoint,
        asking(agent_settings(endpoint.base_url, model_timeout_seconds=own)) as model,
    ):
        with pytest.raises(ModelError) as caught:
            await model.ask(REQUEST, waits)
    assert caught.value.kind is kind
    assert says in str(caught.value)


async def test_nothing_listens() -> None:
    with kept_address() as nobody:
        async with asking(agent_settings(f"http://{nobody}/v1")) as model:
            with pytest.raises(ModelError) as caught:
                await model.ask(REQUEST, PATIENCE_SECONDS)
    assert caught.value.kind is Kind.UNREACHABLE
    assert "the endpoint cannot be reached" in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        f"```json\n{_WHOLE}\n```",
        "Here you are: {'word': 'a', 'count': 1,} Good luck!",
        f"<think>Hm, {{'word': 'b'}}?</think>{_WHOLE}",
        f'<tool_call>{{"name": "answer", "arguments": {_WHOLE}}}</tool_call>',
    ],
)
async def test_an_answer_that_code_can_read_needs_no_second_call(content: str) -> None:
    async with proven() as (endpoint, model):
        endpoint.script = r.always(r.message(content))
        assert (await model.ask(REQUEST, PATIENCE_SECONDS)).value == Answer(word="a", count=1)
        assert len(endpoint.requests) == 1


async def test_an_answer_that_the_endpoint_took_for_a_tool_call_is_an_answer() -> None:
    calls = [{"type": "function", "function": {"name": "answer", "arguments": _WHOLE}}]
    async with proven() as (endpoint, model):
        endpoint.script = r.always(r.message(None, "tool_calls", tool_calls=calls))
        assert (await model.ask(REQUEST, PATIENCE_SECONDS)).value == Answer(word="a", count=1)


@pytest.mark.parametrize(
    "usage", [None, {"prompt_tokens": -1}, {"prompt_tokens": "x", "completion_tokens": 1.5}]
)
async def test_tokens_that_nobody_counted_are_estimated(usage: object) -> None:
    async with proven() as (endpoint, model):
        endpoint.script = r.always(r.answer(GOOD, usage=usage))
        call = (await model.ask(REQUEST, PATIENCE_SECONDS)).call
        sent = len(endpoint.requests[0].body)
    assert call.tokens_estimated
    assert (call.input_tokens, call.output_tokens) == (-(-sent // 4), -(-len(_WHOLE) // 4))


async def test_tokens_that_the_endpoint_counted_are_its_own() -> None:
    async with proven() as (_, model):
        call = (await model.ask(REQUEST, PATIENCE_SECONDS)).call
    assert (call.input_tokens, call.output_tokens, call.tokens_estimated) == (11, 7, False)
    assert (call.model, call.outcome) == ("scripted", "ok")
    assert call.duration.ToNanoseconds() > 0


async def test_a_pause_that_the_endpoint_asks_for_is_kept() -> None:
    async with proven() as (endpoint, model):
        endpoint.script = r.always(r.failed("429 Slow Down", retry_after="300"))
        with pytest.raises(ModelError):
            await model.ask(REQUEST, PATIENCE_SECONDS)
        endpoint.script = r.always(r.answer(GOOD))
        with pytest.raises(ModelError) as caught:
            await model.ask(REQUEST, PATIENCE_SECONDS)
        # It has no time to wait, and so is not sent.
        assert (caught.value.kind, len(endpoint.requests)) == (Kind.RATE_LIMITED, 1)
        assert (caught.value.call.request_bytes, caught.value.call.input_tokens) == (0, 0)


async def test_without_such_a_pause_the_next_call_is_sent() -> None:
    async with proven() as (endpoint, model):
        endpoint.script = r.always(r.failed("429 Slow Down"))
        with pytest.raises(ModelError):
            await model.ask(REQUEST, PATIENCE_SECONDS)
        endpoint.script = r.always(r.answer(GOOD))
        assert (await model.ask(REQUEST, PATIENCE_SECONDS)).value.count == 1


async def test_a_request_beyond_the_budget_is_not_sent() -> None:
    async with proven(model_context_tokens=512) as (endpoint, model):
        large = ModelRequest(REQUEST.instructions, "x" * 2048, Answer, 100)
        with pytest.raises(ModelError) as caught:
            await model.ask(large, PATIENCE_SECONDS)
        assert (caught.value.kind, caught.value.call.outcome) == (Kind.OVER_BUDGET, "over_budget")
        assert failed_as(caught.value.kind) is NEVER
        assert (caught.value.call.request_bytes, endpoint.requests) == (0, [])
