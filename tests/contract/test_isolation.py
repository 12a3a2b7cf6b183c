"""Isolation is a property of the message types: what an agent may not know has no field.

`request_fields.txt` is the whole of what may be asked of any service: every request of every method, the
messages that it can hold however deep, and their fields. It is changed by hand, and only on purpose.
"""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import FieldDescriptor

TABLE = Path(__file__).with_name("request_fields.txt")
CONTRACTS = (
    "planner.v1.planner",
    "executor.v1.executor",
    "gatekeeper.v1.gatekeeper",
    "verifier.v1.verifier",
    "composer.v1.composer",
    "orchestrator.v1.diagnosis",
    "orchestrator.v1.status",
    "common.v1.process",
)
# Messages that hold what the receiver of the request may never see, however deep.
NEVER = {
    "PlanRequest": {"Invocation", "ExecutorResult", "Verification", "Answer", "RunState"},
    "ListToolsRequest": {"PlanStep", "Invocation", "Verification", "Answer", "RunState"},
    "ExecuteRequest": {"Verification", "GatekeeperResult", "Answer", "RunState", "PlanResponse"},
    "CheckRequest": {"DiagnosisContext", "PlanStep", "Verification", "RunState"},
    "VerifyRequest": {
        "Invocation",
        "InvocationOutput",
        "ExecutorResult",
        "PlanStep",
        "ToolCatalog",
        "RunState",
    },
    "ComposeRequest": {
        "Invocation",
        "Verification",
        "ClaimCheck",
        "GatekeeperResult",
        "ClaimGap",
        "RunState",
    },
}

# Messages of others that hold numbers only.
PLAIN = {"google.protobuf.Timestamp", "google.protobuf.Duration"}

# Descriptors are written in two languages; their types have no common base that is typed.
Descriptor = Any


def files() -> list[Descriptor]:
    """Return the contract of every service."""
    return [importlib.import_module(f"assay.{name}_pb2").DESCRIPTOR for name in CONTRACTS]


def requests(contracts: list[Descriptor]) -> Iterator[tuple[str, Descriptor]]:
    """Yield every method with its request."""
    for file in contracts:
        for service in file.services_by_name.values():
            for method in service.methods:
                yield f"{service.full_name}/{method.name}", method.input_type


def reachable(message: Descriptor, seen: dict[str, Descriptor] | None = None) -> dict[str, Descriptor]:
    """Return the messages that a message can hold, itself included, by full name."""
    found = {} if seen is None else seen
    if message.full_name not in found:
        found[message.full_name] = message
        for field in message.fields:
            if field.message_type is not None:
                reachable(field.message_type, found)
    return found


def rendered(contracts: list[Descriptor]) -> str:
    """Write down all requests and what they can hold."""
    lines, messages = [], dict[str, Descriptor]()
    for method, request in requests(contracts):
        held = reachable(request)
        messages |= held
        lines += [method, *(f"    {name}" for name in held)]
    for name in sorted(messages):
        lines += [name, *(f"    {_field(field)}" for field in messages[name].fields)]
    return "\n".join(lines) + "\n"


def _field(field: FieldDescriptor) -> str:
    kind = field.message_type or field.enum_type
    name = kind.full_name if kind else _SCALARS[field.type]
    return f"{'repeated ' if field.is_repeated else ''}{name} {field.name}"


_SCALARS = {
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_INT64: "int64",
    FieldDescriptor.TYPE_DOUBLE: "double",
}


def test_requests_have_exactly_the_fields_of_the_table() -> None:
    assert rendered(files()) == TABLE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("assay/verifier/v1/verifier.proto", "VerifyRequest"),
        ("assay/verifier/v1/verifier.proto", "RetryContext"),
        ("assay/common/v1/evidence.proto", "ClaimGap"),
        ("assay/common/v1/evidence.proto", "Place"),
        ("assay/common/v1/context.proto", "Scope"),
    ],
)
def test_a_field_added_anywhere_is_found(file: str, message: str) -> None:
    pool = descriptor_pool.DescriptorPool()
    added: list[str] = []

    def add(source: Descriptor) -> None:
        for dependency in source.dependencies:
            add(dependency)
        if source.name in added:
            return
        added.append(source.name)
        proto = descriptor_pb2.FileDescriptorProto()
        source.CopyToProto(proto)
        for item in proto.message_type:
            if source.name == file and item.name == message:
                item.field.add(
                    name="leak",
                    number=1000,
                    type=descriptor_pb2.FieldDescriptorProto.TYPE_STRING,
                    label=descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL,
                )
        pool.Add(proto)

    contracts = files()
    for contract in contracts:
        add(contract)
    changed = rendered([pool.FindFileByName(contract.name) for contract in contracts])
    assert changed != TABLE.read_text(encoding="utf-8")
    assert changed.replace("    string leak\n", "") == TABLE.read_text(encoding="utf-8")


def test_no_request_can_hold_anything_that_is_not_written_down() -> None:
    for _, request in requests(files()):
        for name, message in reachable(request).items():
            assert name.startswith("assay.") or name in PLAIN, name
            assert not message.is_extendable, name


@pytest.mark.parametrize("name", NEVER)
def test_nothing_forbidden_is_reachable(name: str) -> None:
    (request,) = [item for item in to_agents() if item.name == name]
    assert not {item.name for item in reachable(request).values()} & NEVER[name]


def test_every_request_to_an_agent_has_its_forbidden_messages() -> None:
    assert sorted(item.name for item in to_agents()) == sorted(NEVER)


def to_agents() -> list[Descriptor]:
    """Return the requests that agents take about a run; what every process says of itself takes none."""
    own = ("assay.orchestrator.", "assay.common.")
    return [item for method, item in requests(files()) if not method.startswith(own)]
