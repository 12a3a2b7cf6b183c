"""Which lines of a recorded document are shown within a budget, and what is said of the others. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from services.common.evidence.strict_json import NumberToken
from services.common.llm.room import weight_of
from services.executor.openai.focus import Focus
from services.executor.openai.lines import Line
from services.executor.openai.wording import can_be_copied, reference

# After so many lines in a row that no longer fit, the budget counts as used.
_PATIENCE: Final = 24
_MAX_GROUPS: Final = 6
_VARIABLE: Final = re.compile(r"\w*\d\w*")
_SHAPE_CHARS: Final = 160
_SAMPLE: Final = 1.2


def reduced(
    number: int, lines: Sequence[Line], budget: int, weights: Sequence[float], write: Callable[[Line], str]
) -> list[str]:
    """Return the lines of one call that fit, in their own order, and what was left out of which list.

    `budget` is in bytes as they travel; what was left out is said beyond it. `weights` are those of `lines`.
    """
    order = sorted(range(len(lines)), key=lambda index: (-weights[index], index))
    taken: dict[int, str] = {}
    seen: Counter[str] = Counter()
    left, misses = budget, 0
    for index in _in_turn(order, lines, weights, seen):
        written = write(lines[index])
        size = weight_of([written]) if written else 0
        if size > left:
            misses += 1
            if misses > _PATIENCE:
                break
            continue
        left -= size
        misses = 0
        taken[index] = written
    shown = [taken[index] for index in sorted(taken) if taken[index]]
    return [*shown, *_left_out(number, lines, taken)]


def weights_of(lines: Sequence[Line], focus: Focus, *, ordered: bool) -> list[float]:
    """Return how much each line tells; what cannot be shown tells nothing."""
    samples = _telling_samples(lines)
    return [
        (_SAMPLE if index in samples else -1.0) if line.is_sample else focus.weight(line, ordered=ordered)
        for index, line in enumerate(lines)
    ]


def _in_turn(
    order: Sequence[int], lines: Sequence[Line], weights: Sequence[float], seen: Counter[str]
) -> Iterator[int]:
    """Yield the lines by weight; of lines of one shape, further ones wait until others had their turn."""
    waiting: list[tuple[float, int]] = []
    for index in order:
        if weights[index] < 0 or not can_be_copied(lines[index].path):
            continue
        shape = _shape(lines[index])
        seen[shape] += 1
        if seen[shape] == 1:
            yield index
        else:
            waiting.append((-weights[index] / seen[shape], index))
    yield from (index for _, index in sorted(waiting))


def _shape(line: Line) -> str:
    texts = [
        str(leaf.value)[:_SHAPE_CHARS] for leaf in line.leaves if leaf.citable and type(leaf.value) is str
    ]
    return f"{line.group} {_VARIABLE.sub('#', ' '.join(texts))}"


def _telling_samples(lines: Sequence[Line]) -> set[int]:
    """Return of each list of samples the first, the last, the least, the greatest, and the largest step."""
    lists: dict[tuple[str | int, ...], list[int]] = {}
    for index, line in enumerate(lines):
        if line.is_sample:
            lists.setdefault(line.path[:-1], []).append(index)
    found: set[int] = set()
    for indexes in lists.values():
        values = [_value(lines[index]) for index in indexes]
        steps = [abs(after - before) for before, after in pairwise(values)]
        places = {0, len(values) - 1, values.index(min(values)), values.index(max(values))}
        if steps:
            step = steps.index(max(steps))
            places |= {step, step + 1}
        found |= {indexes[place] for place in places}
    return found


def _value(line: Line) -> float:
    last = line.leaves[-1].value
    try:
        return float(last) if isinstance(last, NumberToken | str) else 0.0
    except ValueError:
        return 0.0


def _left_out(number: int, lines: Sequence[Line], taken: dict[int, str]) -> Iterator[str]:
    """Say per list how many of its elements are not shown."""
    all_of = Counter(line.group for line in lines)
    kept = Counter(lines[index].group for index in taken)
    missing = [(group, count - kept[group]) for group, count in all_of.items() if count > kept[group]]
    said = [f"{left} of {all_of[group]} {_label(number, group)}" for group, left in missing[:_MAX_GROUPS]]
    rest = sum(left for _, left in missing[_MAX_GROUPS:])
    if rest:
        said.append(f"{rest} in other lists")
    if said:
        yield f"(not shown: {', '.join(said)})"


def _label(number: int, group: str) -> str:
    path = tuple(group.split("/")) if group else ()
    return reference(number, path) if can_be_copied(path) else f"{number}, under names that cannot be shown"
