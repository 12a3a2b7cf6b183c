"""How much of a request's bound is left for its material: measured as the bytes that travel. Pure."""

import json
from collections.abc import Iterable
from typing import Final

from pydantic import BaseModel

from services.common.llm.forms import MODES, Asked, Dialect, Form, body_of, size_of
from services.common.llm.prompt import Prompt
from services.common.llm.tokens import BYTES_PER_TOKEN

# The model's name and the bound of the answer, which are not known here.
_UNKNOWN_BYTES: Final = 256


def room_for(context_tokens: int, prompt: Prompt, answer: type[BaseModel]) -> int:
    """Return the bytes that material may have in a request of so many estimated tokens, at least 0.

    It fits in whatever form the endpoint has to be asked; some take the schema twice.
    """
    empty = Asked("", prompt.text, "", answer, 0)
    taken = max(size_of(body_of(empty, Form(mode, dialect))) for mode in MODES for dialect in Dialect)
    return max(0, context_tokens * BYTES_PER_TOKEN - taken - _UNKNOWN_BYTES)


def weight(text: str) -> int:
    """Return the bytes of a text inside a JSON string."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - len('""')


def weight_of(lines: Iterable[str]) -> int:
    """Return the bytes of lines, each with its end."""
    return sum(weight(line) + len("\\n") for line in lines)
