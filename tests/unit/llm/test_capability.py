"""The form of answers is looked for once, whoever asks."""

import asyncio
from collections.abc import Collection

import pytest

from services.common.llm.capability import Capability
from services.common.llm.forms import MODES, STRICTEST, Dialect, Form, Mode

CLASSIC, NEWER = Dialect.CLASSIC, Dialect.NEWER


class Endpoint:
    """Takes some forms and counts what it is asked."""

    def __init__(self, *taken: Form) -> None:
        self.taken: Collection[Form] = taken
        self.asked: list[Form] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def fits(self, form: Form) -> bool:
        self.asked.append(form)
        await self.gate.wait()
        return form in self.taken


def forms(dialect: Dialect, lowest: Mode) -> list[Form]:
    """Return the forms of an endpoint that takes a mode and those below."""
    return [Form(mode, dialect) for mode in MODES[MODES.index(lowest) :]]


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("mode", Mode)
async def test_the_strictest_form_that_works_is_found(mode: Mode, dialect: Dialect) -> None:
    endpoint = Endpoint(*forms(dialect, mode))
    capability = Capability(endpoint.fits)
    assert await capability.find() == Form(mode, dialect)
    assert (capability.form, capability.proven) == (Form(mode, dialect), True)
    assert len(endpoint.asked) == len(set(endpoint.asked))


async def test_where_nothing_works_the_form_is_not_to_blame() -> None:
    capability = Capability(Endpoint().fits)
    assert await capability.find() == STRICTEST
    assert not capability.proven


async def test_all_who_ask_meanwhile_share_one_search() -> None:
    endpoint = Endpoint(STRICTEST)
    endpoint.gate.clear()
    capability = Capability(endpoint.fits)
    searches = [asyncio.create_task(capability.find()) for _ in range(5)]
    await asyncio.wait(searches, timeout=0.01)
    searches[0].cancel()
    endpoint.gate.set()
    assert await asyncio.gather(*searches[1:]) == [STRICTEST] * 4
    assert endpoint.asked == [STRICTEST]


async def test_a_search_that_failed_is_told_to_all_and_begun_again_by_the_next() -> None:
    failing = True

    async def fits(_: Form) -> bool:
        if failing:
            raise ValueError
        return True

    capability = Capability(fits)
    told = await asyncio.gather(capability.find(), capability.find(), return_exceptions=True)
    assert [type(item) for item in told] == [ValueError, ValueError]
    failing = False
    assert await capability.find() == STRICTEST


async def test_closing_ends_a_search() -> None:
    endpoint = Endpoint()
    endpoint.gate.clear()
    capability = Capability(endpoint.fits)
    search = asyncio.create_task(capability.find())
    await asyncio.wait([search], timeout=0.01)
    await capability.aclose()
    with pytest.raises(asyncio.CancelledError):
        await search


async def test_a_form_that_is_not_kept_to_is_lowered_once_and_never_raised() -> None:
    endpoint = Endpoint(*forms(CLASSIC, Mode.JSON_SCHEMA))
    capability = Capability(endpoint.fits)
    await capability.find()
    capability.lower(STRICTEST)
    capability.lower(STRICTEST)
    assert capability.form == Form(Mode.JSON_OBJECT_WITH_SCHEMA, CLASSIC)
    assert (await capability.find()).mode is Mode.JSON_OBJECT_WITH_SCHEMA
    capability.lower(Form(Mode.TEXT, NEWER))
    assert capability.form.mode is Mode.JSON_OBJECT_WITH_SCHEMA
