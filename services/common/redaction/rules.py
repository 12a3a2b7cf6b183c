"""What a rule is: one kind of secret, by how it looks.

A rule is tried where one of its keywords stands, in any case; they are patterns of a few characters. What its
pattern captures is the secret, all of its match where it captures nothing; the group `name` is what the
secret is assigned to. Patterns are RE2's, on UTF-8 bytes read as Latin-1, so that work is linear in the text
whatever it holds.
"""

from enum import Enum
from typing import NamedTuple


class Shape(Enum):
    """What a captured text must look like, beyond what its pattern says."""

    ANY = "any"
    """No placeholder."""
    NO_FOLDER = "no folder"
    """No path: `PWD` names a password, and where a process works."""
    DIGIT = "digit"
    """A digit or a sign in it: no word of a sentence."""
    RANDOMISH = "randomish"
    """Letters with digits in one run, or a long run: neither a word nor words that are joined."""
    RANDOM = "random"
    """Both cases and digits: neither a name, nor a hexadecimal number, nor a UUID."""


class Rule(NamedTuple):
    """One kind of secret. `entropy` is the least of the captured text, in bits per character."""

    id: str
    keywords: tuple[str, ...]
    pattern: str
    entropy: float = 0.0
    shape: Shape = Shape.ANY
