"""Messages from their descriptors: whatever a field may hold on the wire, and bytes that are no message."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from hypothesis import strategies as st

from tests.fuzz.inputs import TEXTS, WORD_BYTES

_MAX_DEPTH: Final = 5
_MAX_ITEMS: Final = 3
_INT32: Final = (0, 1, -1, 7, 100, 2**31 - 1, -(2**31))
_INT64: Final = (*_INT32, 2**63 - 1, -(2**63), 253_402_300_800, -62_135_596_801)
_DOUBLES: Final = (0.0, 0.5, 1.0, -1.0, 1e308, float("inf"), float("-inf"), float("nan"))
# Names that refer to each other, so that some of them meet.
NAMES: Final = (
    "c1",
    "c2",
    "inv-1",
    "gap-1",
    "logs_search",
    "logs/api.log",
    "api",
    "incident",
    "run-1",
    "/lines/0/text",
)
_DOCUMENTS: Final = (
    b'{"source": "logs/api.log"}',
    b'{"source": "logs/api.log", "lines": [{"n": 1, "time": null, "text": "refused"}]}',
    b'{"version": "executor_evidence_v2", "claims": [], "evidence_gaps": []}',
    b"[]",
    b"{",
)
# A field that no message has, of each wire type, a group's end, and a field number 0.
_FOREIGN: Final = (
    b"\xf8\x3f\x01",
    b"\xf9\x3f" + b"x" * 8,
    b"\xfa\x3f\x02hi",
    b"\xfd\x3f1234",
    b"\x0c",
    b"\x00\x01",
)

_TEXTS = st.one_of(st.sampled_from(NAMES), TEXTS, st.sampled_from(("x" * 5000, " ", "é" * 300)))
_BYTES = st.one_of(st.sampled_from(_DOCUMENTS), st.sampled_from(WORD_BYTES), st.binary(max_size=30))


def _enum_numbers(field: FieldDescriptor) -> st.SearchStrategy[int]:
    assert field.enum_type is not None
    known = [value.number for value in field.enum_type.values]
    return st.sampled_from([*known, *known, *known, -1, 99, 2**31 - 1])


def _scalar(field: FieldDescriptor) -> st.SearchStrategy[Any]:
    match field.type:
        case FieldDescriptor.TYPE_STRING:
            return _TEXTS
        case FieldDescriptor.TYPE_BYTES:
            return _BYTES
        case FieldDescriptor.TYPE_BOOL:
            return st.booleans()
        case FieldDescriptor.TYPE_ENUM:
            return _enum_numbers(field)
        case FieldDescriptor.TYPE_INT32:
            return st.sampled_from(_INT32)
        case FieldDescriptor.TYPE_INT64:
            return st.sampled_from(_INT64)
        case FieldDescriptor.TYPE_DOUBLE:
            return st.sampled_from(_DOUBLES)
        case _:
            raise NotImplementedError(f"{field.full_name}: no values are known for its type")


def _set(draw: st.DrawFn, message: Message, field: FieldDescriptor, depth: int) -> None:
    """Give one field a value; of a repeated one, add up to three."""
    if field.message_type is None:
        if field.is_repeated:
            getattr(message, field.name).extend(draw(st.lists(_scalar(field), max_size=_MAX_ITEMS)))
        else:
            setattr(message, field.name, draw(_scalar(field)))
        return
    if depth >= _MAX_DEPTH:
        return
    for _ in range(draw(st.integers(1, _MAX_ITEMS)) if field.is_repeated else 1):
        inner = getattr(message, field.name)
        child = inner.add() if field.is_repeated else inner
        child.SetInParent()
        _fill(draw, child, depth + 1)


def _fill(draw: st.DrawFn, message: Message, depth: int) -> None:
    for field in _fields(message):
        if draw(st.integers(0, 2)):
            _set(draw, message, field, depth)


@st.composite
def messages(draw: st.DrawFn, kind: type[Message], seeds: Sequence[bytes] = (b"",)) -> bytes:
    """Return a message on the wire: one of the seeds in which some fields are given other values."""
    message = kind.FromString(draw(st.sampled_from(seeds)))
    places = [message, *_below(message)]
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.sampled_from(places))
        if fields := _fields(place):
            field = draw(st.sampled_from(fields))
            if draw(st.booleans()):
                place.ClearField(field.name)
            else:
                _set(draw, place, field, 1)
    return message.SerializeToString()


@st.composite
def wires(draw: st.DrawFn, kind: type[Message], seeds: Sequence[bytes]) -> bytes:
    """Return a message, at times with foreign fields, or cut or damaged until it may be none."""
    data = draw(st.one_of(messages(kind, seeds), messages(kind, (b"", *seeds))))
    match draw(st.integers(0, 9)):
        case 0:
            return data + draw(st.sampled_from(_FOREIGN))
        case 1:
            return data[: draw(st.integers(0, len(data)))]
        case 2:
            at = draw(st.integers(0, len(data)))
            return data[:at] + draw(st.binary(min_size=1, max_size=4)) + data[at + 1 :]
        case _:
            return data


def _fields(message: Message) -> list[Any]:
    """Return the descriptors of a message's fields, of whichever implementation."""
    return list(message.DESCRIPTOR.fields)


def _below(message: Message) -> Iterator[Message]:
    """Yield every message inside a message."""
    for field, value in message.ListFields():
        if field.message_type is not None:
            for child in value if field.is_repeated else [value]:
                yield child
                yield from _below(child)


@dataclass(frozen=True)
class TextField:
    """A way to one string or bytes field: field names from the outermost message."""

    path: tuple[str, ...]

    def put(self, message: Message, text: bytes) -> None:
        """Give the field a value, in the first element of each repeated field above it."""
        for name in self.path[:-1]:
            inner = getattr(message, name)
            if message.DESCRIPTOR.fields_by_name[name].is_repeated:
                inner = inner[0] if inner else inner.add()
            inner.SetInParent()
            message = inner
        field = message.DESCRIPTOR.fields_by_name[self.path[-1]]
        value = text if field.type == FieldDescriptor.TYPE_BYTES else text.decode()
        if not field.is_repeated:
            setattr(message, field.name, value)
        elif values := getattr(message, field.name):
            values[0] = value
        else:
            values.append(value)


def text_fields(descriptor: Descriptor, above: tuple[str, ...] = ()) -> Iterator[TextField]:
    """Yield every string and bytes field of a message and of those inside it."""
    for field in descriptor.fields:
        path = (*above, field.name)
        if field.message_type is not None:
            assert len(path) <= 2 * _MAX_DEPTH, "a message inside itself"
            yield from text_fields(field.message_type, path)
        elif field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES):
            yield TextField(path)
