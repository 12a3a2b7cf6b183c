"""The catalog of prompts names the reasoners that the services use by default."""

import pytest

from orchestrator.prompt_audit import CATALOG
from services.common.settings import ServiceSettings
from services.composer.settings import ComposerSettings
from services.planner.settings import PlannerSettings
from services.verifier.settings import VerifierSettings

SETTINGS: dict[str, type[ServiceSettings]] = {
    "planner": PlannerSettings,
    "verifier": VerifierSettings,
    "composer": ComposerSettings,
}


@pytest.mark.parametrize("agent", SETTINGS)
def test_a_reasoner_of_the_catalog_is_the_service_s_own(agent: str) -> None:
    (prompt,) = [prompt for prompt in CATALOG if prompt.agent == agent]
    assert SETTINGS[agent].model_fields["reasoner"].default == prompt.reasoner
