"""Every citation of both answers, checked without any code of the Gatekeeper or of the executor.

Each binding's invocation is fetched from the service, its pointer followed by the few lines below, and the
text looked up in the bundle's own file at the stated line.
"""

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import grpc.aio
from assay.orchestrator.v1 import diagnosis_pb2, diagnosis_pb2_grpc

from orchestrator.cli.local_stack import stored_runs
from tests.fakes.command_line import environment
from tests.integration.conftest import Diagnosed


@dataclass(frozen=True)
class _Found:
    """The text at a pointer, and the innermost file and lines on the way to it."""

    text: str
    file: str
    first: int
    last: int


def _follow(document: object, pointer: str) -> _Found:
    file: Any = ""
    first: Any = 0
    last: Any = 0
    inside_value = False
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict):
            if not inside_value:
                file = document.get("source", file)
                first = document.get("n", document.get("first_line", first))
                last = document.get("n", document.get("last_line", last))
            document = document[key]
        else:
            assert isinstance(document, list)
            document = document[int(key)]
        # Below this member everything is the system's own, whatever its keys are called.
        inside_value = inside_value or key == "value"
    text = document if isinstance(document, str) else json.dumps(document)
    return _Found(text, file, int(first), int(last))


def _all_bindings(diagnosed: Diagnosed) -> list[dict[str, Any]]:
    return [binding for claim in diagnosed.answer["claims"] for binding in claim["evidence_bindings"]]


async def _outputs(home: Path, diagnosed: Diagnosed) -> dict[str, Any]:
    """Return the stored output of every invocation that a binding names, numbers as they are written."""
    run_id = diagnosed.answer["run_id"]
    outputs: dict[str, Any] = {}
    async with (
        stored_runs(home, environment(home)) as address,
        grpc.aio.insecure_channel(address, [("grpc.max_receive_message_length", 64 << 20)]) as channel,
    ):
        stub = diagnosis_pb2_grpc.DiagnosisServiceStub(channel)
        for invocation_id in {binding["source_invocation_id"] for binding in _all_bindings(diagnosed)}:
            request = diagnosis_pb2.GetInvocationRequest(run_id=run_id, invocation_id=invocation_id)
            invocation = (await stub.GetInvocation(request, timeout=60)).invocation
            assert hashlib.sha256(invocation.output).hexdigest() == invocation.output_sha256
            outputs[invocation_id] = json.loads(invocation.output, parse_int=str, parse_float=str)
    return outputs


async def test_every_binding_is_found_where_it_says(diagnosed: Diagnosed, home: Path) -> None:
    bindings = _all_bindings(diagnosed)
    assert bindings
    outputs = await _outputs(home, diagnosed)
    for binding in bindings:
        found = _follow(outputs[binding["source_invocation_id"]], binding["raw_path"])
        assert binding["matched_text"] in found.text
        if not binding["derived"]:
            assert (binding["file"], binding["line"]) == (found.file, found.first)
            _assert_in_file(diagnosed.bundle / found.file, found, binding["matched_text"])


async def test_the_check_above_would_notice(diagnosed: Diagnosed, home: Path) -> None:
    outputs = await _outputs(home, diagnosed)
    raw = next(binding for binding in _all_bindings(diagnosed) if not binding["derived"])
    found = _follow(outputs[raw["source_invocation_id"]], raw["raw_path"])
    assert raw["matched_text"] + "?" not in found.text
    elsewhere = replace(found, first=10_000_000, last=10_000_000)
    assert not _in_file(diagnosed.bundle / found.file, elsewhere, raw["matched_text"])


def _assert_in_file(path: Path, found: _Found, text: str) -> None:
    assert _in_file(path, found, text), f"{path}:{found.first} does not hold {text!r}"


def _in_file(path: Path, found: _Found, text: str) -> bool:
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")[found.first - 1 : found.last]
    material = "\n".join(lines)
    # A JSON file holds the text with its quotation marks and backslashes escaped.
    escaped = (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
    return any(form in material for form in (text, *escaped))
