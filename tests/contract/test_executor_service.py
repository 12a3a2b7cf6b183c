"""The executor over its real server, as its process puts it together, on the recorded incidents."""

import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import grpc.aio
import pytest
from assay.common.v1 import context_pb2, tool_pb2
from assay.executor.v1 import executor_pb2, executor_pb2_grpc

from services.common.evidence import document, pointer, strict_json
from services.common.rpc.channels import call_metadata, open_channel
from services.common.rpc.service import serving
from services.executor.__main__ import build
from services.executor.settings import ExecutorSettings
from tests.fakes.bundles import RECORDED, Tree, write

OK = tool_pb2.INVOCATION_STATUS_OK
BLOCKED = tool_pb2.INVOCATION_STATUS_BLOCKED
ERROR = tool_pb2.INVOCATION_STATUS_ERROR


@pytest.fixture(scope="session")
def root(project: Path) -> Path:
    return project / "examples" / "incidents"


@pytest.fixture
async def channel(root: Path) -> AsyncIterator[grpc.aio.Channel]:
    settings = ExecutorSettings(bundle_root=root)
    async with (
        serving(settings, await build(settings)) as address,
        open_channel(address, settings.max_message_bytes) as opened,
    ):
        yield opened


async def list_tools(channel: grpc.aio.Channel, bundle: str) -> tool_pb2.ToolCatalog:
    request = executor_pb2.ListToolsRequest(scope=context_pb2.Scope(bundle=bundle))
    stub = executor_pb2_grpc.ExecutorServiceStub(channel)
    response = await stub.ListTools(request, timeout=60, metadata=call_metadata("run-1"))
    return response.catalog


async def execute(
    channel: grpc.aio.Channel, request: executor_pb2.ExecuteRequest
) -> tuple[list[tool_pb2.Invocation], executor_pb2.ExecutorResult]:
    stub = executor_pb2_grpc.ExecutorServiceStub(channel)
    call = stub.Execute(request, timeout=60, metadata=call_metadata("run-1"))
    messages = [message async for message in call]
    assert [message.WhichOneof("payload") for message in messages[:-1]] == ["invocation"] * (
        len(messages) - 1
    )
    assert messages[-1].WhichOneof("payload") == "result"
    return [message.invocation for message in messages[:-1]], messages[-1].result


def a_step(tool: str, **arguments: Tree) -> tool_pb2.PlanStep:
    return tool_pb2.PlanStep(goal="look", tool_name=tool, arguments_json=json.dumps(arguments).encode())


def a_request(bundle: str, *steps: tool_pb2.PlanStep) -> executor_pb2.ExecuteRequest:
    context = context_pb2.DiagnosisContext(
        question="why do requests fail?",
        intent=context_pb2.INTENT_CAUSE,
        scope=context_pb2.Scope(bundle=bundle),
    )
    return executor_pb2.ExecuteRequest(context=context, steps=steps)


@pytest.mark.parametrize("incident", RECORDED)
async def test_the_inventory_names_every_source_with_kind_owner_and_times(
    channel: grpc.aio.Channel, root: Path, incident: str
) -> None:
    catalog = await list_tools(channel, f"{incident}/bundle")
    files = {
        str(path.relative_to(root / incident / "bundle"))
        for path in (root / incident / "bundle").rglob("*")
        if path.is_file() and path.name != "question.txt"
    }
    assert {source.name for source in catalog.sources} == files
    assert all(source.available for source in catalog.sources)
    kinds = [(source.kind, source.name) for source in catalog.sources]
    assert kinds == sorted(kinds)
    assert {kind for kind, _ in kinds} == {"alert", "change_event", "log", "metric", "topology"}
    logs = [source for source in catalog.sources if source.kind == "log"]
    assert all(source.owner for source in logs)
    assert all(source.first_time.seconds <= source.last_time.seconds for source in logs if source.size_bytes)


