"""How an endpoint is told to be: looked at now and then, and its mode found when somebody asks."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from services.common.llm.failures import FAILURES, RequestFailedError
from services.common.llm.port import Kind
from services.common.llm.watch import FRESH_SECONDS_BAD, FRESH_SECONDS_GOOD, EndpointWatch
from tests.fakes.model_endpoint import agent_settings


class Endpoint:
    """An endpoint as a client and a model see it, and a clock."""

    def __init__(self, wrong: Kind | None = None, mode: str = "json_schema") -> None:
        self.wrong = wrong
        self.found = mode
        self.mode = ""
        self.looks = 0
        self.at = 100.0

    def now(self) -> float:
        return self.at

    async def look(self, seconds: float) -> Kind | None:  # noqa: ARG002 - it takes no time
        self.looks += 1
        return self.wrong

    async def find_mode(self) -> None:
        if not self.found:
            raise RequestFailedError(Kind.OVERLOADED)
        self.mode = self.found


def watch(endpoint: Endpoint, url: str = "http://host/v1", **settings: object) -> EndpointWatch:
    return EndpointWatch(endpoint, endpoint, agent_settings(url, **settings), endpoint.now)


@pytest.mark.parametrize("wrong", [Kind.UNREACHABLE, Kind.TIMED_OUT, Kind.UNAUTHORIZED, Kind.OVERLOADED])
async def test_what_is_wrong_is_told_with_the_place_alone(wrong: Kind) -> None:
    watched = watch(Endpoint(wrong), "http://host/secret/path")
    assert not await watched.ready()
    assert await watched.problems() == (f"model endpoint host:80: {FAILURES[wrong].sentence}",)
    described = await watched.describe()
    assert (described.reachable, described.mode) == (False, "")


async def test_an_endpoint_that_is_there_has_no_problem_and_a_mode() -> None:
    watched = watch(Endpoint())
    assert await watched.ready()
    assert await watched.problems() == ()
    described = await watched.describe()
    assert (described.address, described.name) == ("host:80", "scripted")
    assert (described.reachable, described.mode) == (True, "json_schema")


async def test_a_mode_that_cannot_be_found_is_not_told() -> None:
    described = await watch(Endpoint(mode="")).describe()
    assert (described.reachable, described.mode) == (True, "")


@pytest.mark.parametrize(
    ("wrong", "fresh"), [(None, FRESH_SECONDS_GOOD), (Kind.UNREACHABLE, FRESH_SECONDS_BAD)]
)
async def test_a_look_holds_for_a_while_however_many_ask(wrong: Kind | None, fresh: float) -> None:
    endpoint = Endpoint(wrong)
    watched = watch(endpoint)
    await asyncio.gather(*(watched.ready() for _ in range(9)))
    endpoint.at += fresh - 0.01
    await watched.ready()
    assert endpoint.looks == 1
    endpoint.at += 0.01
    await watched.ready()
    assert endpoint.looks == 2


@pytest.mark.parametrize(
    ("url", "settings", "in_clear"),
    [
        ("http://host/v1", {"model_api_key": "sk-1"}, True),
        ("http://host/v1", {}, False),
        ("http://host/v1", {"model_api_key": ""}, False),
        ("https://host/v1", {"model_api_key": "sk-1"}, False),
        ("http://127.0.0.1:1/v1", {"model_api_key": "sk-1"}, False),
    ],
)
async def test_a_key_that_travels_in_the_clear_is_told(
    url: str, settings: Mapping[str, Any], in_clear: bool
) -> None:
    assert (await watch(Endpoint(), url, **settings).describe()).key_in_clear is in_clear
