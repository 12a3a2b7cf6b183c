"""Material in which little or nothing is wrong, outside of the window, or not fit to be shown."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.fakes.bindings import problems
from tests.fakes.incident import FAULT_AT, START, Incident
from tests.fakes.investigation import Investigation, investigate

BEGIN = datetime.fromtimestamp(START, UTC)
QUESTION = "Why do requests fail?"
PLACES = {"log": "logs/app.log", "metric": "metrics/load.json"}
HIDDEN = {"title": "\x1b]0;owned\x07", "reordered": "\u202e"}


def stamp(second: float) -> str:
    return (BEGIN + timedelta(seconds=second)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / "bundle" / PLACES.get(name, f"{name}.json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "bundle"


def levels(values: list[int]) -> str:
    samples = [[START + 15 * index, str(value)] for index, value in enumerate(values)]
    result = [{"metric": {"__name__": "depth", "job": "app"}, "values": samples}]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}}, indent=1)


def found_in(bundle: Path, window: tuple[datetime, datetime] | None = None) -> Investigation:
    found = investigate(bundle, QUESTION, window=window)
    assert problems(found.evidence, found.calls) == []
    return found


def only(found: Investigation) -> str:
    (claim,) = found.evidence.claims
    assert (claim.claim_type, claim.status) == ("context", "confirmed")
    assert claim.evidence_bindings
    return claim.statement


def all_of(found: Investigation) -> str:
    return "\n".join(claim.statement for claim in found.evidence.claims)


def test_one_routine_line_is_told_even_in_a_window_of_a_second(tmp_path: Path) -> None:
    bundle = write(tmp_path, log=f"{stamp(0)} INFO started\n")

    told = only(found_in(bundle, (BEGIN, BEGIN + timedelta(seconds=1))))

    assert told == "Lines that report a failure by their level or status: 0 of 1 in logs/app.log."


def test_an_empty_log_is_told(tmp_path: Path) -> None:
    told = only(found_in(write(tmp_path, log="")))

    assert told == "Lines read: 0 in logs/app.log, where 0 report a failure by their level or status."


def test_a_topology_alone_is_told(tmp_path: Path) -> None:
    services = [{"name": "web", "kind": "service", "logs": ["logs/web.log"]}, {"name": "store", "kind": "db"}]

    told = only(found_in(write(tmp_path, topology=json.dumps({"services": services, "calls": []}, indent=1))))

    assert told == 'The topology names the services "web", "store".'


def test_flat_metrics_are_told(tmp_path: Path) -> None:
    told = only(found_in(write(tmp_path, metric=levels([10] * 80))))

    assert told.startswith("Metric series that kept their usual level: 1; series that left it")


def test_where_nothing_can_be_cited_nothing_is_claimed(tmp_path: Path) -> None:
    assert found_in(write(tmp_path, events="[]")).evidence.claims == []


@pytest.mark.parametrize("at", [8, 16, 26, 40, 72])
def test_a_clear_step_is_told_wherever_it_lies_and_though_nobody_complained(at: int, tmp_path: Path) -> None:
    found = found_in(write(tmp_path, metric=levels([10] * at + [90] * (80 - at))))

    told = f'depth{{job="app"}} rose from 10 to 90, beginning at {stamp(15 * at)[:19]}Z.'
    assert told in all_of(found)
    assert (
        "Metric series that kept their usual level: 0; series that left it, be it for a moment: 1."
        in all_of(found)
    )


@pytest.mark.parametrize("count", [1, 120])
@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN.keys())
def test_a_failure_that_cannot_be_quoted_is_counted(hidden: str, count: int, tmp_path: Path) -> None:
    lines = [f"{stamp(second)} INFO served {second}\n" for second in range(60)]
    lines += [f"{stamp(60 + number)} ERROR {hidden}\n" for number in range(count)]

    found = found_in(write(tmp_path, log="".join(lines)))

    what = "1 failing line" if count == 1 else f"{count} failing lines"
    (symptom,) = found.of_type("symptom")
    assert symptom.statement.startswith(f"app logged {what} from {stamp(60)[:19]}Z on; none before")


@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN.keys())
def test_of_a_failure_that_hides_something_the_rest_is_quoted(hidden: str, tmp_path: Path) -> None:
    lines = [
        f"{stamp(number)} ERROR {hidden} write to ledger failed {hidden} rid={number}\n"
        for number in range(120)
    ]

    found = found_in(write(tmp_path, log="".join(lines)))

    (symptom,) = found.of_type("symptom")
    assert symptom.statement.startswith('app logged "write to ledger failed" 120 times from ')


def test_a_single_failure_occurred_once(tmp_path: Path) -> None:
    lines = [f"{stamp(second)} INFO served {second}\n" for second in range(300)]
    lines.append(f"{stamp(300)} ERROR ledger is corrupt\n")

    (symptom,) = found_in(write(tmp_path, log="".join(lines))).of_type("symptom")

    assert symptom.statement.startswith('app logged "ledger is corrupt" once from ')


def _failing(folder: Path) -> Path:
    incident = Incident()
    names = incident.names
    incident.change(FAULT_AT - 3, names.back, "deploy", f"{names.back} 3.1.0 -> 3.2.0")
    for second in range(FAULT_AT, FAULT_AT + 200):
        incident.log(names.back, second, "ERROR ledger is corrupt")
    incident.alert(FAULT_AT + 30, "ErrorsHigh", names.front)
    return incident.write(folder / "bundle")


@pytest.mark.parametrize("years", [-6, 6])
def test_a_window_without_data_says_so_and_uses_nothing_outside_of_it(years: int, tmp_path: Path) -> None:
    start = BEGIN.replace(year=BEGIN.year + years)
    end = start + timedelta(days=1)

    found = found_in(_failing(tmp_path), (start, end))

    window = f"window from {start:%Y-%m-%dT%H:%M:%SZ} to {end:%Y-%m-%dT%H:%M:%SZ}"
    text = all_of(found)
    assert f"The {window} is empty of log lines: 0 in logs/" in text
    assert f"Metric series with enough samples to be judged in the {window}: 0; with fewer or none: " in text
    assert {claim.claim_type for claim in found.evidence.claims} == {"context"}
    assert "Changes recorded outside the window: stock " in text
    assert "cart: recorded outside the window: the alert ErrorsHigh is firing" in text
    assert "Recorded changes" not in text


def test_what_lies_outside_of_a_window_is_not_counted_in_it(tmp_path: Path) -> None:
    end = BEGIN + timedelta(seconds=FAULT_AT + 50)

    found = found_in(_failing(tmp_path), (BEGIN, end))

    assert [suspect[:2] for suspect in found.suspects] == [("stock", "release.deployed")]
    assert 'stock logged "ledger is corrupt" 50 times' in all_of(found)


def test_a_later_change_and_alert_are_outside(tmp_path: Path) -> None:
    found = found_in(_failing(tmp_path), (BEGIN, BEGIN + timedelta(seconds=FAULT_AT - 10)))

    text = all_of(found)
    assert "Lines that report a failure by their level or status: 0 of " in text
    assert "Changes recorded outside the window: stock " in text
    assert "recorded outside the window: the alert ErrorsHigh" in text
    assert found.of_type("symptom") == []


def _slow_after_stopped_work(folder: Path, stops_at: int) -> Investigation:
    """Every five minutes a sample: work that stops for good, and slow answers from sample 33 on."""
    step = 300
    shapes = {
        "requests": [26 if index < stops_at else 0 for index in range(41)],
        "latency_seconds": [5 if index < 33 else 900 for index in range(41)],
    }
    for name, values in shapes.items():
        samples = [[START + step * index, str(value)] for index, value in enumerate(values)]
        result = [{"metric": {"__name__": name, "job": name.split("_")[0]}, "values": samples}]
        data = {"status": "success", "data": {"resultType": "matrix", "result": result}}
        path = folder / "bundle/metrics" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data, indent=1), encoding="utf-8")
    alert = {"labels": {"alertname": "Slow"}, "state": "firing", "activeAt": stamp(step * 37)}
    data = {"status": "success", "data": {"alerts": [alert]}}
    services: list[dict[str, object]] = [
        {"name": name, "kind": "service", "logs": []} for name in ("requests", "latency")
    ]
    topology = {"services": services, "calls": [{"from": "latency", "to": "requests"}]}
    return found_in(write(folder, alerts=json.dumps(data, indent=1), topology=json.dumps(topology, indent=1)))


@pytest.mark.parametrize(("stops_at", "suspected"), [(9, False), (32, True)])
def test_work_that_stopped_hours_before_is_another_story(
    stops_at: int, suspected: bool, tmp_path: Path
) -> None:
    found = _slow_after_stopped_work(tmp_path, stops_at)

    assert ("process.down" in {claim.fault for claim in found.of_type("cause")}) is suspected


def test_of_a_log_in_several_files_each_is_counted_as_the_file_that_it_is(tmp_path: Path) -> None:
    routine = "".join(f"{stamp(second)} INFO served\n" for second in range(0, 240, 10))
    failing = [f"{stamp(300 + second)} ERROR connection to store refused\n" for second in range(80)]
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "api.log.1").write_text(routine + "".join(failing[:30]), encoding="utf-8")
    (logs / "api.log").write_text("".join(failing[30:]), encoding="utf-8")
    told = all_of(found_in(tmp_path))
    assert "30 times in logs/api.log.1 from" in told or "50 times in logs/api.log from" in told
    assert "times from" not in told
