"""A process and its collector: one that is there, is not, hangs, refuses; and none at all."""

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import grpc
import pytest
from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc

from services.common.processes import AGENTS, ORCHESTRATOR, SERVICES
from services.common.rpc.channels import open_channel
from services.common.rpc.telemetry import Credentials, traced
from services.common.settings import SettingsError, load
from services.common.telemetry.spans import span
from tests.contract.test_runtime_process import address_of, process
from tests.fakes.certificates import Trust, tls_settings
from tests.fakes.collector import collecting
from tests.fakes.scripted import ScriptedSettings

CHECK = "assay.gatekeeper.v1.GatekeeperService/Check"
CALLS = 20

# Builds a process as its own program does, and says what of the libraries of telemetry it has loaded.
_IDLE = """
import asyncio, importlib, os, sys
from services.common.rpc import telemetry
from services.common.rpc.service import serving
from services.common.settings import load
name = sys.argv[1]
package = name if name == "orchestrator" else f"services.{name}"
module = importlib.import_module(f"{package}.__main__")
settings = load(getattr(module, f"{name.capitalize()}Settings"), os.environ)
async def idle():
    async with serving(settings, await module.build(settings)):
        pass
with telemetry.traced(settings), telemetry.metered(settings):
    asyncio.run(idle())
print(sorted({item.partition(".")[0] for item in sys.modules} & {"opentelemetry", "prometheus_client"}))
"""


async def loaded_by(name: str, folder: Path, **more: str) -> str:
    own = {"executor": {"BUNDLE_ROOT": str(folder)}, ORCHESTRATOR: {"DATABASE": str(folder / "runs.db")}}
    variables = {**own.get(name, {}), **more}
    if name == ORCHESTRATOR:
        variables |= {f"{agent.upper()}_ADDRESS": "127.0.0.1:1" for agent in AGENTS}
    environ = {f"ASSAY_{name.upper()}_{key}": value for key, value in variables.items()}
    started = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        _IDLE,
        name,
        env={**environ, "ASSAY_CONFIG": ""},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(60):
        out, error = await started.communicate()
    assert started.returncode == 0, error.decode()
    return out.decode().splitlines()[-1]


@pytest.mark.parametrize("name", SERVICES)
async def test_a_process_that_tells_nobody_has_loaded_nothing_for_it(tmp_path: Path, name: str) -> None:
    assert await loaded_by(name, tmp_path) == "[]"


async def test_the_control_of_that(tmp_path: Path) -> None:
    told = {"OTLP_ENDPOINT": "http://127.0.0.1:1", "METRICS_LISTEN": "127.0.0.1:0"}
    assert await loaded_by("planner", tmp_path, **told) == "['opentelemetry', 'prometheus_client']"


async def called_and_stopped(project: Path, endpoint: str, **more: str) -> tuple[int, list[dict[str, str]]]:
    """Have a process answer calls and stop it; return its exit code and its log."""
    variables = {f"ASSAY_SCRIPTED_{key}": value for key, value in {"OTLP_ENDPOINT": endpoint, **more}.items()}
    async with process(project, variables) as started:
        async with open_channel(await address_of(started), 1 << 20) as channel:
            gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
            for _ in range(CALLS):
                await gate.Check(gatekeeper_pb2.CheckRequest(), timeout=60)
        started.send_signal(signal.SIGTERM)
        _, error = await started.communicate()
    assert started.returncode is not None
    return started.returncode, [json.loads(line) for line in error.decode().splitlines()]


def lost(log: list[dict[str, str]]) -> list[str]:
    return [line["event"] for line in log if line["logger"] == "assay.telemetry"]


async def test_what_was_noted_before_a_signal_has_come(project: Path) -> None:
    with collecting() as collector:
        code, log = await called_and_stopped(project, collector.endpoint)
    assert (code, len(collector.named(CHECK)), lost(log)) == (0, CALLS, [])


