"""What a model answers when it is asked to compose."""

from typing import Final

from pydantic import BaseModel, ConfigDict, Field

MAX_CITED: Final = 16
MAX_LINES: Final = 128


class Line(BaseModel):
    """A sentence and the claims that it restates; without a text they stand as they are."""

    model_config = ConfigDict(strict=True, extra="forbid")

    text: str
    # A sentence is held against all that it cites: what cites everything would take long, and say little.
    claims: list[str] = Field(min_length=1, max_length=MAX_CITED)


class Composition(BaseModel):
    """The sections that restate claims; all others are fixed sentences."""

    model_config = ConfigDict(strict=True, extra="forbid")

    summary: list[Line] = Field(max_length=MAX_LINES)
    confirmed: list[Line] = Field(max_length=MAX_LINES)
    directions: list[Line] = Field(max_length=MAX_LINES)
