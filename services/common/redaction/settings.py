"""The setting of a process that redacts: patterns beside the table of rules, which is always on."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from services.common.redaction.redactor import MAX_PATTERNS, Redactor


def plain(patterns: Sequence[SecretStr]) -> list[str]:
    """Return the patterns as they were written."""
    return [pattern.get_secret_value() for pattern in patterns]


def _lines(value: object) -> object:
    """Return a variable's text as the list that the file would hold: a pattern on each line."""
    return [line for line in value.splitlines() if line.strip()] if isinstance(value, str) else value


def _usable(patterns: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
    Redactor(plain(patterns))
    return patterns


# A secret each: somebody may write down the very text that must not appear.
RedactPatterns = Annotated[
    tuple[SecretStr, ...],
    BeforeValidator(_lines),
    AfterValidator(_usable),
    Field(max_length=MAX_PATTERNS),
]
REDACT_PATTERNS: Final[Any] = Field(
    (), description="what else is a secret, as patterns of RE2: a list in the file, else one on each line"
)