async def test_headers_for_the_collector_are_those_of_the_variable_that_its_users_know(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=some")
    with collecting() as collector:
        await called_and_stopped(project, collector.endpoint)
    assert collector.headers["x-key"] == "some"


async def test_log_lines_of_a_call_name_its_trace(project: Path) -> None:
    with collecting() as collector:
        _, log = await called_and_stopped(project, collector.endpoint)
    spans = {(span.trace_id, span.span_id) for span in collector.spans}
    lines = [line for line in log if line["event"] == "rpc" and line["method"] == f"/{CHECK}"]
    assert {(line["trace_id"], line["span_id"]) for line in lines} == spans
    assert not [line for line in log if line["event"] == "stopping" and "trace_id" in line]


async def test_a_collector_that_is_not_there_disturbs_nobody(project: Path) -> None:
    code, log = await called_and_stopped(project, "http://127.0.0.1:1")
    assert (code, lost(log)) == (0, ["spans cannot be sent and are lost"])


async def test_a_collector_that_never_answers_disturbs_nobody(project: Path) -> None:
    with collecting(held=True) as collector:
        code, log = await called_and_stopped(project, collector.endpoint)
    assert (code, lost(log)) == (0, ["spans cannot be sent and are lost"])


async def test_a_second_signal_while_a_process_waits_for_its_collector_changes_nothing(project: Path) -> None:
    with collecting(held=True) as collector:
        variables = {"ASSAY_SCRIPTED_OTLP_ENDPOINT": collector.endpoint}
        async with process(project, variables) as started:
            async with open_channel(await address_of(started), 1 << 20) as channel:
                gate = gatekeeper_pb2_grpc.GatekeeperServiceStub(channel)
                await gate.Check(gatekeeper_pb2.CheckRequest(), timeout=60)
            started.send_signal(signal.SIGTERM)
            assert started.stderr is not None
            while json.loads(await started.stderr.readline())["event"] != "stopped":
                pass
            for number in (signal.SIGTERM, signal.SIGINT):
                # Where it has sent all before, it may have ended.
                with suppress(ProcessLookupError):
                    os.kill(started.pid, number)
            _, error = await started.communicate()
    assert (started.returncode, "Traceback" in error.decode()) == (0, False)


async def test_a_collector_that_refuses_disturbs_nobody_and_its_words_are_not_logged(project: Path) -> None:
    with collecting() as collector:
        collector.failing = True
        code, log = await called_and_stopped(project, collector.endpoint)
    assert (code, lost(log)) == (0, ["spans cannot be sent and are lost"])
    assert "not now" not in json.dumps(log)


def test_a_collector_is_reached_with_the_process_s_own_certificate(tmp_path: Path) -> None:
    trust = Trust(tmp_path / "certificates")
    own = trust.authority.issue(uris=[], dns=["localhost"])
    credentials = grpc.ssl_server_credentials(
        [(own.key, own.certificate)], trust.authority.certificate, require_client_auth=True
    )
    told = tls_settings(trust.files("planner"))
    with collecting(credentials=credentials) as collector:
        endpoint = collector.endpoint.replace("127.0.0.1", "localhost")
        with traced(ScriptedSettings(otlp_endpoint=endpoint, **told)), span("node planner", {}):
            pass
        # The control: without the certificate nothing comes.
        with traced(ScriptedSettings(otlp_endpoint=endpoint)), span("node executor", {}):
            pass
    assert [item.name for item in collector.spans] == ["node planner"]


def test_a_renewed_certificate_is_the_next_one_shown(tmp_path: Path) -> None:
    trust = Trust(tmp_path / "certificates")
    credentials = Credentials(trust.files("planner"))
    assert isinstance(credentials(), grpc.ChannelCredentials)
    assert credentials() is None
    trust.files("planner")
    assert isinstance(credentials(), grpc.ChannelCredentials)
    assert credentials() is None


@pytest.mark.parametrize(
    ("told", "problem"),
    [
        ({"OTLP_ENDPOINT": "collector:4317"}, "write it as http://host:4317"),
        ({"OTLP_ENDPOINT": "http://127.0.0.1"}, "write it as http://host:4317"),
        ({"OTLP_ENDPOINT": "http://user@127.0.0.1:4317"}, "write it as http://host:4317"),
        ({"OTLP_ENDPOINT": "http://127.0.0.1:4317/v1/traces"}, "write it as http://host:4317"),
        ({"OTLP_ENDPOINT": "http://127.0.0.1:99999"}, "write it as http://host:4317"),
        ({"OTLP_ENDPOINT": "http://10.1.2.3:4317"}, "would not be encrypted"),
        ({"METRICS_LISTEN": "9464"}, "write it as host:port"),
    ],
)
def test_endpoints_that_are_refused(told: dict[str, str], problem: str) -> None:
    with pytest.raises(SettingsError, match=problem):
        load(ScriptedSettings, {f"ASSAY_SCRIPTED_{key}": value for key, value in told.items()})


@pytest.mark.parametrize(
    "told",
    [
        {"OTLP_ENDPOINT": ""},
        {"OTLP_ENDPOINT": "http://[::1]:4317/"},
        {"OTLP_ENDPOINT": "http://localhost:4317"},
        {"OTLP_ENDPOINT": "https://collector.telemetry.svc:4317"},
        {"OTLP_ENDPOINT": "http://10.1.2.3:4317", "PLAINTEXT": "1"},
    ],
)
def test_endpoints_that_are_taken(told: dict[str, str]) -> None:
    environ = {f"ASSAY_SCRIPTED_{key}": value for key, value in told.items()}
    assert load(ScriptedSettings, environ).otlp_endpoint == told["OTLP_ENDPOINT"].rstrip("/")
