"""The catalog of the prompts in use: names and versions, never a text.

An offline rule set is its agent's prompt: when its rules change in what they say, its version changes here.
"""

from collections.abc import Container
from dataclasses import dataclass
from typing import Final

CATALOG_VERSION: Final = "1"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One agent's prompt and the reasoner that uses it."""

    agent: str
    name: str
    version: str
    reasoner: str


CATALOG: Final = (
    Prompt("planner", "planner_offline_rules", "1", "offline"),
    Prompt("executor", "executor_offline_rules", "1", "offline"),
    Prompt("verifier", "verifier_offline_rules", "1", "offline"),
    Prompt("composer", "composer_offline_rules", "1", "offline"),
)


def prompt_audit(called: Container[str]) -> dict[str, object]:
    """Return the audit of one run; `called` are the agents that it called."""
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
            for prompt in CATALOG
        ],
    }
