"""The orchestrator waits longer for an agent than that may wait for its model."""

import pytest

from orchestrator.settings import OrchestratorSettings
from services.common.llm.settings import ReasonerSettings
from services.common.llm.thinking import KEPT_SECONDS
from services.common.processes import REASONING


@pytest.mark.parametrize("agent", REASONING)
def test_by_default_a_slow_model_has_the_time_of_its_own_setting(agent: str) -> None:
    own = ReasonerSettings.model_fields["model_timeout_seconds"].default
    assert OrchestratorSettings.model_fields[f"{agent}_seconds"].default > own + KEPT_SECONDS
