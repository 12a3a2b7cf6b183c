"""How a series before an instant and since is put into words."""

from services.executor.analyst.reading.shifts import Shift
from services.executor.analyst.reading.spot import Spot
from services.executor.analyst.wording.findings import Part, instant, literal, number
from services.executor.analyst.wording.phrases import telling_labels

_FORMS = {
    "failures": "failed requests per sample by ",
    "increase": "growth per sample of ",
    "mean": "mean of each observation by ",
}


def compared(shift: Shift) -> list[Part]:
    """Say what a series was on average since the instant, and what is usual."""
    spot = shift.spot
    labels = spot.at("labels")
    name: list[Part] = [literal(spot.at("name"))]
    if shift.labels:
        name.append(literal(labels, telling_labels(shift.labels)))
    split = Spot(spot.call, ("split",))
    return [
        _FORMS.get(shift.judged, ""), *name, " averages ", number(spot.at("since", "mean")), " from ",
        instant(split), " on, where ", number(spot.at("reference", "usual")), " is usual",
    ]  # fmt: skip


def usual_variation(shift: Shift) -> list[Part]:
    """Say by how much such an average varies without any trouble."""
    return [
        "such an average varies by ", number(shift.spot.at("reference", "window_spread")),
    ]  # fmt: skip
