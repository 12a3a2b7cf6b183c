"""`runbooks_search`: the sections of runbooks and saved pages that speak of some words, for reference."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Final

from pydantic import Field

from services.common.evidence.strict_json import Json
from services.executor.sources import kinds
from services.executor.sources.bundle import Bundle
from services.executor.sources.prose import Section, sections
from services.executor.sources.stop import Stop
from services.executor.tools.arguments import Literal
from services.executor.tools.log_window import number
from services.executor.tools.tool import Arguments, ToolOutput

# A section is shown so far; who wants more opens the file.
MAX_LINES: Final = 60


class RunbookSearch(Arguments):
    """What the sections should speak of."""

    words: Annotated[
        list[Literal], Field(max_length=16, description="texts that sections should hold; all when empty")
    ] = Field(default_factory=list)
    limit: Annotated[int, Field(ge=1, le=100, description="most sections to show")] = 10


def runbooks_search(bundle: Bundle, arguments: RunbookSearch, stop: Stop) -> ToolOutput:
    """Return the sections that hold most of the words, whatever their case; none that holds no word."""
    words = [word.casefold() for word in arguments.words]
    found = [
        (hits, source, section)
        for source, section in _all(bundle, stop)
        if (hits := _hits(section, words)) or not words
    ]
    found.sort(key=lambda each: -each[0])
    shown = found[: arguments.limit]
    made: list[Json] = [_shown(source, section) for _, source, section in shown]
    cut = any(_is_cut(section) for _, _, section in shown)
    return ToolOutput({"sections": made, "matching": number(len(found))}, cut or len(found) > len(shown))


def _all(bundle: Bundle, stop: Stop) -> Iterator[tuple[str, Section]]:
    for source in bundle.of_kind(kinds.RUNBOOK):
        for section in sections(bundle.prose(source, stop)):
            stop.check()
            yield source.name, section


def _hits(section: Section, words: Sequence[str]) -> int:
    text = "\n".join(line.text for line in section.lines).casefold()
    return sum(word in text for word in words)


def _is_cut(section: Section) -> bool:
    return len(section.lines) > MAX_LINES or any(line.cut for line in section.lines)


def _shown(source: str, section: Section) -> Json:
    lines = section.lines[:MAX_LINES]
    return {
        "source": source,
        "first_line": number(section.lines[0].n),
        "last_line": number(section.lines[-1].n),
        "lines": [{"n": number(line.n), "text": line.text} for line in lines],
    }
