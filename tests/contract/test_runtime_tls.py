"""Certificates on both sides: what is refused at the start, renewed files, probes, rates."""

import asyncio
import os
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from assay.gatekeeper.v1 import gatekeeper_pb2, gatekeeper_pb2_grpc
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status
from structlog.testing import capture_logs

from dev.authority import Authority, Issued, write_private
from services.common.errors import ResourceExhaustedError
from services.common.rpc import certificates
from services.common.rpc.callers import server_name
from services.common.rpc.certificates import CertificateError, Watched
from services.common.rpc.channels import ClientTls, open_channel
from services.common.rpc.health import LIVENESS, is_serving
from services.common.rpc.rates import Rates
from services.common.rpc.service import serving
from services.common.settings import SettingsError, load
from services.common.tls_settings import TlsFiles
from tests.fakes.certificates import DOMAIN, USER, Trust, tls_settings
from tests.fakes.scripted import GATE, Context, ScriptedSettings, ok, service
from tests.load.rotation import CLIENT, SERVER, measure, told

REQUEST = gatekeeper_pb2.CheckRequest()


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return Trust(tmp_path / "certificates")


def settings(trust: Trust, **more: Any) -> ScriptedSettings:  # noqa: ANN401 - whatever a setting holds
    return ScriptedSettings(**trust.settings(SERVER), **more)


def channel(address: str, trust: Trust, name: str = CLIENT, server: str = SERVER) -> grpc.aio.Channel:
    return open_channel(address, 1 << 20, ClientTls(trust.files(name), server_name(server, DOMAIN)))


async def refusal(opened: grpc.aio.Channel) -> grpc.aio.AioRpcError:
    async with opened:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await gatekeeper_pb2_grpc.GatekeeperServiceStub(opened).Check(REQUEST, timeout=60)
    return caught.value


async def test_calls_with_certificates_are_answered(trust: Trust) -> None:
    async with serving(settings(trust), service()) as address, channel(address, trust) as opened:
        response = await gatekeeper_pb2_grpc.GatekeeperServiceStub(opened).Check(REQUEST, timeout=60)
    assert response.status == gatekeeper_pb2.GATEKEEPER_STATUS_PASS


async def test_a_server_that_is_another_service_is_not_called(trust: Trust) -> None:
    async with serving(settings(trust), service()) as address:
        error = await refusal(channel(address, trust, server="verifier"))
    assert error.code() is grpc.StatusCode.UNAVAILABLE
    assert "Hostname Verification Check failed" in (error.details() or "")


async def test_a_server_of_another_authority_is_not_called(trust: Trust, tmp_path: Path) -> None:
    async with serving(settings(trust), service()) as address:
        error = await refusal(channel(address, Trust(tmp_path / "other")))
    assert error.code() is grpc.StatusCode.UNAVAILABLE


async def test_a_plaintext_caller_gets_no_connection(trust: Trust) -> None:
    async with serving(settings(trust), service()) as address:
        error = await refusal(open_channel(address, 1 << 20))
    assert error.code() is grpc.StatusCode.UNAVAILABLE


async def test_who_is_refused_is_told_why_and_the_log_names_it(trust: Trust) -> None:
    with capture_logs() as logs:
        async with serving(settings(trust), service()) as address:
            error = await refusal(channel(address, trust, "verifier"))
    told_why = "spiffe://assay.local/verifier may not call"
    assert error.code() is grpc.StatusCode.PERMISSION_DENIED
    assert (error.details() or "").startswith(told_why)
    (line,) = [entry for entry in logs if entry["event"] == "the caller is refused"]
    assert (line["log_level"], line["method"]) == ("warning", f"/{GATE}/Check")
    assert line["problem"].startswith(told_why)


def _other_key(trust: Trust, files: TlsFiles) -> None:
    write_private(files.key, trust.service(SERVER).key)


def _expired(trust: Trust, files: TlsFiles) -> None:
    issued = trust.service(SERVER, timedelta(hours=-1))
    write_private(files.certificate, issued.certificate)
    write_private(files.key, issued.key)


def _another_service(trust: Trust, files: TlsFiles) -> None:
    issued = trust.service("verifier")
    write_private(files.certificate, issued.certificate)
    write_private(files.key, issued.key)


def _no_uri(trust: Trust, files: TlsFiles) -> None:
    issued = trust.authority.issue(common_name="spiffe://assay.local/scripted", dns=["scripted.assay.local"])
    write_private(files.certificate, issued.certificate)
    write_private(files.key, issued.key)


