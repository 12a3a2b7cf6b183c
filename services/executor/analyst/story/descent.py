"""From the component that is complained of, along its calls, to where the same measure got worse first.

A component is explained by one that it calls when that one clearly got worse by the same measure, and lost at
least half of what the caller lost: seconds, failed requests. Of several the one that lost most is
followed. Comparing amounts and not scores keeps two things apart that look alike: the quiet noise of a
component that is hardly used, and the few requests that one caller of a busy component sees of its trouble.

The walk from the symptom towards dependencies as long as they are anomalous is that of CauseInfer (Chen, Qi,
Zheng and Hou, INFOCOM 2014) and the "traversal" baseline of "The PetShop Dataset" (Hardt et al., CLeaR 2024).
The component that is complained of and the one that explains it are two observations of one trouble; together
they can be clear where the first alone is not (Stouffer's sum of scores, "The American Soldier", 1949).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from services.executor.analyst.reading.shifts import SCORES, Worsening
from services.executor.analyst.reading.topology import Topology

# Hampel's rule ("The influence curve", JASA 69, 1974).
CLEAR = 3.0
# Two scores that agree have to say more: the second was chosen among all that are called.
_CLEAR_TOGETHER = 4.0
# Half of all series are above their usual mean at any time; one that is to bear out another is further. Below
# 1 it matters little how far: it is the sum that has to be clear.
_MORE_THAN_NOISE = 0.5
# The part of what a caller lost that the callee must have lost to explain it.
_SHARE = 0.5
# What nothing else bears out: one of many components moves by more than three now and then without trouble.
CLEAR_ALONE = 6.0
# Of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009), as there.
_FUSION = 60.0


@dataclass(frozen=True)
class Descent:
    """What got worse by one measure, seen from the component that is complained of."""

    start: str
    """Empty where no known component is complained of."""
    worse: Mapping[str, Worsening]
    topology: Topology

    @cached_property
    def path(self) -> Sequence[Worsening]:
        """The components from the one that is complained of to the deepest one that explains it."""
        if self.start not in self.worse:
            return []
        path = [self.worse[self.start]]
        while True:
            seen = {each.component for each in path}
            callees = [
                self.worse[name]
                for name in sorted(self.topology.uses(path[-1].component) - seen)
                if name in self.worse
            ]
            found = [each for each in callees if explains(each, path[-1])]
            if not found:
                return path
            path.append(max(found, key=lambda each: (each.total or 0.0, each.each)))

    @property
    def stands_alone(self) -> bool:
        """Tell whether the component clearly got worse, and nothing of what it calls explains it."""
        return bool(self.topology.calls) and len(self.path) == 1 and self.path[0].score() >= CLEAR_ALONE

    @property
    def is_clear(self) -> bool:
        """Tell whether what is complained of got worse, together with something that may explain it."""
        if not self.path:
            # Nothing measures it: only what stands out by itself can be told.
            return any(each.score() >= CLEAR_ALONE for each in self.worse.values())
        own = self.path[0].score()
        if not self.topology.calls:
            return own >= CLEAR
        if len(self.path) == 1:
            return self.stands_alone
        together = (own + self.path[1].score()) / math.sqrt(2)
        return own >= CLEAR or (own >= _MORE_THAN_NOISE and together >= _CLEAR_TOGETHER)

    @cached_property
    def suspects(self) -> Sequence[Worsening]:
        """Those that may explain it, the likeliest first; none where it is not clear that anything got worse.

        What is complained of is the symptom: that it got worse is no cause of it.
        """
        if not self.is_clear or self.stands_alone:
            return []
        last = self.path[-1:] if self.topology.calls else []
        clear = {name: each for name, each in self.worse.items() if each.score() >= CLEAR}
        if self.topology.calls and self.start in self.topology.components:
            known = self.topology.dependencies(self.start)
            clear = {name: each for name, each in clear.items() if name in known}
        others = [each for name, each in clear.items() if name != self.start and each not in last]
        return [*last, *fused(others)]


def explains(callee: Worsening, caller: Worsening) -> bool:
    """Tell whether what a component lost can be what one that calls it lost."""
    if callee.score() < CLEAR:
        return False
    lost, lacking = callee.total, caller.total
    if lost is None or lacking is None:
        lost, lacking = callee.each, caller.each
    return lost > 0 and lacking > 0 and lost >= _SHARE * lacking


def fused(worse: Sequence[Worsening]) -> list[Worsening]:
    """Order by reciprocal rank fusion of all scores, of the amounts lost, and of who left the usual first."""
    orders = [sorted(worse, key=partial(_by_score, score)) for score in SCORES]
    orders.append(sorted(worse, key=lambda each: -(each.total or 0.0)))
    orders.append(sorted(worse, key=lambda each: each.left_at or math.inf))
    return sorted(
        worse, key=lambda each: (-sum(1 / (_FUSION + _rank(each, order)) for order in orders), each.component)
    )


def _by_score(name: str, worsening: Worsening) -> float:
    return -worsening.score(name)


def _rank(one: Worsening, order: Sequence[Worsening]) -> int:
    return next(index for index, each in enumerate(order, 1) if each is one)
