"""The example dashboard and the alert rules name what is counted, and all of it."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import orchestrator.telemetry
import services.common.llm.telemetry
import services.common.rpc.rpc_metrics
import services.executor.telemetry
from services.common.telemetry.metrics import Counter, Gauge, Histogram, Metric
from services.common.telemetry.prometheus import Prometheus

MODULES = (
    orchestrator.telemetry,
    services.common.llm.telemetry,
    services.common.rpc.rpc_metrics,
    services.executor.telemetry,
)
METRICS = {
    item.name: item for module in MODULES for item in vars(module).values() if isinstance(item, Metric)
}
# A selector: a name, and what its labels are compared with.
_SELECTOR = re.compile(r"\b(assay_\w+)(?:\{([^}]*)\})?")
_MATCHER = re.compile(r'(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"')
_GROUPED = re.compile(r"by \(([^)]*)\)")
# Added by whoever scrapes, and by a histogram.
_FOREIGN_LABELS = {"job", "instance", "le"}


def metric_of(name: str) -> Metric:
    return METRICS.get(name) or METRICS[re.sub(r"_(bucket|count|sum)$", "", name)]


@pytest.fixture(scope="module")
def panels(project: Path) -> list[str]:
    dashboard = json.loads((project / "docs" / "telemetry" / "dashboard.json").read_text(encoding="utf-8"))
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


@pytest.fixture(scope="module")
def rules(project: Path) -> list[str]:
    text = (project / "docs" / "telemetry" / "alerts.yaml").read_text(encoding="utf-8")
    return [rule["expr"] for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]


def problems(expression: str) -> Iterator[str]:
    """Yield what an expression names that is not counted."""
    labels: set[str] = set()
    for name, matchers in _SELECTOR.findall(expression):
        try:
            metric = metric_of(name)
        except KeyError:
            yield f"no such metric: {name}"
            continue
        labels |= metric.labels.keys()
        for label, values in _MATCHER.findall(matchers or ""):
            known = metric.labels.get(label)
            wrong = [value for value in values.split("|") if known is None or value not in known]
            yield from (f"{name} has no {label} {value}" for value in wrong)
    grouped = {label.strip() for group in _GROUPED.findall(expression) for label in group.split(",")}
    yield from (f"no label {label}" for label in sorted(grouped - labels - _FOREIGN_LABELS))


def test_what_they_name_is_counted(panels: list[str], rules: list[str]) -> None:
    assert [problem for expression in (*panels, *rules) for problem in problems(expression)] == []
    assert all(_SELECTOR.search(expression) for expression in (*panels, *rules))


def test_all_that_is_counted_is_on_the_dashboard(panels: list[str]) -> None:
    shown = {metric_of(name).name for expression in panels for name, _ in _SELECTOR.findall(expression)}
    assert shown == METRICS.keys()


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("rate(assay_none_total[5m])", "no such metric: assay_none_total"),
        ('assay_runs_total{status="GONE"}', "assay_runs_total has no status GONE"),
        ('assay_runs_total{colour="red"}', "assay_runs_total has no colour red"),
        ('assay_runs_total{verdict=~"PASS|GREEN"}', "assay_runs_total has no verdict GREEN"),
        ("sum by (colour) (assay_runs_total)", "no label colour"),
    ],
)
def test_what_is_not_counted_is_told(expression: str, said: str) -> None:
    assert said in list(problems(expression))


def test_prometheus_reads_the_rules(project: Path) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed")
    rules = project / "docs" / "telemetry" / "alerts.yaml"
    ended = subprocess.run(  # noqa: S603 - a program of the system on a file of the project
        [promtool, "check", "rules", str(rules)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_all_metrics_can_be_kept_in_one_process() -> None:
    """Their names do not meet, also not in what Prometheus makes of them."""
    meter = Prometheus()
    for metric in METRICS.values():
        labels = dict.fromkeys(metric.labels, "x")
        match metric:
            case Counter():
                meter.count(metric, labels, 1)
            case Histogram():
                meter.observe(metric, labels, 1.0)
            case Gauge():
                meter.gauge(metric, labels, lambda: 1.0)
    text = meter.text().decode()
    assert [name for name in METRICS if name not in text] == []


def test_names_say_what_is_counted() -> None:
    assert all(name.startswith("assay_") for name in METRICS)
    assert {name for name, metric in METRICS.items() if isinstance(metric, Counter)} == {
        name for name in METRICS if name.endswith("_total")
    }
    assert {name for name, metric in METRICS.items() if isinstance(metric, Histogram)} == {
        name for name in METRICS if name.endswith("_seconds")
    }
    # A list that is open is one that the process itself bounds: names of its tools, of its model.
    open_lists = {
        (name, label) for name, item in METRICS.items() for label in item.labels if item.labels[label] is None
    }
    assert open_lists == {
        ("assay_tool_duration_seconds", "tool"),
        ("assay_model_duration_seconds", "model"),
        ("assay_model_tokens_total", "model"),
    }
