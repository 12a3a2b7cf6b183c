"""The processes of Assay, by the short names that their settings, logs and folders carry."""

from typing import Final

AGENTS: Final = ("planner", "executor", "gatekeeper", "verifier", "composer")
ORCHESTRATOR: Final = "orchestrator"
# Those that may ask a language model.
REASONING: Final = ("planner", "executor", "verifier", "composer")
# The command line is no service, but it has settings.
COMMAND_LINE: Final = "cli"
SERVICES: Final = (*AGENTS, ORCHESTRATOR)
# What the agents with a language model share; it is no process, but a table of settings.
MODEL: Final = "model"
