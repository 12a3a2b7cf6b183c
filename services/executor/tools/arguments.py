"""Argument models of the tools. Their JSON schemas are what the catalog shows."""

from datetime import UTC, datetime
from typing import Annotated, Self

from pydantic import AwareDatetime, Field, StringConstraints, model_validator

from services.executor.sources.instants import MICROSECONDS
from services.executor.tools.tool import Arguments

SourceName = Annotated[str, StringConstraints(min_length=1, max_length=1024)]
Literal = Annotated[str, StringConstraints(min_length=1, max_length=256)]
When = Annotated[AwareDatetime | None, Field(description="RFC 3339; absent means unbounded")]


class OneSource(Arguments):
    """Which source to read."""

    source: SourceName


class Window(Arguments):
    """A half-open interval; either side may be absent."""

    start: When = None
    end: When = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.start and self.end and self.start >= self.end:
            raise ValueError("start is not before end")
        return self


class SourceWindow(Window):
    """One source within an interval."""

    source: SourceName


class LogSearch(SourceWindow):
    """Which lines of a log to show."""

    contains: Annotated[list[Literal], Field(max_length=16, description="literals that must all occur")] = (
        Field(default_factory=list)
    )
    limit: Annotated[int, Field(ge=1, le=1000, description="most lines to show")] = 200


class LogTemplates(SourceWindow):
    """Which part of a log to group, and the instant that divides before from after."""

    split: Annotated[AwareDatetime | None, Field(description="RFC 3339; divides before from after")] = None
    literals: Annotated[list[Literal], Field(max_length=16, description="texts whose lines are counted")] = (
        Field(default_factory=list)
    )


class SeriesWindow(Window):
    """Which metric sources to compare; all of them when none is named."""

    sources: Annotated[list[SourceName], Field(max_length=2000)] = Field(default_factory=list)


class SeriesSplit(SeriesWindow):
    """The instant that divides before from since, and whose series are compared."""

    split: Annotated[AwareDatetime, Field(description="RFC 3339; divides before from since")]
    components: Annotated[
        list[SourceName], Field(max_length=2000, description="owners of the series; all when none is named")
    ] = Field(default_factory=list)


def microseconds(when: datetime | None) -> int | None:
    """Return an instant as Unix microseconds."""
    if when is None:
        return None
    seconds = int(when.replace(microsecond=0).timestamp())
    return seconds * MICROSECONDS + when.microsecond


def unix_seconds(when: datetime | None) -> float | None:
    """Return an instant as Unix seconds."""
    return None if when is None else when.timestamp()


def rfc3339(when: datetime) -> str:
    """Return an instant as RFC 3339 in UTC, with fractions of a second only where there are any."""
    return when.astimezone(UTC).isoformat().replace("+00:00", "Z")