def _other_authority(_: Trust, files: TlsFiles) -> None:
    write_private(files.authorities, Authority("another").certificate)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (_other_key, "no certificate in PEM with its key: key values mismatch"),
        (_expired, "certificate has expired"),
        (_another_service, "it holds spiffe://assay.local/verifier, verifier.assay.local"),
        (_no_uri, "must hold the one URI name spiffe://assay.local/scripted"),
        (_other_authority, "unable to get local issuer certificate"),
        (lambda _, files: write_private(files.authorities, b"text"), "no certificate of an authority in PEM"),
        (lambda _, files: write_private(files.certificate, b"text"), "no certificate in PEM with its key"),
        (lambda _, files: files.key.unlink(), "No such file"),
    ],
)
async def test_certificates_that_nobody_would_believe_stop_the_start(
    trust: Trust, change: Callable[[Trust, TlsFiles], object], problem: str
) -> None:
    made = settings(trust)
    assert made.tls is not None
    change(trust, made.tls)
    with pytest.raises(CertificateError, match=problem):
        async with serving(made, service()):
            pass


def test_files_that_do_not_fit_together_are_not_used_until_they_do(trust: Trust) -> None:
    files = trust.files(SERVER)
    watched = Watched(files)
    assert watched.renewed() is None
    issued = trust.service(SERVER)
    write_private(files.certificate, issued.certificate)
    with capture_logs() as logs:
        assert watched.renewed() is None
    assert "key values mismatch" in logs[0]["problem"]
    write_private(files.key, issued.key)
    material = watched.renewed()
    assert material is not None
    assert (material.certificate, material.key) == (issued.certificate, issued.key)
    assert watched.renewed() is None
    # Touched and not changed is nothing new.
    os.utime(files.key, (1, 1))
    assert watched.renewed() is None


@pytest.mark.parametrize("renewals", [1, 3])
def test_files_that_are_renewed_while_they_are_first_read_are_read_again(
    trust: Trust, monkeypatch: pytest.MonkeyPatch, renewals: int
) -> None:
    files = trust.files(SERVER)
    read = certificates._read  # noqa: SLF001 - the moment between the check and the reading
    renewed: list[Issued] = []

    def read_late(path: Path) -> bytes:
        if path == files.certificate and len(renewed) < renewals:
            before = read(path)
            renewed.append(trust.service(SERVER))
            write_private(files.certificate, renewed[-1].certificate)
            write_private(files.key, renewed[-1].key)
            return before
        return read(path)

    monkeypatch.setattr(certificates, "_read", read_late)
    watched = Watched(files)
    shown = watched.material
    assert (shown.certificate, shown.key) == (renewed[-1].certificate, renewed[-1].key)
    assert watched.renewed() is None


async def test_no_call_fails_while_certificates_are_renewed(tmp_path: Path) -> None:
    seen = await measure(tmp_path, 3)
    assert seen.failed == 0, told(seen)
    assert (seen.renewals, len(seen.certificates)) == (3, 4)
    assert "failed calls             0\n" in told(seen)


async def test_a_channel_shows_what_its_files_hold_now(trust: Trust) -> None:
    async with serving(settings(trust), service()) as address, asyncio.timeout(60):
        opened = channel(address, trust)
        # The files go on with another authority, which the server does not know.
        trust.authority = Authority("next")
        write_private(trust.folder / "ca.crt", trust.authority.certificate)
        trust.files(CLIENT)
        async with opened:
            stub = gatekeeper_pb2_grpc.GatekeeperServiceStub(opened)
            codes = set()
            while grpc.StatusCode.UNAVAILABLE not in codes:
                codes.add(await stub.Check(REQUEST, timeout=60).code())
    assert codes <= {grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE}


async def test_probes_get_health_in_plaintext_and_nothing_else(trust: Trust) -> None:
    async def not_ready() -> bool:
        return False

    made = settings(trust, health_listen="127.0.0.1:0")
    async with AsyncExitStack() as stack:
        with capture_logs() as logs:
            await stack.enter_async_context(serving(made, service(ready=not_ready)))
        (probes,) = [entry["address"] for entry in logs if entry["event"] == "health"]
        opened = await stack.enter_async_context(open_channel(probes, 4096))
        assert await is_serving(opened, name=LIVENESS, timeout_seconds=60)
        assert not await is_serving(opened, timeout_seconds=60)
        assert await opened_code(opened, f"/{GATE}/Check") is grpc.StatusCode.UNIMPLEMENTED
        watch = health_pb2_grpc.HealthStub(opened).Watch(health_pb2.HealthCheckRequest(), timeout=60)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await watch.read()
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
        for other in (
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
            "/assay.common.v1.ProcessService/GetProcess",
        ):
            assert await opened_code(opened, other) is grpc.StatusCode.UNIMPLEMENTED


async def opened_code(opened: Any, path: str) -> grpc.StatusCode:  # noqa: ANN401 - it takes bytes
    code: grpc.StatusCode = await opened.unary_unary(path)(b"", timeout=60).code()
    return code


async def test_a_caller_that_is_too_fast_is_told_when_to_come_back_and_others_are_served(
    trust: Trust,
) -> None:
    made = settings(trust, max_calls_per_second=0.01)
    async with serving(made, service()) as address, channel(address, trust) as opened:
        stub = gatekeeper_pb2_grpc.GatekeeperServiceStub(opened)
        assert await stub.Check(REQUEST, timeout=60).code() is grpc.StatusCode.OK
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.Check(REQUEST, timeout=60)
        async with channel(address, trust, "planner") as another:
            assert await is_serving(another, timeout_seconds=60)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    retry = error_details_pb2.RetryInfo()
    assert rpc_status.from_call(caught.value).details[1].Unpack(retry)
    assert 90 < retry.retry_delay.ToSeconds() <= 100


