"""What a model answers when it is asked to check claims."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Judged = Literal[
    "direct_observation",
    "reasonable_inference",
    "overstated",
    "unsupported",
    "external_unknown",
    "contradicted",
]


class Check(BaseModel):
    """The judgement of one claim. Short names: they travel with every request."""

    model_config = ConfigDict(strict=True, extra="forbid")

    claim: str
    judged: Judged
    refs: list[str]
    invented: bool
    why: str


class Judgement(BaseModel):
    """All checks, and what they come to."""

    model_config = ConfigDict(strict=True, extra="forbid")

    checks: list[Check]
    verdict: Literal["pass", "low_confid", "reject"]
    score: float
    why: str
