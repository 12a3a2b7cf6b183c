"""An answer that tests ask for."""

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field


class Answer(BaseModel):
    """A word and a number."""

    model_config = ConfigDict(extra="forbid")

    word: str = Field(max_length=20)
    count: int


GOOD: Final[dict[str, Any]] = {"word": "a", "count": 1}
