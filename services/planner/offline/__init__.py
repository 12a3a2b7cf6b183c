"""The planner that needs no model: what there is to read decides the plan."""

from typing import Final

# What the audit of a run calls this rule set. The version changes when the rules say something else.
PROMPT_NAME: Final = "planner_offline_rules"
PROMPT_VERSION: Final = "1"
