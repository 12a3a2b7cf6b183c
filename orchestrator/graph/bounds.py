"""Proof that a graph ends: every loop must pass a row that can be taken only once."""

from collections.abc import Iterable, Sequence

from orchestrator.graph.table import Row


def unbounded_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that could be taken for ever; empty when every walk of the graph ends.

    A row is spent for good when its guard needs a counter at 0, no way back to it avoids setting that
    counter, and nothing in the same loops sets it back to 0. Spent rows are removed until no loop is left or
    none of the loops that are left holds one.
    """
    left = _in_loops(rows)
    while left:
        kept = [row for row in left if not _spent(row, _loops_of(row, left))]
        if len(kept) == len(left):
            return left
        left = _in_loops(kept)
    return []


def reachable(start: str, rows: Iterable[Row]) -> set[str]:
    """Return the nodes that can be reached from a node, itself included."""
    targets: dict[str, set[str]] = {}
    for row in rows:
        targets.setdefault(row.node, set()).add(row.target)
    seen, waiting = {start}, [start]
    while waiting:
        fresh = targets.get(waiting.pop(), set()) - seen
        seen |= fresh
        waiting.extend(fresh)
    return seen


def _in_loops(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.node in reachable(row.target, rows)]


def _loops_of(row: Row, rows: Sequence[Row]) -> list[Row]:
    """Return the rows that share a loop with a row: its strongly connected component."""
    after = reachable(row.target, rows)
    return [other for other in rows if other.node in after and row.node in reachable(other.target, rows)]


def _spent(row: Row, loops: Sequence[Row]) -> bool:
    counter = row.guard.zero_counter if row.guard else ""
    if not counter or any(other.changes.get(counter) == 0 for other in loops):
        return False
    if row.changes.get(counter):
        return True
    silent = [other for other in loops if not other.changes.get(counter)]
    return row.node not in reachable(row.target, silent)
