"""An empty path is no path: it would mean the folder that a process happens to run in."""

from collections.abc import Sequence

import pytest

from orchestrator.settings import OrchestratorSettings
from services.common.settings import ServiceSettings, examine
from services.executor.settings import ExecutorSettings


def problems(settings: type[ServiceSettings], variable: str, value: str) -> Sequence[str]:
    return examine(settings, {"ASSAY_CONFIG": "", variable: value}).problems


@pytest.mark.parametrize(
    ("settings", "variable"),
    [
        (OrchestratorSettings, "ASSAY_ORCHESTRATOR_DATABASE"),
        (ExecutorSettings, "ASSAY_EXECUTOR_BUNDLE_ROOT"),
    ],
)
def test_an_empty_path_is_refused(settings: type[ServiceSettings], variable: str) -> None:
    (told,) = [problem for problem in problems(settings, variable, "") if problem.startswith(variable)]
    assert "it is empty" in told
    # The control: the folder that it would mean, where somebody writes it.
    assert not any("it is empty" in problem for problem in problems(settings, variable, "."))
