"""What the model is asked for: further calls, or claims that point at shown lines."""

import json
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from services.common.evidence.document import ClaimStatusName, ClaimTypeName, ComponentKind


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


def _as_text(value: object) -> object:
    """Return arguments as text: an object in its place is what was meant."""
    return json.dumps(value) if isinstance(value, dict) else value


class WantedCall(_Strict):
    """A call to make. `args` is a JSON object as text: a strict schema knows no free object."""

    tool: str
    args: Annotated[str, BeforeValidator(_as_text)]


class StatedClaim(_Strict):
    """A claim; `refs` are references as they stand before a shown line."""

    id: str
    type: ClaimTypeName
    status: ClaimStatusName
    critical: bool
    statement: str
    component: str
    kind: ComponentKind
    fault: str
    refs: list[str]


class Conclusion(_Strict):
    """The answer of a last round."""

    claims: list[StatedClaim]


class Step(Conclusion):
    """The answer of a round that may ask for further calls; without any, its claims are the last word."""

    calls: list[WantedCall]
