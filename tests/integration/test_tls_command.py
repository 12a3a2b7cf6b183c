"""The command line against a service with certificates, and the certificates that `make certs` makes."""

import json
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from dev.authority import write_private
from dev.certs import USER as MADE_USER
from dev.certs import make
from services.common.processes import COMMAND_LINE, SERVICES
from services.common.rpc.callers import server_name
from services.common.rpc.certificates import own_names
from services.common.rpc.channels import ClientTls
from services.common.tls_settings import TlsFiles
from tests.fakes.certificates import DOMAIN, USER, Trust
from tests.fakes.command_line import asked
from tests.fuzz.servers import BUNDLE, Servers, servers


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return Trust(tmp_path / "certificates")


@asynccontextmanager
async def stack(folder: Path, trust: Trust) -> AsyncIterator[Servers]:
    """Run the six services with certificates, reached as each may be."""
    user = trust.files("alice", trust.authority.issue(uris=[USER]))
    orchestrator = trust.files("orchestrator")

    def client(name: str) -> ClientTls:
        return ClientTls(user if name == "orchestrator" else orchestrator, server_name(name, DOMAIN))

    async with servers(folder, trust.settings, client) as running:
        health = health_pb2_grpc.HealthStub(running.channels["orchestrator"])
        async for update in health.Watch(health_pb2.HealthCheckRequest(), timeout=60):
            if update.status == health_pb2.HealthCheckResponse.SERVING:
                break
        # The orchestrator is ready when it reaches every agent,.
        assert await running.all_serving()
        yield running


def flags(files: TlsFiles) -> list[str]:
    return [
        *("--tls-certificate", str(files.certificate)),
        *("--tls-key", str(files.key)),
        *("--tls-ca", str(files.authorities)),
    ]


def diagnose(address: str) -> list[str]:
    return ["diagnose", "Why does api fail?", "--bundle", BUNDLE, "--target", address, "--json"]


async def test_a_diagnosis_over_six_services_with_certificates(tmp_path: Path, trust: Trust) -> None:
    async with stack(tmp_path, trust) as running:
        address = running.addresses["orchestrator"]
        shown = flags(trust.files("alice", trust.authority.issue(uris=[USER])))
        ended = await asked(tmp_path / "home", *shown, *diagnose(address))
        doctor = await asked(tmp_path / "home", *shown, "doctor", "--target", address, "--json")
        runs = await asked(tmp_path / "home", *shown, "runs", "--target", address)
        assert not running.log.taken()
    assert ended.code in (0, 3), ended.stderr
    run = json.loads(ended.stdout)
    assert run["status"] == "SUCCEEDED"
    assert doctor.code == 0, doctor.stdout
    assert run["run_id"] in runs.stdout


async def test_who_may_not_is_told_what_is_wrong(tmp_path: Path, trust: Trust) -> None:
    async with stack(tmp_path, trust) as running:
        address = running.addresses["orchestrator"]
        nobody = trust.files("bob", trust.authority.issue(uris=["spiffe://assay.local/user/bob"]))
        denied = await asked(tmp_path / "home", *flags(nobody), "runs", "--target", address)
        unknown = Trust(tmp_path / "other")
        strange = await asked(tmp_path / "home", *flags(unknown.files("alice")), "runs", "--target", address)
        plain = await asked(tmp_path / "home", "runs", "--target", address)
    assert denied.code == 1
    assert "spiffe://assay.local/user/bob is nobody whom this service knows" in denied.stderr
    assert (strange.code, plain.code) == (1, 1)
    assert "is not there, or went away" in plain.stderr
    assert "CERTIFICATE_VERIFY_FAILED" in strange.stderr


async def test_a_target_on_another_machine_needs_certificates_or_the_switch(tmp_path: Path) -> None:
    refused = await asked(tmp_path, "runs", "--target", "192.0.2.1:1")
    assert refused.code == 2
    assert "--target is not of this machine alone" in refused.stderr
    assert "Traceback" not in refused.stderr


async def test_files_that_are_no_certificates_are_wrong_input(tmp_path: Path, trust: Trust) -> None:
    files = trust.files("alice")
    write_private(files.key, b"no key")
    ended = await asked(tmp_path / "home", *flags(files), "runs", "--target", "127.0.0.1:1")
    assert ended.code == 2
    assert "no certificate in PEM with its key" in ended.stderr
    missing = await asked(tmp_path / "home", "--tls-key", str(files.key), "runs")
    assert missing.code == 2
    assert "not set: tls_certificate_file, tls_ca_file" in missing.stderr


async def test_certificates_in_the_settings_do_not_disturb_the_local_stack(
    tmp_path: Path, trust: Trust
) -> None:
    table = "[{}]\ntls_certificate_file = '{}'\ntls_key_file = '{}'\ntls_ca_file = '{}'\n"
    files = trust.files("orchestrator")
    names = (files.certificate, files.key, files.authorities)
    config = tmp_path / "assay.toml"
    config.write_text("\n".join(table.format(name, *names) for name in (*SERVICES, COMMAND_LINE)))
    ended = await asked(tmp_path / "home", "--config", str(config), "runs")
    assert ended.code == 0, ended.stderr


def test_certificates_are_made_private_and_renewed_under_the_same_authority(tmp_path: Path) -> None:
    folder = tmp_path / "certs"
    told = make(folder)
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    make(folder)
    second = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert len(told) == len(SERVICES) + 2
    assert {name for name in first if first[name] == second[name]} == {"ca.key", "assay.toml"}
    write_private(folder / "old_ca.crt", first["ca.crt"])
    for name in (*SERVICES, "user"):
        # The new certificate is believed by whoever has only the authority's first one.
        files = TlsFiles(folder / f"{name}.crt", folder / f"{name}.key", folder / "old_ca.crt")
        identity = MADE_USER if name == "user" else f"spiffe://assay.local/{name}"
        assert own_names(files).uris == (identity,)
