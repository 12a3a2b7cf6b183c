"""The composer that needs no model: it restates claims and fills fixed sentences."""

from typing import Final

# What the audit of a run calls this rule set. The version changes when the rules say something else.
PROMPT_NAME: Final = "composer_offline_rules"
PROMPT_VERSION: Final = "1"
