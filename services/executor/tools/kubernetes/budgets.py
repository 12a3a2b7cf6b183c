"""Disruption budgets that leave no room for an eviction."""

from collections.abc import Iterator

from services.executor.tools.kubernetes.cluster import Subject
from services.executor.tools.kubernetes.found import Found, told

# A budget may be used up as long as nobody wants to evict a pod: it answers who asks of that.
SPENT = "disruption_budget.exhausted"


def budget_findings(budget: Subject, rule: str) -> Iterator[Found]:
    """Yield that a budget allows no eviction at the moment."""
    allowed = budget.said(
        "allowed",
        ("ALLOWED DISRUPTIONS",),
        ("Status", "Allowed disruptions"),
        ("status", "disruptionsAllowed"),
    )
    if allowed is None or allowed.text != "0":
        return
    minimum = budget.said("minimum", ("MIN AVAILABLE",), ("Min available",), ("spec", "minAvailable"))
    stated = minimum if minimum and minimum.text != "N/A" else None
    yield Found(rule, SPENT, budget, told(budget.named, stated, allowed))
