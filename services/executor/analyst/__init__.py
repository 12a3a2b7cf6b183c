"""The offline analyst: pure code that turns recorded tool calls into claims bound to what was recorded."""

from typing import Final

# What the audit of a run calls this rule set. The version changes when the rules say something else.
PROMPT_NAME: Final = "executor_offline_rules"
PROMPT_VERSION: Final = "1"
