"""Tokens without a tokenizer: every model has another one, and a bound must hold before anything is sent."""

from typing import Final

BYTES_PER_TOKEN: Final = 4


def estimated(size_bytes: int) -> int:
    """Return how many tokens a text of so many UTF-8 bytes is taken for: a quarter, rounded up."""
    return -(-size_bytes // BYTES_PER_TOKEN)
