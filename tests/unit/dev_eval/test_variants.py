"""Changed bundles: the change is made everywhere it must be, and nothing else is."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dev.eval.__main__ import FLOOR
from dev.eval.handed import HandedCase
from dev.eval.names import renaming
from dev.eval.noise import TIMES, idle_pods, with_noise
from dev.eval.variants import VARIANTS, made
from orchestrator.cli.evaluation.cases import Expected
from orchestrator.cli.evaluation.judging import Score

TOPOLOGY = {
    "services": [
        {"name": "cart", "kind": "python service", "logs": ["logs/cart.log"]},
        {"name": "redis", "kind": "Redis 7"},
    ]
}
LOG = """\
2026-11-30 09:00:00,100 INFO cart took 1
2026-11-30 09:00:00,200 ERROR cart fails
Traceback of it
2026-11-30 09:00:01,000 INFO redis is there
"""
TABLE = 'time,"latency{service=""cart""}"\n2026-11-30T09:00:00Z,0.1\n2026-11-30T09:01:00Z,0.2\n'
EVENTS = [{"time": "2026-11-30T09:00:00Z", "service": "cart", "summary": "cache.ttl 5 -> 6"}]


@pytest.fixture
def case(tmp_path: Path) -> tuple[HandedCase, Path]:
    bundle = tmp_path / "one" / "bundle"
    (bundle / "logs").mkdir(parents=True)
    (bundle / "metrics").mkdir()
    (bundle / "topology.json").write_text(json.dumps(TOPOLOGY))
    (bundle / "events.json").write_text(json.dumps(EVENTS))
    (bundle / "logs/cart.log").write_text(LOG)
    (bundle / "metrics/a.csv").write_text(TABLE)
    (bundle / "metrics/b.json").write_text('{"values": [[1796029200.5, "7"], [1796029210, "1796029210"]]}')
    return HandedCase(
        "one", "one/bundle", "why is cart slow since 2026-11-30T09:00:00Z?", Expected(suspects=["cart"])
    ), (tmp_path)


def changed(name: str, case: tuple[HandedCase, Path]) -> tuple[HandedCase, Path]:
    variant = next(each for each in VARIANTS if each.name == name)
    after = made(variant, case[0], case[1], case[1] / "out")
    return after, case[1] / "out" / after.bundle


def test_names_follow_everywhere_but_a_product_keeps_its_own(case: tuple[HandedCase, Path]) -> None:
    after, bundle = changed("renamed", case)
    (new,) = after.expected.suspects or []
    texts = "".join(path.read_text() for path in bundle.rglob("*") if path.is_file())
    assert "cart" not in texts + after.question
    assert "cache.ttl" not in texts
    assert f'zz_latency{{service=""{new}""}}' in texts
    assert (bundle / "logs" / f"{new}.log").is_file()
    assert "redis is there" in texts


def test_every_time_moves_by_eight_days_and_no_other_number(case: tuple[HandedCase, Path]) -> None:
    after, bundle = changed("shifted", case)
    assert after.question == "why is cart slow since 2026-12-08T09:00:00Z?"
    assert (bundle / "logs/cart.log").read_text().startswith("2026-12-08 09:00:00,100 INFO")
    values = json.loads((bundle / "metrics/b.json").read_text())["values"]
    assert values == [[1796029200.5 + 691200, "7"], [1796029210 + 691200, "1796029210"]]


def test_records_of_one_second_are_shuffled_whole(case: tuple[HandedCase, Path]) -> None:
    _, bundle = changed("reordered", case)
    text = (bundle / "logs/cart.log").read_text()
    assert Counter(text.splitlines()) == Counter(LOG.splitlines())
    assert "ERROR cart fails\nTraceback of it\n" in text
    assert text.endswith("redis is there\n")


def test_noise_is_tenfold_and_leaves_what_was_there(case: tuple[HandedCase, Path]) -> None:
    _, bundle = changed("noisy", case)
    lines = (bundle / "logs/cart.log").read_text().splitlines()
    assert len(lines) == len(LOG.splitlines()) + TIMES * 3
    assert [line for line in lines if "heartbeat" not in line] == LOG.splitlines()
    head, first, _ = (bundle / "metrics/a.csv").read_text().splitlines()
    assert len(first.split(",")) == 2 + TIMES
    assert 'latency{service=""cart""}' in head


@pytest.mark.parametrize("head", ["", '"level":"INFO",'])
def test_noise_of_json_lines_is_json_lines(head: str) -> None:
    line = f'{{{head}"ts":"2026-11-30T09:00:00.1Z","msg":"x"}}\n'
    made_lines = with_noise(Path("a.jsonl"), line).splitlines()
    assert [json.loads(each)["ts"] for each in made_lines] == ["2026-11-30T09:00:00.1Z"] * (TIMES + 1)


@pytest.mark.parametrize(
    ("line", "begins"),
    [
        (
            '1.2.3.4 - - [30/Nov/2026:09:00:00 +0000] "GET / HTTP/1.1" 500 3',
            "1.2.3.4 - - [30/Nov/2026:",
        ),
        ("2026/11/30 09:00:00 [error] 5#5: upstream timed out", "2026/11/30 09:00:00 DEBUG"),
        ("[2026-11-30T09:00:00Z] mail WARN late", "[2026-11-30T09:00:00Z] idle DEBUG"),
        ("36:M 30 Nov 2026 09:00:00.656 # OOM", "36:M 30 Nov 2026 09:00:00.656 -"),
    ],
)
def test_noise_of_a_log_has_its_form(line: str, begins: str) -> None:
    first, *others = with_noise(Path("a.log"), f"{line}\n").splitlines()
    assert first == line
    assert len({other for other in others if other.startswith(begins)}) == TIMES


def test_noise_stands_before_a_log_without_instants() -> None:
    lines = with_noise(Path("a.log"), "Traceback\n  in run\n").splitlines()
    assert len(lines) == 2 + 2 * TIMES
    assert lines[-2:] == ["Traceback", "  in run"]


def test_noise_of_metrics_is_of_components_of_its_own_and_no_alert() -> None:
    series = [
        {"metric": {"__name__": "lag", "service": "cart"}, "values": [[1, "5"], [2, "6"]]},
        {"metric": {"__name__": "redis_up", "job": "redis"}, "values": [[1, "1"]]},
        {"metric": {"alertname": "Slow", "service": "cart"}, "values": [[1, "1"]]},
    ]
    answer = {"status": "success", "data": {"resultType": "matrix", "result": series}}
    noisy = json.loads(with_noise(Path("a.json"), json.dumps(answer)))["data"]["result"]
    assert noisy[:3] == series
    assert [each["metric"]["service"] for each in noisy[3:]] == [f"idle-{copy}" for copy in range(TIMES)]
    assert with_noise(Path("topology.json"), json.dumps(TOPOLOGY)) == json.dumps(TOPOLOGY)


def test_a_cluster_gets_pods_that_run() -> None:
    made_pods = idle_pods(["Name: billing\n", "some page"])
    assert made_pods.count("1/1     Running") == TIMES
    assert idle_pods(["some page"]) == ""


DESCRIBED = """\
Name:             billing-7d9c8b6f5d-x2kqz
Namespace:        shop
Controlled By:    ReplicaSet/billing-7d9c8b6f5d
    Image:        registry.example.org/redis:7
