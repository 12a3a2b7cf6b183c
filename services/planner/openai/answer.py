"""What a model answers when it is asked for a plan."""

import json
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def _as_text(value: object) -> object:
    """Return arguments as text: an object in its place is what was meant."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


class Step(BaseModel):
    """One tool call. Short names: they travel with every request."""

    model_config = ConfigDict(strict=True, extra="forbid")

    goal: str
    tool: str
    args: Annotated[str, BeforeValidator(_as_text)]
    gap: str


class Plan(BaseModel):
    """The calls in the order of execution."""

    model_config = ConfigDict(strict=True, extra="forbid")

    steps: list[Step] = Field(max_length=64)
