"""The offline reasoner: a judge made of rules, pure, which cannot be talked into anything."""

from typing import Final

# What the audit of a run calls this rule set. The version changes when the rules say something else.
PROMPT_NAME: Final = "verifier_offline_rules"
PROMPT_VERSION: Final = "1"
