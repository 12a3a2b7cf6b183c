"""JSONTestSuite through every reader of JSON: what is legal is read, what is not gets one clear error.

`y_` files are legal, `n_` are not, `i_` may be either; `test_transform` holds what readers disagree about.
"""

import io
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Final

import pytest
from assay.common.v1 import context_pb2, tool_pb2
from assay.executor.v1 import executor_pb2, executor_pb2_grpc
from assay.orchestrator.v1 import diagnosis_pb2

from orchestrator.requests import evaluation_of
from services.common.bounds import MAX_STEPS
from services.common.errors import InvalidArgumentError
from services.common.evidence import document, strict_json
from services.common.redaction.redactor import Redactor
from services.common.rpc.channels import open_channel
from services.common.rpc.service import serving
from services.executor import domain
from services.executor.__main__ import build
from services.executor.settings import ExecutorSettings
from services.executor.sources import log_fields
from services.executor.sources.log_json import parse_json
from services.executor.sources.positioned_json import PositionedJson
from services.executor.tools.registry import tools
from tests.fakes.bundles import a_stop, opened, write

# The suite calls duplicate keys legal; here one document must not mean two things.
REFUSED_ON_PURPOSE: Final = {
    "y_object_duplicated_key.json": "duplicate key in an object",
    "y_object_duplicated_key_and_value.json": "duplicate key in an object",
}
FILES: Final = 340
MAX_ERROR_CHARS: Final = 200
_TOOLS: Final = tools(1 << 20, 30)


def _positioned(data: bytes) -> None:
    PositionedJson(data, max_bytes=1 << 20).elements(())


def _evaluation(data: bytes) -> None:
    request = diagnosis_pb2.RecordEvaluationRequest(run_id="r", channel="rules", value_json=data)
    evaluation_of(request, Redactor())


# Readers of any JSON, and how each refuses.
STRICT: Final[Mapping[str, tuple[Callable[[bytes], object], type[Exception]]]] = {
    "strict JSON": (strict_json.loads, strict_json.StrictJsonError),
    "JSON with positions": (_positioned, strict_json.StrictJsonError),
    "value of an evaluation": (_evaluation, InvalidArgumentError),
}


@pytest.fixture(scope="session")
def suite(shared: Path) -> Mapping[str, bytes]:
    folder = shared / "corpora" / "JSONTestSuite"
    found = {file.name: file.read_bytes() for file in sorted(folder.glob("test_*/*.json"))}
    assert len(found) == FILES
    return found


def refusal(read: Callable[[bytes], object], refuses: type[Exception], data: bytes) -> str:
    """Return the error that a reader gives; empty when it takes the bytes."""
    try:
        read(data)
    except refuses as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", STRICT)
def test_what_is_legal_is_read_and_what_is_not_is_one_clear_error(
    suite: Mapping[str, bytes], name: str
) -> None:
    read, refuses = STRICT[name]
    errors = {file: refusal(read, refuses, data) for file, data in suite.items()}
    refused = {file for file, error in errors.items() if error}
    assert {file for file in refused if file.startswith("y_")} == REFUSED_ON_PURPOSE.keys()
    assert all(errors[file].endswith(reason) for file, reason in REFUSED_ON_PURPOSE.items())
    assert {file for file in errors.keys() - refused if file.startswith("n_")} == set()
    for file in refused:
        assert errors[file].isprintable(), file
        assert len(errors[file]) < MAX_ERROR_CHARS, file


def test_a_document_is_refused_with_every_problem_named_and_nothing_quoted(
    suite: Mapping[str, bytes],
) -> None:
    for file, data in suite.items():
        with pytest.raises(document.DocumentError) as caught:
            document.parse(data)
        assert str(caught.value).isprintable(), file
        assert document.bound_invocations(data) == set()
        assert not document.is_outline(data)


def test_arguments_of_a_tool_are_refused_with_a_reason(suite: Mapping[str, bytes]) -> None:
    for file, data in suite.items():
        refused = domain.admit(_TOOLS, "alerts_list", data)
        assert isinstance(refused, domain.Refused), file
        assert refused.reason.isprintable(), file


def test_a_line_of_a_log_is_read_or_is_plain_text(suite: Mapping[str, bytes]) -> None:
    """Lines are read leniently: they are shown as they are, and cited literally."""
    read = 0
    for data in suite.values():
        for line in io.BytesIO(data):
            text = line.decode("utf-8", "replace")
            read += parse_json(text) is not None
            log_fields.constant_component([text])
    assert read > 10


@pytest.fixture
def folder(suite: Mapping[str, bytes], tmp_path: Path) -> Path:
    """A bundle that is the whole suite, once as structured files and once as logs, and one log to read."""
    files: dict[str, str | bytes] = {f"suite/{name}": data for name, data in suite.items()}
    files |= {f"logs/{name}": data for name, data in suite.items()}
    line = "2026-11-30T09:00:00Z ERROR connection refused\n"
    return write(tmp_path / "suite-bundle", {**files, "logs/api.log": line * 3})


def test_every_file_of_a_bundle_is_a_source_or_says_why_not(folder: Path) -> None:
    sources = opened(folder).sources
    assert len(sources) == 2 * FILES + 1
    for source in sources:
        assert source.available or source.problem.isprintable()
    bundle = opened(folder)
    read = [line for one in bundle.of_kind("log") for line in bundle.log(one).read(a_stop())]
    assert any("connection refused" in line.text for line in read)


@pytest.fixture
async def executor(folder: Path) -> AsyncIterator["executor_pb2_grpc.ExecutorServiceAsyncStub"]:
    settings = ExecutorSettings(bundle_root=folder.parent)
    async with (
        serving(settings, await build(settings)) as address,
        open_channel(address, settings.max_message_bytes) as channel,
    ):
        yield executor_pb2_grpc.ExecutorServiceStub(channel)


def a_step(source: tool_pb2.SourceInfo) -> tool_pb2.PlanStep:
    """Return a step that asks a tool of the source's own kind."""
    by_sources = ("source", "sources")
    tool = next(tool for tool in _TOOLS.values() if source.kind in tool.source_kinds)
    name = next(name for name in by_sources if name in tool.arguments.model_fields)
    value: strict_json.Json = source.name if name == "source" else [source.name]
    return tool_pb2.PlanStep(
        goal="read", tool_name=tool.name, arguments_json=strict_json.dumps({name: value})
    )


async def test_the_executor_reads_every_file_of_the_suite(
    executor: "executor_pb2_grpc.ExecutorServiceAsyncStub", folder: Path
) -> None:
    scope = context_pb2.Scope(bundle=folder.name)
    context = context_pb2.DiagnosisContext(question="why?", intent=context_pb2.INTENT_CAUSE, scope=scope)
    listed = await executor.ListTools(executor_pb2.ListToolsRequest(scope=scope), timeout=60)
    assert len([source for source in listed.catalog.sources if source.name]) == 2 * FILES + 1
    steps = [a_step(source) for source in listed.catalog.sources if source.available]
    assert len(steps) > 300
    for first in range(0, len(steps), MAX_STEPS):
        part = steps[first : first + MAX_STEPS]
        request = executor_pb2.ExecuteRequest(context=context, steps=part)
        messages = [message async for message in executor.Execute(request, timeout=60)]
        assert messages[-1].result.status == executor_pb2.EXECUTOR_STATUS_COMPLETED
        assert {message.invocation.status for message in messages[: len(part)]} == {
            tool_pb2.INVOCATION_STATUS_OK
        }
