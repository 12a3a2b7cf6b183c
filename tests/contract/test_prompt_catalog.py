"""The orchestrator's catalog of prompts names exactly the prompts by which the agents think."""

from orchestrator.prompt_audit import CATALOG
from services.common.llm.prompt import load
from services.common.llm.settings import ReasonerSettings
from services.common.processes import REASONING
from services.common.reasoning import OFFLINE, OPENAI, PromptId
from services.composer.offline import adapter as composer
from services.executor import reasoner as executor
from services.planner.offline import adapter as planner
from services.verifier.offline import adapter as verifier

IN_USE = {
    ("planner", OFFLINE): planner.PROMPT,
    ("executor", OFFLINE): executor.PROMPT,
    ("verifier", OFFLINE): verifier.PROMPT,
    ("composer", OFFLINE): composer.PROMPT,
    ("planner", OPENAI): load("services.planner.openai").id,
    ("executor", OPENAI): load("services.executor.openai").id,
    ("verifier", OPENAI): load("services.verifier.openai").id,
    ("composer", OPENAI): load("services.composer.openai").id,
}


def test_the_catalog_is_what_the_agents_use() -> None:
    listed = {(entry.agent, entry.reasoner): PromptId(entry.name, entry.version) for entry in CATALOG}
    assert listed == IN_USE
    assert len(CATALOG) == len(IN_USE)


def test_of_each_agent_the_first_entry_is_the_one_of_its_default_reasoner() -> None:
    assert ReasonerSettings.model_fields["reasoner"].default == OFFLINE
    assert [entry.agent for entry in CATALOG if entry.reasoner == OFFLINE] == list(REASONING)
    assert [entry.reasoner for entry in CATALOG] == [OFFLINE, OPENAI] * len(REASONING)
