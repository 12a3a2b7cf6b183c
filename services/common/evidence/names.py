"""Short names of enum values, and messages as plain JSON values that use them.

`CLASSIFICATION_DIRECT_OBSERVATION` is `direct_observation` to a reader. Verdicts and statuses are written in
capitals, as the requirement documents do; everything else in lower case.
"""

import base64
import re
from typing import Any

from google.protobuf.descriptor import EnumDescriptor
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

_WORD_START = re.compile(r"(?<!^)(?=[A-Z])")


def short_name(enum: EnumDescriptor, number: int) -> str:
    """Return the short name of an enum value: empty for 0, `unknown_<n>` for a number that is not in it."""
    value = enum.values_by_number.get(number)
    if number == 0:
        return ""
    if value is None:
        return f"unknown_{number}"
    prefix = _WORD_START.sub("_", enum.name).upper() + "_"
    name = str(value.name).removeprefix(prefix)
    return name if _in_capitals(enum) else name.lower()


def number_of(enum: EnumDescriptor, name: str) -> int:
    """Return the number of a short name; raises KeyError when the enum has no such value."""
    prefix = _WORD_START.sub("_", enum.name).upper() + "_"
    return int(enum.values_by_name[prefix + name.upper()].number)


def rfc3339(time: Timestamp) -> str:
    """Return an instant as text; empty for numbers that are no instant, which a Timestamp may hold too."""
    try:
        return str(time.ToJsonString())
    except ValueError:
        return ""


def plain(message: Message) -> dict[str, Any]:
    """Return a message as plain JSON values: short enum names, RFC 3339 instants, bytes as base64.

    Fields with presence that are not set are left out; every other field is there, set or not.
    """
    result: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        if field.is_repeated:
            result[field.name] = [_scalar(field.enum_type, item) for item in getattr(message, field.name)]
        elif not field.has_presence or message.HasField(field.name):
            result[field.name] = _scalar(field.enum_type, getattr(message, field.name))
    return result


def _in_capitals(enum: EnumDescriptor) -> bool:
    return enum.name == "Verdict" or (enum.name.endswith("Status") and enum.name != "ClaimStatus")


def _scalar(enum: Any, value: Any) -> Any:  # noqa: ANN401 - a field holds what it holds
    if enum is not None:
        return short_name(enum, value)
    if isinstance(value, Timestamp):
        return rfc3339(value)
    if isinstance(value, Message):
        return plain(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value
