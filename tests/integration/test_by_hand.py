"""Every command of `docs/by-hand.md` is run as it stands there, against six real services."""

import asyncio
import os
import re
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from assay.orchestrator.v1 import diagnosis_pb2

from dev.certs import USER, make
from services.common.rpc.callers import server_name
from services.common.rpc.channels import ClientTls
from services.common.tls_settings import TlsFiles
from tests.fakes.certificates import DOMAIN, tls_settings
from tests.fuzz.servers import Servers, servers

PROJECT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (PROJECT / "docs" / "by-hand.md").read_text(encoding="utf-8")
CERTIFICATES: Final = "build/certs"
GRPCURL: Final = PROJECT / "build" / "k8s" / "bin" / "grpcurl"
BUF: Final = Path(sys.executable).with_name("buf")
SECONDS: Final = 120
# A call that ends well prints one of these: a part of a message, a contract, or a list of names.
ANSWER: Final = re.compile(r'"\w+":|\{\s*\}|assay\.\w+\.v1\.\w+')


def commands(page: str) -> list[list[str]]:
    """Return the words of each command in the page's blocks; one may go on over several lines."""
    blocks = re.findall(r"^```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    starts = "\n".join(blocks).replace("\\\n", " ")
    return [shlex.split(text) for text in re.split(r"^(?=grpcurl |buf )", starts, flags=re.MULTILINE) if text]


ALL: Final = commands(PAGE)


def program(name: str) -> str:
    """Return a program's path; grpcurl is one of those that `make k8s-check` installs."""
    path = {"grpcurl": GRPCURL, "buf": BUF}[name]
    if not path.exists():
        if os.environ.get("CI"):
            pytest.fail(f"no {path}: run make k8s-check before the tests")
        pytest.skip(f"no {path}: make k8s-check installs it")
    return str(path)


async def run(words: list[str], names: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """Run one command with what its names stand for, while this event loop serves it."""
    pattern = re.compile("|".join(sorted(names, key=len, reverse=True)))
    filled = [pattern.sub(lambda found: names[found[0]], word) for word in words[1:]]
    return await asyncio.to_thread(
        subprocess.run,
        [program(words[0]), *filled],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@asynccontextmanager
async def ready(running: Servers) -> AsyncIterator[dict[str, str]]:
    """Yield what the page's names stand for, once all services serve and a run is stored."""
    request = diagnosis_pb2.DiagnoseRequest(question="Why does api fail?")
    request.scope.bundle = "incident"
    await running.channels["orchestrator"].channel_ready()
    async with asyncio.timeout(SECONDS):
        while not await running.all_serving():
            pass
    run_id, _ = await running.diagnose(request)
    yield {"RUN_ID": run_id, **{name.upper(): address for name, address in running.addresses.items()}}


async def failures(chosen: list[list[str]], names: Mapping[str, str]) -> list[str]:
    """Run commands; return those that did not end well, with what they said."""
    ended = [(words, await run(words, names)) for words in chosen]
    return [
        f"{shlex.join(words)}\n{result.stdout}{result.stderr}"
        for words, result in ended
        if result.returncode or not ANSWER.search(result.stdout)
    ]


def with_certificates(words: list[str]) -> bool:
    return any(CERTIFICATES in word for word in words)


async def test_every_command_in_plaintext(tmp_path: Path) -> None:
    chosen = [words for words in ALL if not with_certificates(words)]
    async with servers(tmp_path) as running, ready(running) as names:
        found = await failures(chosen, names)
        assert not found, "\n\n".join(found)


async def test_every_command_with_certificates(tmp_path: Path) -> None:
    chosen = [words for words in ALL if with_certificates(words)]
    folder = tmp_path / "certs"
    make(folder)

    def files(name: str) -> TlsFiles:
        return TlsFiles(folder / f"{name}.crt", folder / f"{name}.key", folder / "ca.crt")

    def settings(name: str) -> Mapping[str, Any]:
        return {**tls_settings(files(name)), **({"users": (USER,)} if name == "orchestrator" else {})}

    def client(name: str) -> ClientTls:
        return ClientTls(
            files("user" if name == "orchestrator" else "orchestrator"), server_name(name, DOMAIN)
        )

    async with servers(tmp_path, settings, client) as running, ready(running) as names:
        found = await failures(chosen, {**names, CERTIFICATES: str(folder)})
        assert not found, "\n\n".join(found)
        # The same, unless somebody shows who he is.
        stranger = [word for word in chosen[1] if not word.endswith((".crt", ".key", "-cert", "-key"))]
        assert len(await failures([stranger], {**names, CERTIFICATES: str(folder)})) == 1


def test_the_page_asks_every_service_both_ways() -> None:
    for kind in (True, False):
        shown = " ".join(" ".join(words) for words in ALL if with_certificates(words) is kind)
        for name in ("ORCHESTRATOR", "PLANNER", "EXECUTOR", "GATEKEEPER", "VERIFIER", "COMPOSER"):
            assert name in shown, (name, kind)
        assert {words[0] for words in ALL if with_certificates(words) is kind} == {"grpcurl", "buf"}
