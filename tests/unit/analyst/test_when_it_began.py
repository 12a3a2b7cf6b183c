"""When the trouble began: what was noticed before anything that a series shows, and times of day."""

from pathlib import Path

import pytest

from services.executor.analyst.reading.changed import change_fault
from tests.fakes.incident import DURATION, FAULT_AT, Incident
from tests.fakes.incident_runs import run

HEALED_AT = FAULT_AT - 60
BROKE_AT = 120


def healed(incident: Incident) -> None:
    """A release breaks the back service, and the next one heals it; much later a series moves a little."""
    names = incident.names
    incident.change(BROKE_AT - 3, names.back, "deploy", f"{names.back} 3.1.0 -> 3.2.0")
    incident.change(HEALED_AT, names.back, "rollback", f"{names.back} 3.2.0 -> 3.1.0")
    for second in range(BROKE_AT, HEALED_AT, 2):
        incident.log(names.back, second, "ERROR KeyError: 'weight' in price_of")
    incident.step_to("reads", "rate(reads[1m])", {"job": names.worker}, 2.5, 7.5, DURATION - 60)


def test_what_only_logs_show_began_before_a_series_moved_elsewhere(tmp_path: Path) -> None:
    incident = Incident()
    healed(incident)

    found = run(incident, tmp_path, "There were errors of the back end, what caused them?")

    assert found.suspects == [(incident.names.back, "release.deployed", "confirmed")]
    assert "3.1.0 -> 3.2.0" in found.of_type("cause")[0].statement


@pytest.mark.parametrize(
    ("clock", "suspects"), [("08:08", 0), ("23:05", 1)], ids=["of the logs", "of another zone"]
)
def test_a_time_of_day_tells_when_something_was_noticed(clock: str, suspects: int, tmp_path: Path) -> None:
    incident = Incident()
    names = incident.names
    # Over long before the time that the question states, and so another story.
    incident.change(FAULT_AT - 83, names.back, "deploy", f"{names.back} 3.1.0 -> 3.2.0")
    incident.metric(
        "latency_p95", "histogram_quantile(0.95, x)", {"service": names.back},
        lambda second: 4.0 if FAULT_AT - 80 <= second < FAULT_AT - 50 else 0.02 + second % 7 / 1000,
    )  # fmt: skip

    found = run(incident, tmp_path, f"Customers complain since {clock}, why?")

    assert len(found.suspects) == suspects


@pytest.mark.parametrize(
    ("kind", "summary", "fault"),
    [
        ("maintenance", "host rebooted for a kernel update", "process.down"),
        ("maintenance", "table parts rewritten", "data.changed"),
        ("maintenance", "nightly job started", "data.changed"),
        ("deploy", "reboots less often", "release.deployed"),
    ],
)
def test_a_reboot_is_no_change_of_data(kind: str, summary: str, fault: str) -> None:
    assert change_fault(kind, summary) == fault