async def test_the_catalog_holds_legal_schemas_in_order(channel: grpc.aio.Channel) -> None:
    catalog = await list_tools(channel, f"{RECORDED[0]}/bundle")
    names = [tool.name for tool in catalog.tools]
    assert names == sorted(names)
    assert len(names) == 18
    for tool in catalog.tools:
        schema = json.loads(tool.arguments_schema_json)
        assert schema["additionalProperties"] is False
        assert tool.description
        assert tool.source_kinds


async def test_without_a_scope_the_tools_are_listed_alone(channel: grpc.aio.Channel) -> None:
    stub = executor_pb2_grpc.ExecutorServiceStub(channel)
    response = await stub.ListTools(executor_pb2.ListToolsRequest(), timeout=60)
    assert not response.catalog.sources
    assert response.catalog.tools == (await list_tools(channel, f"{RECORDED[0]}/bundle")).tools
    for tool in response.catalog.tools:
        assert tool.max_output_bytes == 512 * 1024
        assert tool.deadline.ToSeconds() == 120


@pytest.mark.parametrize(
    ("bundle", "code"),
    [
        ("", grpc.StatusCode.INVALID_ARGUMENT),
        ("   ", grpc.StatusCode.INVALID_ARGUMENT),
        ("../incidents", grpc.StatusCode.INVALID_ARGUMENT),
        ("/etc", grpc.StatusCode.INVALID_ARGUMENT),
        ("a\0b", grpc.StatusCode.INVALID_ARGUMENT),
        ("no-such-incident", grpc.StatusCode.NOT_FOUND),
        ("README.md", grpc.StatusCode.FAILED_PRECONDITION),
    ],
)
async def test_a_wrong_scope_is_one_clear_error(
    channel: grpc.aio.Channel, bundle: str, code: grpc.StatusCode
) -> None:
    for call in (list_tools(channel, bundle), execute(channel, a_request(bundle, a_step("alerts_list")))):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        assert caught.value.code() is code
        assert caught.value.details()


async def test_a_folder_without_a_source_is_a_failed_precondition(tmp_path: Path) -> None:
    write(tmp_path / "empty", {"question.txt": "why?"})
    settings = ExecutorSettings(bundle_root=tmp_path)
    async with (
        serving(settings, await build(settings)) as address,
        open_channel(address, settings.max_message_bytes) as channel,
    ):
        with pytest.raises(grpc.aio.AioRpcError, match="no readable source") as caught:
            await list_tools(channel, "empty")
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION


@pytest.mark.parametrize("change", ["question", "intent", "no steps", "many steps"])
async def test_an_illegal_request_is_an_invalid_argument(channel: grpc.aio.Channel, change: str) -> None:
    request = a_request(f"{RECORDED[0]}/bundle", a_step("topology_get", source="topology.json"))
    match change:
        case "question":
            request.context.question = " "
        case "intent":
            request.context.intent = context_pb2.INTENT_UNSPECIFIED
        case "no steps":
            del request.steps[:]
        case _:
            request.steps.extend([request.steps[0]] * 64)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await execute(channel, request)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_call_without_a_deadline_is_refused(channel: grpc.aio.Channel) -> None:
    stub = executor_pb2_grpc.ExecutorServiceStub(channel)
    request = executor_pb2.ListToolsRequest(scope=context_pb2.Scope(bundle=RECORDED[0]))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.ListTools(request)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize("incident", RECORDED)
async def test_every_recorded_line_and_element_stands_in_its_file(
    channel: grpc.aio.Channel, root: Path, incident: str
) -> None:
    bundle = f"{incident}/bundle"
    catalog = await list_tools(channel, bundle)
    steps = [a_step("metrics_change_points"), a_step("metrics_saturation")]
    tools = {"alert": "alerts_list", "change_event": "change_events_list", "topology": "topology_get"}
    for source in catalog.sources:
        if source.kind in tools:
            steps.append(a_step(tools[source.kind], source=source.name))
        elif source.kind == "log":
            steps += [
                a_step("logs_templates", source=source.name),
                a_step("logs_search", source=source.name, contains=["e"], limit=100),
            ]
    invocations, result = await execute(channel, a_request(bundle, *steps))
    assert result.status == executor_pb2.EXECUTOR_STATUS_COMPLETED
    assert len({invocation.id for invocation in invocations}) == len(invocations)
    shown = 0
    for invocation in invocations:
        assert hashlib.sha256(invocation.output).hexdigest() == invocation.output_sha256
        output = strict_json.loads(invocation.output)
        assert isinstance(strict_json.loads(invocation.arguments_json), dict)
        if invocation.status == OK:
            shown += check_places(output, root / bundle)
    assert shown > 400


