"""What may take long never runs on the event loop, where it would keep every other run and health waiting."""

import importlib
import threading
from pathlib import Path
from typing import Any

import grpc
import pytest

from tests.fakes.agents import Reply, run_with

HEAVY = [
    ("orchestrator.nodes.executor", "is_outline"),
    ("orchestrator.nodes.gatekeeper", "bound_invocations"),
    ("orchestrator.nodes.verified_input", "bound_invocations"),
    ("orchestrator.nodes.verified_input", "verify_request"),
    ("orchestrator.nodes.verifier", "accept_verification"),
    ("orchestrator.answering", "material_of"),
    ("orchestrator.nodes.composer", "check_answer"),
    ("orchestrator.nodes.fallback", "fallback_answer"),
    ("orchestrator.finish", "verifier_evaluation"),
]


@pytest.mark.parametrize(("module", "name"), HEAVY)
async def test_heavy_work_runs_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str
) -> None:
    owner = importlib.import_module(module)
    original = getattr(owner, name)
    threads: list[threading.Thread] = []

    def seen(*args: Any, **kwargs: Any) -> object:  # noqa: ANN401 - whatever the function takes
        threads.append(threading.current_thread())
        result: object = original(*args, **kwargs)
        return result

    monkeypatch.setattr(owner, name, seen)
    script: dict[str, list[Reply]] = {"Compose": [grpc.StatusCode.INTERNAL]}
    await run_with(tmp_path, script if name == "fallback_answer" else {})
    assert threads
    assert threading.main_thread() not in threads
