"""The table of rules, in the order in which they name what several of them find."""

from typing import Final

from services.common.redaction.carried import CARRIED
from services.common.redaction.named import NAMED
from services.common.redaction.rules import Rule
from services.common.redaction.tokens import TOKENS
from services.common.redaction.vendors import VENDOR

RULES: Final[tuple[Rule, ...]] = (*TOKENS, *CARRIED, VENDOR, *NAMED)
