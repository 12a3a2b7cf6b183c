"""Argument models of the tools on clusters."""

from typing import Annotated

from pydantic import Field, StringConstraints

from services.executor.tools.arguments import SourceName
from services.executor.tools.tool import Arguments

Name = Annotated[str, StringConstraints(min_length=1, max_length=253)]
Names = Annotated[list[Name], Field(max_length=64, description="names of objects; all when empty")]


class Objects(Arguments):
    """Which source to read, and which of its objects to show."""

    source: SourceName
    names: Names = Field(default_factory=list)
    limit: Annotated[int, Field(ge=1, le=1000, description="most objects to show")] = 100


class Events(Arguments):
    """The objects whose events to show, and whether to leave out those that are no warning."""

    names: Names = Field(default_factory=list)
    warnings_only: bool = False
    limit: Annotated[int, Field(ge=1, le=1000, description="most events to show")] = 200


class Fact(Arguments):
    """A fact of an object, by its name in the document, and what it may be as a whole."""

    fact: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    texts: Annotated[list[Name], Field(min_length=1, max_length=64)]
    other: Annotated[bool, Field(description="stated, and none of these")] = False


class Inventory(Arguments):
    """Which objects to list and to count; every condition that is given must hold."""

    kinds: Annotated[list[Name], Field(max_length=32, description="such as Pod; all when empty")] = Field(
        default_factory=list
    )
    names: Names = Field(default_factory=list)
    namespaces: Annotated[list[Name], Field(max_length=64)] = Field(default_factory=list)
    where: Annotated[list[Fact], Field(max_length=8)] = Field(default_factory=list)


class Findings(Arguments):
    """The objects to look at; all of them when none is named."""

    names: Names = Field(default_factory=list)
