"""What is fuzzed: one row of data per target."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from hypothesis import strategies as st

# Made of bytes, texts, numbers, tuples, lists and dictionaries alone, so that its `repr` is the input again.
Input: TypeAlias = Any


@dataclass(frozen=True)
class Target:
    """A part that takes what strangers wrote.

    `run` returns when all is well. It may raise one of `refuses`, which is how the part says that an input is
    wrong; whatever else it raises is a crash.
    """

    name: str
    inputs: st.SearchStrategy[Input]
    run: Callable[[Input], object]
    refuses: tuple[type[Exception], ...] = ()

    def takes(self, value: Input) -> bool:
        """Run the target on one input; tell whether it was accepted."""
        try:
            self.run(value)
        except self.refuses:
            return False
        return True
