"""The parts of a recorded document that an outsider can write: in the lines of logs that it shows."""

from collections.abc import Iterator
from typing import Final

from assay.common.v1 import tool_pb2

from services.common.bounds import MAX_OUTSIDER_SPANS
from services.common.evidence import pointer
from services.common.evidence.strict_json import Json
from services.executor.sources.log_outsiders import outsider_parts

_TEXT: Final = "text"
# What a summary shows of its first line, and what it was asked to count.
_EXCERPTS: Final = ("common", _TEXT)


def outsider_spans(document: Json) -> list[tool_pb2.OutsiderSpan]:
    """Return the spans of a document, in its order."""
    found = []
    for span in _spans(document, ""):
        found.append(span)
        if len(found) > MAX_OUTSIDER_SPANS:
            # All of the document counts as an outsider's.
            return [tool_pb2.OutsiderSpan()]
    return found


def _spans(value: Json, at: str) -> Iterator[tool_pb2.OutsiderSpan]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _spans(item, f"{at}/{index}")
    elif isinstance(value, dict):
        text = value.get(_TEXT)
        if isinstance(text, str) and "n" in value:
            for begin, end in outsider_parts(text):
                yield tool_pb2.OutsiderSpan(pointer=f"{at}/{_TEXT}", begin=begin, end=end)
            return
        yield from _excerpts(value, at)
        for key, item in value.items():
            yield from _spans(item, at + pointer.build(key))


def _excerpts(value: dict[str, Json], at: str) -> Iterator[tool_pb2.OutsiderSpan]:
    """Yield the excerpts of a first line that stand nowhere in it but in an outsider's part."""
    first = value.get("first")
    line = first.get(_TEXT) if isinstance(first, dict) else None
    if not isinstance(line, str):
        return
    own = _without(line)
    for key in _EXCERPTS:
        excerpt = value.get(key)
        if isinstance(excerpt, str) and excerpt and not any(excerpt in part for part in own):
            yield tool_pb2.OutsiderSpan(pointer=f"{at}/{key}", begin=0, end=len(excerpt))


def _without(line: str) -> list[str]:
    parts = outsider_parts(line)
    begins, ends = [begin for begin, _ in parts], [end for _, end in parts]
    return [line[end:begin] for end, begin in zip([0, *ends], [*begins, len(line)], strict=True)]
