"""Naughty strings in every text field of every request, one field and one string at a time."""

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import grpc
from hypothesis import strategies as st

from tests.fuzz.calls import SEEDS, Calls
from tests.fuzz.servers import METHODS
from tests.fuzz.target import Input, Target
from tests.fuzz.wire import TextField, text_fields

FIELDS: Final[Sequence[tuple[str, TextField]]] = [
    (name, field) for name, method in METHODS.items() for field in text_fields(method.descriptor.input_type)
]


def strings_of(data: Path) -> list[str]:
    """Return the Big List of Naughty Strings from a folder of public test data."""
    folder = data / "corpora" / "blns"
    plain: list[str] = json.loads((folder / "blns.json").read_text(encoding="utf-8"))
    coded: list[str] = json.loads((folder / "blns.base64.json").read_text(encoding="utf-8"))
    return sorted({*plain, *(base64.b64decode(text).decode("utf-8", "replace") for text in coded)})


def ask(calls: Calls, name: str, field: TextField, text: str) -> grpc.StatusCode:
    """Ask a method with a legal request in which one field holds a text."""
    request = type(SEEDS[name][0])()
    request.CopyFrom(SEEDS[name][0])
    field.put(request, text.encode())
    return calls.ask(METHODS[name], request.SerializeToString())


def target(calls: Calls, strings: Sequence[str]) -> Target:
    """Return a target whose inputs are the number of a field and of a string."""

    def run(numbers: Input) -> None:
        number, text = numbers
        name, field = FIELDS[number]
        ask(calls, name, field, strings[text])

    return Target(
        "naughty strings in calls",
        st.tuples(st.integers(0, len(FIELDS) - 1), st.integers(0, len(strings) - 1)),
        run,
    )