async def test_one_caller_cannot_take_the_places_of_all(trust: Trust) -> None:
    entered, release = asyncio.Semaphore(0), asyncio.Event()

    async def check(request: gatekeeper_pb2.CheckRequest, context: Context) -> gatekeeper_pb2.CheckResponse:
        entered.release()
        await release.wait()
        return await ok(request, context)

    made = settings(trust, max_calls_of_one_caller=2)
    async with serving(made, service(check)) as address, channel(address, trust) as opened:
        stub = gatekeeper_pb2_grpc.GatekeeperServiceStub(opened)
        held = [asyncio.ensure_future(stub.Check(REQUEST, timeout=60)) for _ in range(2)]
        for _ in held:
            await entered.acquire()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.Check(REQUEST, timeout=60)
        async with channel(address, trust, "planner") as another:
            assert await is_serving(another, timeout_seconds=60)
        release.set()
        await asyncio.gather(*held)
        # Places that are free again can be taken again.
        assert await stub.Check(REQUEST, timeout=60).code() is grpc.StatusCode.OK
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "2 calls of this caller are running" in str(caught.value.details())


def test_a_rate_lets_a_burst_through_and_then_its_share() -> None:
    now = 0.0
    rates = Rates(10, lambda: now)
    waits: list[float] = []

    def let_through(caller: str) -> int:
        for count in range(1000):
            try:
                rates.take(caller)
            except ResourceExhaustedError as error:
                waits.append(error.retry_seconds)
                return count
        return 1000

    assert (let_through("a"), let_through("b")) == (20, 20)
    now = 1.0
    assert let_through("a") == 10
    now = 100.0
    assert let_through("a") == 20
    assert waits == [0.1] * 4


async def test_plaintext_is_named_at_every_start() -> None:
    for _ in range(2):
        with capture_logs() as logs:
            async with serving(ScriptedSettings(plaintext=True), service()):
                pass
        assert [entry["log_level"] for entry in logs if entry["event"].startswith("plaintext")] == ["warning"]
    with capture_logs() as logs:
        async with serving(ScriptedSettings(), service()):
            pass
    assert not [entry for entry in logs if entry["event"].startswith("plaintext")]


FILES = ("TLS_CERTIFICATE_FILE", "TLS_KEY_FILE", "TLS_CA_FILE")


@pytest.mark.parametrize(
    ("variables", "problem"),
    [
        ({"LISTEN": "0.0.0.0:50051"}, "listen is not of this machine alone"),
        ({"LISTEN": "[::]:50051"}, "listen is not of this machine alone"),
        ({FILES[0]: __file__}, "not set: tls_key_file, tls_ca_file"),
        (
            {FILES[0]: __file__, FILES[1]: __file__, FILES[2]: "/nowhere"},
            "ASSAY_SCRIPTED_TLS_CA_FILE: there is no such file",
        ),
        ({**dict.fromkeys(FILES, __file__), "PLAINTEXT": "1"}, "choose one of them"),
        ({"TRUST_DOMAIN": "a/b"}, "write it as a DNS name"),
        ({"USERS": f"{USER} alice"}, "write them as URIs"),
        ({"HEALTH_LISTEN": "8080"}, "write it as host:port"),
    ],
)
def test_settings_that_protect_nothing_are_refused(variables: dict[str, str], problem: str) -> None:
    with pytest.raises(SettingsError, match=problem):
        load(ScriptedSettings, {f"ASSAY_SCRIPTED_{name}": value for name, value in variables.items()})


@pytest.mark.parametrize(
    "variables",
    [
        {"LISTEN": "0.0.0.0:50051", "PLAINTEXT": "1"},
        {"LISTEN": "0.0.0.0:50051", **dict.fromkeys(FILES, __file__)},
        {**dict.fromkeys(FILES, ""), "HEALTH_LISTEN": ""},
        {"HEALTH_LISTEN": "0.0.0.0:8080"},
    ],
)
def test_settings_that_say_what_they_do_are_taken(variables: dict[str, str]) -> None:
    made = load(ScriptedSettings, {f"ASSAY_SCRIPTED_{name}": value for name, value in variables.items()})
    assert (made.tls is not None) == bool(variables.get(FILES[0]))


def test_users_are_read_with_spaces_between_them() -> None:
    made = load(ScriptedSettings, {"ASSAY_SCRIPTED_USERS": f"  {USER}\n https://example.org/bob "})
    assert made.users == (USER, "https://example.org/bob")
    assert tls_settings(TlsFiles(Path("c"), Path("k"), Path("a"))).keys() == {name.lower() for name in FILES}
