"""Checks of a request that services share. Each raises InvalidArgumentError and names the field."""

from assay.common.v1.context_pb2 import TimeWindow
from google.protobuf.descriptor import EnumDescriptor
from google.protobuf.timestamp_pb2 import Timestamp

from services.common.errors import InvalidArgumentError

# What a Timestamp may hold: 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
MIN_SECONDS = -62_135_596_800
MAX_SECONDS = 253_402_300_799


def required_text(value: str, field: str, max_chars: int) -> str:
    """Return a text that is not blank and at most `max_chars` long."""
    if not value.strip():
        raise InvalidArgumentError(f"{field} is empty", field=field)
    if len(value) > max_chars:
        raise InvalidArgumentError(
            f"{field} has {len(value)} characters; at most {max_chars} are allowed", field=field
        )
    return value


def specified(value: int, enum: EnumDescriptor, field: str) -> None:
    """Refuse UNSPECIFIED and numbers that the enum does not have."""
    if value == 0 or value not in enum.values_by_number:
        names = ", ".join(item.name for item in enum.values if item.number)
        raise InvalidArgumentError(f"{field} is not one of {names}", field=field)


def legal_window(window: TimeWindow, field: str) -> None:
    """Refuse a window that holds no instant, or a side that is none; a side that is absent is no bound."""
    for side in ("start", "end"):
        if window.HasField(side):
            legal_instant(getattr(window, side), f"{field}.{side}")
    bounded = window.HasField("start") and window.HasField("end")
    if bounded and window.end.ToNanoseconds() <= window.start.ToNanoseconds():
        raise InvalidArgumentError("the window ends before it starts", field=f"{field}.end")


def legal_instant(time: Timestamp, field: str) -> None:
    """Refuse a timestamp that no time is."""
    if not is_instant(time):
        raise InvalidArgumentError(f"{field} lies outside the years 1 to 9999", field=field)


def is_instant(time: Timestamp) -> bool:
    """Tell whether a timestamp is one that can be written: any number fits into its fields."""
    return MIN_SECONDS <= time.seconds <= MAX_SECONDS and 0 <= time.nanos < 1_000_000_000
