"""YAML as a tree, from the events of its parser: nothing is constructed, no tag runs, no alias unfolds."""

from collections.abc import Callable, Iterator
from typing import Final

import yaml

from services.executor.sources.kubernetes.tree import Node, ShapeError

MAX_DEPTH: Final = 64
MAX_DOCUMENTS: Final = 2000
_CHECK_EVERY: Final = 1024
# The parser in C is about ten times as fast; a build without it reads the same.
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(text: str, check: Callable[[], None]) -> list[Node]:
    """Return the documents of a YAML text.

    Raises ShapeError for what is no YAML, aliases, tags, duplicate keys, keys that are no text, and depth.
    """
    try:
        return list(_documents(_events(text, check)))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" on line {mark.line + 1}" if mark is not None else ""
        raise ShapeError(f"it is not readable YAML{where}") from None


def _events(text: str, check: Callable[[], None]) -> Iterator[yaml.Event]:
    for count, event in enumerate(yaml.parse(text, Loader=_LOADER)):
        if count % _CHECK_EVERY == 0:
            check()
        if isinstance(event, yaml.AliasEvent):
            raise ShapeError(f"it holds an alias on line {_line(event)}, which is not followed")
        tag = getattr(event, "tag", None)
        if tag is not None and tag != "!":
            raise ShapeError(f"it holds a tag on line {_line(event)}, which is not obeyed")
        yield event


def _documents(events: Iterator[yaml.Event]) -> Iterator[Node]:
    for number, event in enumerate(event for event in events if isinstance(event, yaml.NodeEvent)):
        if number >= MAX_DOCUMENTS:
            raise ShapeError(f"it holds more than {MAX_DOCUMENTS} documents")
        yield _node("", event, events, 0)


def _node(key: str, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Node:
    line = _line(event)
    if depth > MAX_DEPTH:
        raise ShapeError(f"it is deeper than {MAX_DEPTH} levels on line {line}")
    if isinstance(event, yaml.ScalarEvent):
        # The text of a block begins below its sign.
        first = line + 1 if event.style in ("|", ">") else line
        null = event.style is None and event.value in ("", "null", "~")
        return Node(
            key,
            None if null else event.value,
            first,
            max(first, event.end_mark.line + 1 if event.end_mark else first),
        )
    members = _members if isinstance(event, yaml.MappingStartEvent) else _elements
    children = tuple(members(events, depth + 1))
    last = max((child.last_line for child in children), default=line)
    return Node(key, None, line, max(line, last), children)


def _members(events: Iterator[yaml.Event], depth: int) -> Iterator[Node]:
    seen: set[str] = set()
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        if not isinstance(event, yaml.ScalarEvent):
            raise ShapeError(f"it holds a key that is no text on line {_line(event)}")
        if event.value in seen:
            raise ShapeError(f"it holds a key twice on line {_line(event)}")
        seen.add(event.value)
        yield _node(event.value, next(events), events, depth)


def _elements(events: Iterator[yaml.Event], depth: int) -> Iterator[Node]:
    index = 0
    while not isinstance(event := next(events), yaml.SequenceEndEvent):
        yield _node(str(index), event, events, depth)
        index += 1


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1
