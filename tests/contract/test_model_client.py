"""What leaves for a model's endpoint, in which form, and how many at once."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from services.common.llm.client import EndpointClient
from services.common.llm.model import EndpointModel, Greeting
from services.common.llm.port import Kind, ModelError, ModelRequest
from tests.fakes.model_endpoint import Asked, Reply, Script, agent_settings, asking, scripted
from tests.fakes.model_endpoint import replies as r
from tests.fakes.model_endpoint.answers import GOOD, Answer
from tests.fakes.model_endpoint.server import serving

PATIENCE_SECONDS = 30
# What never ends is waited for so long: the request has to get there before.
SECONDS = 5


REQUEST = ModelRequest("Say a word.", "Now.", Answer, 100)
UNKNOWN = r.failed("400 Bad Request", "unknown parameter")
FORMS = ["json_schema", "json_object+schema", "json_object", "text"]
MODES = ["json_schema", "json_object_with_schema", "json_object", "text"]


def taking(lowest: str, refusal: Reply = UNKNOWN, bound: str = "max_tokens") -> Script:
    """Return an endpoint that takes a form and those below, and one name of the bound of tokens."""
    taken = FORMS[FORMS.index(lowest) :]
    return lambda asked: r.answer(GOOD) if asked.mode in taken and bound in asked.json else refusal


async def kind_of(model: EndpointModel, seconds: float = PATIENCE_SECONDS) -> Kind | None:
    """Ask and return the kind of failure; None for an answer."""
    try:
        await model.ask(REQUEST, seconds)
    except ModelError as error:
        return error.kind
    return None


@pytest.mark.parametrize("bound", ["max_tokens", "max_completion_tokens"])
@pytest.mark.parametrize("status", ["400", "404", "422", "500"])
@pytest.mark.parametrize(("form", "mode"), list(zip(FORMS, MODES, strict=True))[1:])
async def test_the_call_that_an_endpoint_refuses_fails_and_the_next_asks_in_a_form_that_it_takes(
    form: str, mode: str, status: str, bound: str
) -> None:
    async with (
        scripted(taking(form, r.failed(f"{status} No"), bound)) as endpoint,
        asking(agent_settings(endpoint.base_url)) as model,
    ):
        assert await kind_of(model) is Kind.UNFIT_MODE
        probes = endpoint.requests[1:]
        assert all("Greet the reader." in str(asked.json["messages"][0]) for asked in probes)
        assert len(probes) <= 6
        endpoint.requests.clear()
        answered = await model.ask(REQUEST, PATIENCE_SECONDS)
        assert (answered.value.word, answered.call.mode, model.mode) == ("a", mode, mode)
        (asked,) = endpoint.requests
    assert (asked.mode, asked.json[bound]) == (form, 100)
    # Whoever does not take a temperature takes the newer bound.
    assert ("temperature" in asked.json) == (bound == "max_tokens")
    # Below the strictest form the schema stands in the text, too.
    assert '"required":["word","count"]' in asked.json["messages"][0]["content"]


async def test_an_endpoint_that_takes_the_strictest_form_is_asked_nothing_else() -> None:
    async with (
        scripted(taking("json_schema")) as endpoint,
        asking(agent_settings(endpoint.base_url)) as model,
    ):
        assert [await kind_of(model) for _ in range(3)] == [None] * 3
        assert [asked.mode for asked in endpoint.requests] == ["json_schema"] * 3
        assert "required" not in endpoint.requests[0].json["messages"][0]["content"]
        assert endpoint.requests[0].json["response_format"]["json_schema"]["strict"] is True
        assert "tools" not in endpoint.requests[0].json


async def test_a_refusal_that_a_plain_question_meets_too_is_about_no_form() -> None:
    async with (
        scripted(r.always(r.failed("404 No Such Model"))) as endpoint,
        asking(agent_settings(endpoint.base_url)) as model,
    ):
        assert await kind_of(model) is Kind.REFUSED_REQUEST
        assert (await kind_of(model), model.mode) == (Kind.REFUSED_REQUEST, "")


async def test_a_refusal_of_this_request_alone_is_about_no_form() -> None:
    def script(asked: Asked) -> Reply:
        is_probe = "Greet" in asked.json["messages"][0]["content"]
        return r.answer(GOOD) if is_probe else UNKNOWN

    async with scripted(script) as endpoint, asking(agent_settings(endpoint.base_url)) as model:
        assert await kind_of(model) is Kind.REFUSED_REQUEST
        assert model.mode == "json_schema"


async def test_a_schema_that_is_too_much_for_the_endpoint_lowers_this_answer_alone() -> None:
    def script(asked: Asked) -> Reply:
        hard = '"word"' in json.dumps(asked.json.get("response_format"))
        return UNKNOWN if hard else r.answer({"greeting": "hi"} if b"greeting" in asked.body else GOOD)

    async with scripted(script) as endpoint, asking(agent_settings(endpoint.base_url)) as model:
        assert await kind_of(model) is Kind.UNFIT_MODE
        assert (await model.ask(REQUEST, PATIENCE_SECONDS)).call.mode == "json_object"
        greeting = ModelRequest("Greet.", "Now.", Greeting, 100)
        assert (await model.ask(greeting, PATIENCE_SECONDS)).call.mode == "json_schema"


@pytest.mark.parametrize("unconstrained", [r.message("hello"), r.answer({}), r.answer({**GOOD, "more": 1})])
async def test_an_endpoint_that_takes_a_schema_and_keeps_to_none_is_told_it_in_the_text(
    unconstrained: Reply,
) -> None:
    def script(asked: Asked) -> Reply:
        return unconstrained if asked.mode == "json_schema" else r.answer(GOOD)

    async with scripted(script) as endpoint, asking(agent_settings(endpoint.base_url)) as model:
        assert await kind_of(model) in (Kind.NOT_JSON, Kind.WRONG_SHAPE)
        assert (await kind_of(model), model.mode) == (None, "json_object_with_schema")
        assert len(endpoint.requests) == 2


async def test_a_look_for_the_form_that_does_not_end_ends_with_the_call() -> None:
    def script(asked: Asked) -> Reply:
        return r.hang() if "Greet" in asked.json["messages"][0]["content"] else UNKNOWN

    async with scripted(script) as endpoint, asking(agent_settings(endpoint.base_url)) as model:
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert await kind_of(model, SECONDS) is Kind.REFUSED_REQUEST


async def test_calls_that_meet_the_same_refusal_share_one_look() -> None:
    async with scripted(taking("text")) as endpoint, asking(agent_settings(endpoint.base_url)) as model:
        kinds = await asyncio.gather(*(kind_of(model) for _ in range(4)))
        probes = [asked for asked in endpoint.requests if "Greet" in asked.json["messages"][0]["content"]]
        assert set(kinds) == {Kind.UNFIT_MODE}
        # The strictest, a plain one, and the two between.
        assert len(probes) == 4


async def test_no_header_leaves_but_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-of-another")
    monkeypatch.setenv("OPENAI_ORG_ID", "canary-of-another")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: canary-of-another\nX-More: canary-of-another")
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    async with scripted(taking("json_schema")) as endpoint:
        async with asking(agent_settings(endpoint.base_url)) as model:
            assert await kind_of(model) is None
        (asked,) = endpoint.requests
    assert set(asked.headers) == {
        "accept",
        "accept-encoding",
        "content-length",
        "content-type",
        "host",
        "user-agent",
    }
    assert "canary" not in str(asked)


async def test_a_redirect_takes_the_key_nowhere() -> None:
    async with scripted(taking("json_schema")) as elsewhere:
        async with (
            scripted(r.always(r.redirect(f"{elsewhere.base_url}/chat/completions"))) as endpoint,
            asking(agent_settings(endpoint.base_url, model_api_key="sk-1")) as model,
        ):
            assert await kind_of(model) is Kind.REFUSED_REQUEST
        assert elsewhere.requests == []


async def test_every_text_is_redacted_before_it_leaves() -> None:
    async with scripted(taking("json_schema")) as endpoint:
        settings = agent_settings(endpoint.base_url)
        client = EndpointClient(settings)
        model = EndpointModel(client, settings, lambda text: text.replace("secret", "[redacted]"))
        request = ModelRequest("A secret rule.", "A secret text \ud800.", Answer, 100)
        await model.ask(request, PATIENCE_SECONDS)
        await client.aclose()
        told = [message["content"] for message in endpoint.requests[0].json["messages"]]
    assert told == ["A [redacted] rule.", "A [redacted] text ?."]


@pytest.mark.parametrize(("asked", "own", "sent"), [(50, 100, 50), (100, 50, 50)])
async def test_the_smaller_bound_of_an_answer_holds(asked: int, own: int, sent: int) -> None:
    async with (
        scripted(taking("json_schema")) as endpoint,
        asking(agent_settings(endpoint.base_url, model_max_output_tokens=own)) as model,
    ):
        await model.ask(ModelRequest("Say a word.", "Now.", Answer, asked), PATIENCE_SECONDS)
        assert endpoint.requests[0].json["max_tokens"] == sent


@pytest.mark.parametrize("places", [1, 3])
async def test_no_more_calls_are_with_the_endpoint_than_there_are_places(places: int) -> None:
    with_it, most = 0, 0
    all_places_taken = asyncio.Barrier(places)

    def script(_: Asked) -> Reply:
        async def reply(writer: asyncio.StreamWriter) -> bool:
            nonlocal with_it, most
            with_it += 1
            most = max(most, with_it)
            await all_places_taken.wait()
            # Long enough for one more to be seen, if it came.
            await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=0.05)
            with_it -= 1
            return await r.answer(GOOD)(writer)

        return reply

    async with (
        scripted(script) as endpoint,
        asking(agent_settings(endpoint.base_url, model_max_concurrent=places)) as model,
    ):
        assert await asyncio.gather(*(kind_of(model) for _ in range(6))) == [None] * 6
    assert most == places


async def test_calls_of_a_minute_are_bounded() -> None:
    async with (
        scripted(taking("json_schema")) as endpoint,
        asking(agent_settings(endpoint.base_url, model_requests_per_minute=2)) as model,
    ):
        assert [await kind_of(model) for _ in range(3)] == [None, None, Kind.RATE_LIMITED]
        assert len(endpoint.requests) == 2


async def test_a_cancelled_call_ends_at_once_and_gives_its_place_back() -> None:
    async with (
        scripted(r.always(r.hang())) as endpoint,
        asking(agent_settings(endpoint.base_url, model_max_concurrent=1)) as model,
    ):
        call = asyncio.create_task(kind_of(model))
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not endpoint.requests:
                await asyncio.wait([call], timeout=0.01)
            call.cancel()
            await asyncio.wait([call])
            endpoint.script = taking("json_schema")
            assert await kind_of(model) is None


LOOKS: list[tuple[Reply, Kind | None]] = [
    (r.models(), None),
    (r.failed("404 Not Found"), None),
    (r.failed("405 Not Allowed"), None),
    (r.failed("429 Slow Down"), None),
    (r.endless(), None),
    (r.failed("401 No"), Kind.UNAUTHORIZED),
    (r.failed("403 No"), Kind.UNAUTHORIZED),
    (r.failed("503 Loading"), Kind.OVERLOADED),
    (r.endless(status="503 Loading"), Kind.OVERLOADED),
    (r.hang(), Kind.TIMED_OUT),
    (r.reset(), Kind.UNREACHABLE),
    (r.not_http(b"SSH-2.0\r\n"), Kind.UNREACHABLE),
]


@pytest.mark.parametrize(("reply", "kind"), LOOKS)
async def test_a_look_tells_whether_the_endpoint_is_there(reply: Reply, kind: Kind | None) -> None:
    async with serving(r.always(r.hang()), reply) as endpoint:
        client = EndpointClient(agent_settings(endpoint.base_url, model_api_key="sk-1"))
        try:
            assert await client.look(SECONDS if kind is Kind.TIMED_OUT else PATIENCE_SECONDS) is kind
        finally:
            await client.aclose()
        assert [asked.path for asked in endpoint.requests] == ["/v1/models"]


@pytest.mark.parametrize("service", ["planner", "executor", "gatekeeper", "verifier", "composer"])
def test_who_asks_no_model_loads_no_sdk(service: str, project: Path) -> None:
    code = (
        f"import sys, services.{service}.__main__, services.common.llm.parts, services.common.llm.model\n"
        "print(sorted({'openai', 'httpx2'} & sys.modules.keys()))"
    )
    ended = subprocess.run(  # noqa: S603 - the test's own text
        [sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout.strip() == "[]"
