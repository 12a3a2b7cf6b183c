"""What `kubectl drain` printed, as events about the node, or the pod, that it was refused for."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from services.executor.sources.kubernetes.tree import Node

_NODE: Final = re.compile(r"(?P<name>node/\S+) (?:already )?(?:cordoned|drained|evicted)\s*$")
_EVICTED: Final = re.compile(r"pod/(?P<pod>\S+) evicted\s*$")
_DONE: Final = re.compile(r"node/\S+ (?:drained|evicted)\s*$")
_REFUSED: Final = re.compile(
    r"(?P<reason>error when evicting pods?)/\"(?P<pod>[^\"]{1,253})\""
    r"|(?P<failed>error: unable to drain node) \"(?P<node>[^\"]{1,253})\""
)


def is_drain(line: str) -> bool:
    """Tell whether a line is one that only `kubectl drain` or `cordon` prints."""
    return _NODE.match(line) is not None or _REFUSED.match(line) is not None


def read_drain(lines: Sequence[str]) -> Iterator[Node]:
    """Yield each refusal as the row of a table of events would be; the same one, tried again, once.

    What was evicted in the end is not told of, and nothing where the node was drained.
    """
    if any(_DONE.match(line) for line in lines):
        return
    evicted = {match["pod"] for line in lines if (match := _EVICTED.match(line))}
    node = next((match["name"] for line in lines if (match := _NODE.match(line))), "")
    seen: set[str] = set()
    for number, line in enumerate(lines, 1):
        match = _REFUSED.match(line)
        if match is None or match["pod"] in evicted or line.strip() in seen:
            continue
        seen.add(line.strip())
        about = node or (f"pod/{match['pod']}" if match["pod"] else f"node/{match['node']}")
        cells = (("REASON", match["reason"] or match["failed"]), ("OBJECT", about), ("MESSAGE", line.strip()))
        yield Node("", None, number, number, tuple(Node(key, text, number, number) for key, text in cells))
