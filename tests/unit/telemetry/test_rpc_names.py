"""The names of a call's span are those of the conventions, whatever the instrumentation calls them."""

import grpc
import pytest

from services.common.telemetry.rpc_names import (
    STATUS_NUMBER,
    attributes_of_call,
    name_of_call,
    of_call,
    status_name,
    where_called,
)

WRITTEN = {"rpc.system": "grpc", "rpc.service": "a.v1.B", "rpc.method": "C", STATUS_NUMBER: 0}


def test_every_status_has_its_name_and_nothing_else_has_one() -> None:
    assert {status_name(code.value[0]): code.name for code in grpc.StatusCode} == {
        code.name: code.name for code in grpc.StatusCode
    }
    assert [status_name(number) for number in (-1, 17, "0", None)] == ["", "", "", ""]


def test_a_call_is_named_by_its_full_method_and_its_status() -> None:
    assert of_call(WRITTEN)
    assert name_of_call("/a.v1.B/C") == "a.v1.B/C"
    assert attributes_of_call({**WRITTEN, "other": 1}, is_error=False) == {
        "rpc.system.name": "grpc",
        "rpc.method": "a.v1.B/C",
        "rpc.response.status_code": "OK",
        "other": 1,
    }


def test_an_error_has_a_type_and_one_that_is_known_better_keeps_it() -> None:
    failed = {**WRITTEN, STATUS_NUMBER: 14}
    assert attributes_of_call(failed, is_error=True)["error.type"] == "UNAVAILABLE"
    assert attributes_of_call({**failed, "error.type": "gone"}, is_error=True)["error.type"] == "gone"
    assert "error.type" not in attributes_of_call({**WRITTEN, STATUS_NUMBER: 5}, is_error=False)


def test_other_spans_are_no_calls() -> None:
    assert not of_call({"gen_ai.operation.name": "chat"})


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("127.0.0.1:50051", ("127.0.0.1", 50051)),
        ("[::1]:7", ("::1", 7)),
        ("planner.assay.svc:50051", ("planner.assay.svc", 50051)),
        ("dns://127.0.0.1:53/planner:50051", ("planner", 50051)),
    ],
)
def test_whom_a_client_calls(address: str, told: tuple[str, int]) -> None:
    assert tuple(where_called(address).values()) == told


@pytest.mark.parametrize("address", ["unix:/run/assay", "planner", ""])
def test_an_address_without_a_port_tells_nothing(address: str) -> None:
    assert where_called(address) == {}
