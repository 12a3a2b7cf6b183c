"""Metrics as Prometheus scrapes them from real processes, and from one that strangers reach."""

import asyncio
import json
import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from orchestrator.cli.client import connected
from orchestrator.cli.local_stack import local_stack
from orchestrator.cli.options import local_bundle, request
from services.common.processes import SERVICES
from services.common.rpc.metrics_server import MAX_CONNECTIONS, MAX_HEAD_BYTES, metrics_served
from services.common.rpc.server import ListenError
from services.common.telemetry import metrics
from services.common.telemetry.metrics import OTHER, Counter
from services.common.telemetry.prometheus import Prometheus
from tests.fakes.command_line import environment
from tests.integration.conftest import PROVEN

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


async def asked_of(
    address: str, asked: bytes = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
) -> tuple[str, str]:
    """Send bytes, and return the first line and the body of what comes back until the end."""
    host, _, port = address.rpartition(":")
    async with asyncio.timeout(60):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(asked)
        answer = (await reader.read()).decode()
        writer.close()
    head, _, body = answer.partition("\r\n\r\n")
    return head.partition("\r\n")[0], body


def samples(text: str) -> Samples:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def told(found: Samples, name: str, **labels: str) -> float | None:
    return found.get((name, tuple(sorted(labels.items()))))


async def ended_calls(address: str) -> Samples:
    """Return what a process tells once it has ended every call: who was answered need not wait for that."""
    async with asyncio.timeout(60):
        while told(found := samples((await asked_of(address))[1]), "assay_rpcs_under_way") != 0:
            pass
    return found


def metrics_address(home: Path, service: str) -> str:
    log = (home / "logs" / f"{service}.log").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in log.splitlines()]
    # The last: other tests may have run the service on the same state folder before.
    return next(str(line["address"]) for line in reversed(lines) if line["event"] == "metrics")


async def test_each_process_of_a_run_is_scraped(project: Path, home: Path) -> None:
    bundle_path = project / "examples" / "incidents" / PROVEN / "bundle"
    bundle = local_bundle(bundle_path)
    assert bundle.root is not None
    environ = environment(
        home, **{f"ASSAY_{name.upper()}_METRICS_LISTEN": "127.0.0.1:0" for name in SERVICES}
    )
    question = (bundle_path / "question.txt").read_text(encoding="utf-8").strip()
    async with local_stack(home, bundle.root, environ) as stack:
        async with connected(stack.address) as client:
            run = await client.diagnose(request(question, bundle, "", "", ""), 120, lambda _: None)
        found = {name: await ended_calls(metrics_address(home, name)) for name in SERVICES}
    of_runs, of_tools = found["orchestrator"], found["executor"]
    assert told(of_runs, "assay_runs_total", status="SUCCEEDED", verdict="PASS") == 1
    assert told(of_runs, "assay_run_duration_seconds_count", status="SUCCEEDED") == 1
    assert (
        told(of_runs, "assay_runs_under_way", state="walking")
        == told(of_runs, "assay_runs_under_way", state="waiting")
        == 0
    )
    assert told(of_runs, "assay_gate_results_total", result="PASS") == 1
    nodes = {labels for name, labels in of_runs if name == "assay_node_duration_seconds_count"}
    assert len(nodes) == run.usage.node_executions
    tools = [value for (name, _), value in of_tools.items() if name == "assay_tool_duration_seconds_count"]
    assert sum(tools) == run.usage.tool_invocations
    assert told(of_tools, "assay_workers", state="idle") == 2
    assert told(of_tools, "assay_workers", state="leased") == told(of_tools, "assay_workers_waited_for") == 0
    check = {"method": "/assay.gatekeeper.v1.GatekeeperService/Check", "code": "OK"}
    assert told(found["gatekeeper"], "assay_rpc_duration_seconds_count", **check) == 1
    assert all(told(one, "process_cpu_seconds_total") for one in found.values())


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        (b"GET /metrics?name=x HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK"),
        (b"HEAD /metrics HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK"),
        (b"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found"),
        (b"GET /metrics/../etc HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found"),
        (b"POST /metrics HTTP/1.1\r\nContent-Length: 9\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"),
        (b"\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"),
        (b"GET /metrics HTTP/1.1\r\n" + b"a: b\r\n" * MAX_HEAD_BYTES, ""),
        (b"\x16\x03\x01" + bytes(200) + b"\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"),
    ],
)
async def test_whatever_is_asked_is_answered_or_ended(asked: bytes, line: str) -> None:
    async with metrics_served("127.0.0.1:0") as address:
        try:
            assert (await asked_of(address, asked))[0] == line
        except ConnectionError:
            # What was not read is answered by a reset.
            assert line == ""


async def is_answered(address: str) -> bool:
    """Ask, and tell whether anything comes back; a connection that is ended unread is reset."""
    try:
        return bool((await asked_of(address))[0])
    except ConnectionError:
        return False


async def test_those_who_say_nothing_keep_no_more_than_their_share() -> None:
    async with metrics_served("127.0.0.1:0") as address:
        host, _, port = address.rpartition(":")
        silent = [await asyncio.open_connection(host, int(port)) for _ in range(MAX_CONNECTIONS)]
        assert not await is_answered(address)
        silent[0][1].close()
        async with asyncio.timeout(60):
            while not await is_answered(address):
                pass
    # The end of serving ends them, too.
    async with asyncio.timeout(60):
        for reader, writer in silent[1:]:
            assert await reader.read() == b""
            writer.close()


async def test_an_address_that_is_taken() -> None:
    async with metrics_served("127.0.0.1:0") as address:
        with pytest.raises(ListenError, match="already taken"):
            async with metrics_served(address):
                pass


def test_a_label_takes_no_other_value_than_those_of_its_list() -> None:
    counter = Counter("assay_test_total", "For this test.", {"result": ["good"], "model": None})
    meter = Prometheus()
    metrics.install(meter)
    try:
        for word in ("good", "bad", "worse", 'x"} 1\nassay_injected_total'):
            metrics.count(counter, {"result": word, "model": "m"})
    finally:
        metrics.install(None)
    metrics.count(counter, {"result": "good", "model": "m"})
    found = samples(meter.text().decode())
    assert told(found, "assay_test_total", result="good", model="m") == 1
    assert told(found, "assay_test_total", result=OTHER, model="m") == 3
    assert not re.search("injected", meter.text().decode())
