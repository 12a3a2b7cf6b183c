"""What a model answers when it is asked to compose."""

from pydantic import BaseModel, ConfigDict, Field


class Line(BaseModel):
    """A sentence and the claims that it restates; without a text they stand as they are."""

    model_config = ConfigDict(strict=True, extra="forbid")

    text: str
    claims: list[str] = Field(min_length=1)


class Composition(BaseModel):
    """The sections that restate claims; all others are fixed sentences."""

    model_config = ConfigDict(strict=True, extra="forbid")

    summary: list[Line]
    confirmed: list[Line]
    directions: list[Line]
