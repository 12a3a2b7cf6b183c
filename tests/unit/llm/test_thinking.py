"""An attempt keeps every call, knows its time, and fails as the table says."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from services.common.llm.failures import FAILURES
from services.common.llm.fallback import or_instead
from services.common.llm.port import Kind
from services.common.llm.prompt import Prompt
from services.common.llm.thinking import KEPT_SECONDS, MAX_CALLS, Thinking
from services.common.reasoning import PromptId, Reasoned, ReasoningFailedError
from tests.fakes.reasoned import by_script, plenty
from tests.fakes.scripted_model import ScriptedModel, saying

PROMPT = Prompt(PromptId("some_openai", "3"), "You judge.")


class Said(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    word: str


async def think(model: ScriptedModel) -> Reasoned[str]:
    thinking = Thinking(model, PROMPT)
    said = await thinking.ask("material", Said, plenty, 100)
    return Reasoned(said.word, thinking.reasoning())


async def offline_word() -> Reasoned[str]:
    return by_script("offline")


async def test_a_call_is_made_of_the_prompt_and_the_material_and_is_kept() -> None:
    model = saying({"word": "yes"})
    made = await think(model)
    [asked] = model.asked
    assert (asked.instructions, asked.material, asked.max_output_tokens) == ("You judge.", "material", 100)
    assert made.value == "yes"
    assert (made.reasoning.reasoner, made.reasoning.prompt_name) == ("openai", "some_openai")
    assert (made.reasoning.prompt_version, made.reasoning.model_failure) == ("3", "")
    assert [call.outcome for call in made.reasoning.model_calls] == ["ok"]


@pytest.mark.parametrize(("remaining", "given"), [(10.0, 10.0 - KEPT_SECONDS), (KEPT_SECONDS / 2, 0.0)])
async def test_time_is_kept_for_what_comes_after(remaining: float, given: float) -> None:
    model = saying({"word": "yes"})
    await Thinking(model, PROMPT).ask("material", Said, lambda: remaining, 100)
    assert model.seconds == [given]


@pytest.mark.parametrize("kind", Kind)
async def test_a_failure_is_what_the_table_says_and_its_call_is_kept(kind: Kind) -> None:
    with pytest.raises(ReasoningFailedError) as caught:
        await think(saying(kind))
    assert caught.value.failed_as is FAILURES[kind].failed_as
    assert caught.value.reasoning.model_failure == kind.value
    assert [call.outcome for call in caught.value.reasoning.model_calls] == calls_of(kind)


def calls_of(kind: Kind) -> list[str]:
    """A form that was refused is looked for, and the question asked once more; nothing else is."""
    return [kind.value] * (2 if kind is Kind.UNFIT_MODE else 1)


async def test_what_was_refused_for_its_form_alone_is_asked_in_the_next_one() -> None:
    answers: Iterator[dict[str, Any] | Kind] = iter([Kind.UNFIT_MODE, {"word": "yes"}])
    made = await think(ScriptedModel(lambda _: next(answers)))
    assert made.value == "yes"
    assert [call.outcome for call in made.reasoning.model_calls] == ["unfit_mode", "ok"]


async def test_an_attempt_asks_only_so_often() -> None:
    thinking = Thinking(saying({"word": "yes"}), PROMPT)
    for _ in range(MAX_CALLS):
        await thinking.ask("material", Said, plenty, 100)
    with pytest.raises(RuntimeError, match="at most 16 times"):
        await thinking.ask("material", Said, plenty, 100)
    assert len(thinking.reasoning().model_calls) == MAX_CALLS


async def test_what_the_model_thought_is_not_thought_again() -> None:
    made = await or_instead(think(saying({"word": "yes"})), offline_word)
    assert (made.value, made.reasoning.reasoner) == ("yes", "openai")


@pytest.mark.parametrize("kind", Kind)
async def test_without_the_model_it_goes_on_and_says_so(kind: Kind) -> None:
    made = await or_instead(think(saying(kind)), offline_word)
    assert (made.value, made.reasoning.reasoner) == ("offline", "offline")
    assert made.reasoning.prompt_name == "scripted"
    assert made.reasoning.model_failure == kind.value
    assert [call.outcome for call in made.reasoning.model_calls] == calls_of(kind)


async def test_without_another_reasoner_the_failure_stays() -> None:
    with pytest.raises(ReasoningFailedError):
        await or_instead(think(saying(Kind.UNREACHABLE)), None)