Volumes:
    ClaimName:  redis-data
"""
PODS = """\
NAMESPACE   NAME                       READY   STATUS
shop        billing-7d9c8b6f5d-x2kqz   1/1     Running
default     redis-0                    1/1     Running
"""


def test_objects_of_a_cluster_are_renamed_wherever_they_stand(tmp_path: Path) -> None:
    new = renaming(tmp_path, [DESCRIBED, PODS])
    text = new(DESCRIBED + PODS + "kubectl_logs_billing_shop.log")
    assert not re.search("billing|shop|redis-data", text)
    assert re.search(r"^Name: +qu\w+-7d9c8b6f5d-x2kqz$", text, re.MULTILINE)
    assert "registry.example.org/redis:7" in text
    assert "default     " in text
    assert [len(line) for line in new(PODS).splitlines()][1] >= len(PODS.splitlines()[1])


def test_a_bundle_without_names_stays_as_it_is(case: tuple[HandedCase, Path]) -> None:
    for path in (case[1] / "one/bundle").glob("*.json"):
        path.unlink()
    (case[1] / "one/bundle/metrics/a.csv").unlink()
    after, bundle = changed("renamed", case)
    assert after == replace(case[0], bundle=after.bundle)
    assert (bundle / "logs/cart.log").read_text() == LOG


def test_the_floor_names_only_what_can_be_measured() -> None:
    floor = json.loads(FLOOR.read_text(encoding="utf-8"))
    changes = ["", *(f", {variant.name}" for variant in VARIANTS), ", evidence removed"]
    sets = {f"{name}{change}" for name in ("incidents", "cases", "metric-cases") for change in changes}
    keys = set(Score("", [], 0).as_object())
    assert floor.keys() <= sets
    assert {key for least in floor.values() for key in least} <= keys
