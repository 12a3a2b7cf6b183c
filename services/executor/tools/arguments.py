"""Argument models of the tools. Their JSON schemas are what the catalog shows."""

from datetime import UTC, datetime
from typing import Annotated, Self
from typing import Literal as TypeLiteral

from pydantic import AwareDatetime, Field, StringConstraints, model_validator

from services.executor.sources.instants import MICROSECONDS
from services.executor.tools.tool import Arguments

SourceName = Annotated[str, StringConstraints(min_length=1, max_length=1024)]
Literal = Annotated[str, StringConstraints(min_length=1, max_length=256)]
Outcome = Annotated[str, StringConstraints(pattern=r"^[1-5](?:xx|[0-9]{2})$")]
Method = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3,16}$")]
GroupedBy = TypeLiteral["status", "client", "method", "path", "level", "message", "minute", "hour"]
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


class LogCount(Window):
    """Which lines or records to count; every condition that is given must hold."""

    sources: Annotated[
        list[SourceName], Field(max_length=2000, description="logs; all when none is named")
    ] = Field(default_factory=list)
    contains: Annotated[list[Literal], Field(max_length=16, description="literals that must all occur")] = (
        Field(default_factory=list)
    )
    whole: Annotated[list[Literal], Field(max_length=16, description="that are no part of a longer word")] = (
        Field(default_factory=list)
    )
    any_of: Annotated[list[Literal], Field(max_length=16, description="literals one of which must occur")] = (
        Field(default_factory=list)
    )
    ignore_case: bool = False
    severities: list[TypeLiteral["failure", "warning", "other"]] = Field(default_factory=list, max_length=3)
    levels: Annotated[list[Literal], Field(max_length=16, description="the source's own words, any case")] = (
        Field(default_factory=list)
    )
    outcomes: Annotated[list[Outcome], Field(max_length=64, description="status codes or classes")] = Field(
        default_factory=list
    )
    methods: Annotated[list[Method], Field(max_length=8, description="of the request")] = Field(
        default_factory=list
    )
    clients: Annotated[list[Literal], Field(max_length=8, description="addresses of callers")] = Field(
        default_factory=list
    )
    paths: Annotated[list[Literal], Field(max_length=8, description="with what is below them")] = Field(
        default_factory=list
    )
    slower_than: Annotated[float | None, Field(ge=0, description="seconds that the request took")] = None
    by: Annotated[GroupedBy | None, Field(description="count them apart by this, too")] = None
    show: Annotated[int, Field(ge=0, le=50, description="most of them to show, per log")] = 0
    slowest: Annotated[bool, Field(description="show those that took longest, not the first")] = False
    last: Annotated[bool, Field(description="show the last ones, not the first")] = False
    dated_only: Annotated[bool, Field(description="count apart what has no time")] = False


class Condition(Arguments):
    """A member, by the keys that lead to it joined by `/`, and what it may hold as a whole."""

    path: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    texts: Annotated[list[Literal], Field(min_length=1, max_length=256)]


class Entries(Window):
    """Which entries of which sources to count; every condition that is given must hold."""

    sources: Annotated[list[SourceName], Field(min_length=1, max_length=64)]
    where: Annotated[list[Condition], Field(max_length=8)] = Field(default_factory=list)
    calls: Annotated[bool, Field(description="of a topology the calls, not the services")] = False


class SeriesWindow(Window):
    """Which metric sources to compare; all of them when none is named."""

    sources: Annotated[list[SourceName], Field(max_length=2000)] = Field(default_factory=list)


class SeriesSummary(SeriesWindow):
    """Which series to show: all, or those whose name, labels or query hold one of some words."""

    words: Annotated[list[Literal], Field(max_length=32, description="any of them, in any case")] = Field(
        default_factory=list
    )
    at: Annotated[AwareDatetime | None, Field(description="RFC 3339; the last sample until then")] = None
    above: float | None = None
    below: float | None = None


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
