"""Prompts: Markdown files with a name and a version, beside the code that uses them."""

import re
from dataclasses import dataclass
from importlib import resources
from typing import Final

from services.common.errors import DataLossError
from services.common.reasoning import PromptId

FILE: Final = "prompt.md"

# Two keys in this order, then the text: whatever else a header could say would be nobody's.
_FORM: Final = re.compile(
    r"---\nname: (?P<name>[a-z][a-z0-9_]{0,63})\nversion: (?P<version>[1-9][0-9]{0,5})\n---\n(?P<text>.+)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told before any material."""

    id: PromptId
    text: str


def load(package: str) -> Prompt:
    """Return the prompt of a package, such as "services.planner.openai"; raises DataLossError."""
    try:
        written = resources.files(package).joinpath(FILE).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise DataLossError(f"{FILE} of {package} cannot be read; install this version again") from None
    return parse(written, f"{FILE} of {package}")


def parse(written: str, place: str) -> Prompt:
    """Return the prompt that a file holds; raises DataLossError that names the place."""
    found = _FORM.fullmatch(written)
    text = found["text"].strip() if found else ""
    if found is None or not text:
        raise DataLossError(
            f"{place} is no prompt: it begins with ---, name: lower_case, version: number, --- and has a text"
        )
    return Prompt(PromptId(found["name"], found["version"]), text)