def check_places(value: Tree, bundle: Path, source: str = "") -> int:
    """Compare every line and element with its file, read by other means; return how many there were."""
    if isinstance(value, list):
        return sum(check_places(item, bundle, source) for item in value)
    if not isinstance(value, dict):
        return 0
    source = str(value.get("source", source))
    lines = (bundle / source).read_text().split("\n") if source else []
    if "n" in value and "text" in value:
        assert lines[int(value["n"]) - 1][:8192] == value["text"]
        return 1
    if "value" in value and "first_line" in value:
        first, last = int(value["first_line"]), int(value["last_line"])
        if "labels" in value["value"] or "kind" in value["value"] or "summary" in value["value"]:
            part = "\n".join(lines[first - 1 : last]).strip().removesuffix(",")
            assert strict_json.loads(part.encode()) == value["value"]
            return 1
        return 0
    return sum(check_places(item, bundle, source) for item in value.values())


@pytest.mark.parametrize("incident", RECORDED)
async def test_the_document_is_legal_and_every_binding_resolves(
    channel: grpc.aio.Channel, incident: str
) -> None:
    bundle = f"{incident}/bundle"
    steps = [a_step("metrics_change_points"), a_step("topology_get", source="topology.json")]
    invocations, result = await execute(channel, a_request(bundle, *steps))
    assert result.status == executor_pb2.EXECUTOR_STATUS_COMPLETED
    evidence = document.parse(result.document)
    outputs = {invocation.id: invocation for invocation in invocations}
    assert evidence.claims
    for claim in evidence.claims:
        for binding in claim.evidence_bindings:
            invocation = outputs[binding.source_invocation_id]
            found = pointer.resolve(strict_json.loads(invocation.output), binding.raw_path)
            assert invocation.tool_name == binding.tool_name
            assert isinstance(found, str | bool) or found is None
            assert binding.matched_text in strict_json.dumps(found).decode() or binding.matched_text in str(
                found
            )


async def test_refused_and_failing_calls_are_recorded_and_the_rest_goes_on(channel: grpc.aio.Channel) -> None:
    bundle = f"{RECORDED[0]}/bundle"
    steps = [
        a_step("shell_run", command="rm -rf /"),
        a_step("alerts_list", source="alerts.json", surprise=1),
        tool_pb2.PlanStep(goal="x", tool_name="alerts_list", arguments_json=b'{"source":"a","source":"b"}'),
        a_step("alerts_list", source="../../../../etc/passwd"),
        a_step("logs_search", source="alerts.json"),
        a_step("alerts_list", source="alerts.json"),
    ]
    invocations, result = await execute(channel, a_request(bundle, *steps))
    statuses = [invocation.status for invocation in invocations[: len(steps)]]
    assert statuses == [BLOCKED, BLOCKED, BLOCKED, ERROR, ERROR, OK]
    for invocation in invocations[: len(steps) - 1]:
        error = strict_json.loads(invocation.output)
        assert isinstance(error, dict)
        assert set(error) == {"error"}
        assert "surprise" not in str(error["error"])
    assert result.status == executor_pb2.EXECUTOR_STATUS_COMPLETED


async def test_a_plan_that_policy_refuses_wholly_is_tool_blocked(channel: grpc.aio.Channel) -> None:
    request = a_request(f"{RECORDED[0]}/bundle", a_step("shell_run"), a_step("alerts_list"))
    invocations, result = await execute(channel, request)
    assert [invocation.status for invocation in invocations] == [BLOCKED, BLOCKED]
    assert result.status == executor_pb2.EXECUTOR_STATUS_TOOL_BLOCKED
    assert not result.document
