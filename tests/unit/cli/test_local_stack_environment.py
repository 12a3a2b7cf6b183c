"""What a process of the local stack is told."""

import pytest

from orchestrator.cli.local_stack.environment import inherited
from services.common.processes import REASONING, SERVICES

CANARY = "canary-7b1e"
ENVIRON = {
    "PATH": "/bin",
    "ASSAY_MODEL_API_KEY": f"{CANARY}-shared",
    "ASSAY_PLANNER_MODEL_API_KEY": f"{CANARY}-planner",
    "ASSAY_PLANNER_LOG_LEVEL": "info",
}
SHARED, OWN = f"{CANARY}-shared", f"{CANARY}-planner"


@pytest.mark.parametrize("service", SERVICES)
def test_a_key_is_told_to_those_who_use_it(service: str) -> None:
    told = inherited(service, ENVIRON)
    keys = {value for value in told.values() if CANARY in value}
    wanted = {SHARED} if service in REASONING else set()
    assert keys == (wanted | {OWN} if service == "planner" else wanted)
    assert {"PATH", "ASSAY_PLANNER_LOG_LEVEL"} <= told.keys()
