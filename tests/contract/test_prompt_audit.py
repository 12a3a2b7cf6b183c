"""The catalog of prompts says what the services use by default."""

from types import ModuleType

import pytest

from orchestrator.prompt_audit import CATALOG
from services.common.reasoning import OFFLINE, OPENAI
from services.common.settings import ServiceSettings
from services.composer import offline as composer_rules
from services.composer.settings import ComposerSettings
from services.executor import analyst as executor_rules
from services.executor.settings import ExecutorSettings
from services.planner import offline as planner_rules
from services.planner.settings import PlannerSettings
from services.verifier import offline as verifier_rules
from services.verifier.settings import VerifierSettings

AGENTS: dict[str, tuple[type[ServiceSettings], ModuleType]] = {
    "planner": (PlannerSettings, planner_rules),
    "executor": (ExecutorSettings, executor_rules),
    "verifier": (VerifierSettings, verifier_rules),
    "composer": (ComposerSettings, composer_rules),
}


def test_every_agent_with_a_reasoner_has_one_entry_per_reasoner() -> None:
    listed = [(prompt.agent, prompt.reasoner) for prompt in CATALOG]
    assert listed == [(agent, reasoner) for agent in AGENTS for reasoner in (OFFLINE, OPENAI)]


@pytest.mark.parametrize("agent", AGENTS)
def test_an_entry_says_what_the_service_uses(agent: str) -> None:
    settings, rules = AGENTS[agent]
    prompt = next(prompt for prompt in CATALOG if prompt.agent == agent)
    assert settings.model_fields["reasoner"].default == prompt.reasoner
    assert (prompt.name, prompt.version) == (rules.PROMPT_NAME, rules.PROMPT_VERSION)
