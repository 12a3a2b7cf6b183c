"""What tools made of a log, kept for the next call on it: bounded by a weight, the oldest goes first."""

from collections.abc import Hashable


class Kept:
    """Results by key, of which the weights sum up to at most `limit`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._results: dict[Hashable, tuple[object, int]] = {}

    def get(self, key: Hashable) -> object | None:
        """Return a result that is still kept."""
        found = self._results.get(key)
        return None if found is None else found[0]

    def put(self, key: Hashable, result: object, weight: int) -> None:
        """Keep a result, unless it alone is too heavy, in place of older ones."""
        if weight > self._limit:
            return
        self._results.pop(key, None)
        while sum(each for _, each in self._results.values()) + weight > self._limit:
            del self._results[next(iter(self._results))]
        self._results[key] = (result, weight)
