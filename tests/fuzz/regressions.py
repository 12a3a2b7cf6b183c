"""Inputs that once made a target crash, as `make fuzz` printed them; every test run tries them again."""

from collections.abc import Sequence

from tests.fuzz.target import Input

REGRESSIONS: Sequence[tuple[str, Input]] = (
    # Bytes that are no message: gRPC answered UNKNOWN and told the class of the error.
    ("call of PlannerService.Plan", b"\n"),
    ("call of ExecutorService.Execute", b"\x0c"),
    ("call of DiagnosisService.Diagnose", b"\n"),
    # Windows whose sides are no instants.
    (
        "call of PlannerService.Plan",
        b"\n\x14\n\x01?\x10\x01\x1a\r\x12\x0b\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x05\n\x03\n\x01t\x18\x01",
    ),
    (
        "call of ExecutorService.Execute",
        (
            b"\n \n\x01?\x10\x01\x1a\r\x12\x0b\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x22"
            b"\n\n\x08incident\x12\x04\n\x02ab"
        ),
    ),
    ("run as text", b"\x1a\x0f\x1a\r\x12\x0b\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
    ("run as JSON", b"\x1a\x0f\x1a\r\x12\x0b\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
    ("verifier's reply", (b"\n\x0f\x1a\r\x12\x0b\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\x08\x02")),
    # A path that is too long to be looked up.
    ("settings", (1, {"BUNDLE_ROOT": "x" * 400})),
    # A selector that shows nothing and carries text.
    ("visible text", "\U000e0100"),
)
