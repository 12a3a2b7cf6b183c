"""The catalog of the prompts in use: names and versions, never a text.

An offline rule set is its agent's prompt: when its rules change in what they say, its version changes here.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Final

from assay.common.v1.reasoning_pb2 import Reasoning
from assay.orchestrator.v1.state_pb2 import AttemptReasoning

from services.common.processes import REASONING
from services.common.reasoning import OFFLINE, OPENAI

CATALOG_VERSION: Final = "4"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One agent's prompt and the reasoner that uses it."""

    agent: str
    name: str
    version: str
    reasoner: str


# Of an agent the first is the one of its default reasoner.
CATALOG: Final = (
    Prompt("planner", "planner_offline_rules", "2", OFFLINE),
    Prompt("planner", "planner_openai", "1", OPENAI),
    Prompt("executor", "executor_offline_rules", "2", OFFLINE),
    Prompt("executor", "executor_openai", "1", OPENAI),
    Prompt("verifier", "verifier_offline_rules", "2", OFFLINE),
    Prompt("verifier", "verifier_openai", "1", OPENAI),
    Prompt("composer", "composer_offline_rules", "2", OFFLINE),
    Prompt("composer", "composer_openai", "1", OPENAI),
)


def prompt_audit(
    called: Container[str], reasonings: Sequence[AttemptReasoning], catalog: Sequence[Prompt] = CATALOG
) -> dict[str, object]:
    """Return the audit of one run: four entries. `called` are the agents that it called.

    An agent's entry is the prompt by which it last thought, as far as the catalog knows it; else that of its
    default reasoner.
    """
    used = {attempt.node: attempt.reasoning for attempt in reasonings}
    entries = [_entry(agent, used.get(agent, Reasoning()), catalog) for agent in REASONING]
    return {
        "version": CATALOG_VERSION,
        "prompts": [
            {
                "agent": prompt.agent,
                "name": prompt.name,
                "version": prompt.version,
                "reasoner": prompt.reasoner,
                "called": prompt.agent in called,
            }
            for prompt in entries
        ],
    }


def _entry(agent: str, last: Reasoning, catalog: Sequence[Prompt]) -> Prompt:
    own = [prompt for prompt in catalog if prompt.agent == agent]
    named = (last.prompt_name, last.prompt_version)
    return next((prompt for prompt in own if (prompt.name, prompt.version) == named), own[0])
