"""How much of a request's bound is left for its material: measured as the bytes that travel. Pure."""

import json
from collections.abc import Iterable
from typing import Final

from pydantic import BaseModel

from services.common.llm.prompt import Prompt

# What an estimated token is, as the settings say it.
_BYTES_PER_TOKEN: Final = 4
# Names and numbers of the protocol around texts and schema.
_ENVELOPE_BYTES: Final = 512


def room_for(context_tokens: int, prompt: Prompt, answer: type[BaseModel]) -> int:
    """Return the bytes that material may have, at least 0, in a request of so many estimated tokens.

    The schema of the answer counts twice: some endpoints are told it in the text, too.
    """
    schema = json.dumps(answer.model_json_schema())
    taken = weight(prompt.text) + 2 * weight(schema) + _ENVELOPE_BYTES
    return max(0, context_tokens * _BYTES_PER_TOKEN - taken)


def weight(text: str) -> int:
    """Return the bytes of a text inside a JSON string."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - len('""')


def weight_of(lines: Iterable[str]) -> int:
    """Return the bytes of lines, each with its end."""
    return sum(weight(line) + len("\\n") for line in lines)
