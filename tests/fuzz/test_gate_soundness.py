"""The short form of the fuzzing of the gate, and the proof that it would notice a rule that is off."""

import json
import re
import unicodedata
from collections.abc import Callable

import pytest

from services.common.evidence import matching, places, pointer, strict_json
from services.common.evidence.document import EvidenceBinding
from services.common.evidence.strict_json import Json
from services.gatekeeper import rules
from services.gatekeeper.provenance import Cited
from tests.fuzz.gate_soundness import EVERY, fuzz

DOCUMENTS = 2_000


def test_no_false_pass_and_no_refusal_of_a_true_literal() -> None:
    figures = fuzz(DOCUMENTS, seed=20)
    assert figures.disagreements == []
    assert figures.documents == DOCUMENTS
    # Neither side of any answer is rare.
    assert min(figures.illegal, figures.documents - figures.illegal, figures.true, figures.untrue) > 400
    assert {*EVERY} <= figures.by_mutation.keys()


def _by_name_only(binding: EvidenceBinding, material: rules.Material) -> Cited:
    record = material.records.get(binding.source_invocation_id)
    tool = record.tool_name if record else binding.tool_name
    return rules_check(binding.model_copy(update={"tool_name": tool}), material)


def _normalized(text: str, value: Json) -> bool:
    if type(value) is not str:
        return stands_at(text, value)
    return stands_at(unicodedata.normalize("NFKC", text), unicodedata.normalize("NFKC", value))


def _any_case(text: str, value: Json) -> bool:
    return stands_at(text.lower(), value.lower() if type(value) is str else value)


def _whole(text: str, value: Json) -> bool:
    return stands_at(text, value) and (not isinstance(value, str) or text == value)


rules_check = rules.check_binding
stands_at = matching.stands_at
NEVER = re.compile(r"(?!)")
# The rule, how it is switched off, and a mutation that must find it.
CONTROLS: dict[str, tuple[object, str, object, str]] = {
    "any text": (matching, "stands_at", lambda _text, _value: True, "one character"),
    "any case": (matching, "stands_at", _any_case, "case"),
    "a normalized form": (matching, "stands_at", _normalized, "Unicode form"),
    "three characters": (matching, "MIN_SUBSTRING", 3, "part of a literal"),
    "whole texts only": (matching, "stands_at", _whole, "part of a literal"),
    "hidden characters": (matching, "hides", lambda _text: False, "another literal"),
    "what the reader wrote": (places, "is_reader_made", lambda _reference: False, "another literal"),
    "any digits": (pointer, "_INDEX", re.compile(r"\d+"), "pointer token"),
    "any tilde": (pointer, "_BAD_ESCAPE", NEVER, "pointer shape"),
    "any tool": (rules, "check_binding", _by_name_only, "tool"),
    "the last of two keys": (strict_json, "_object", dict, "repeated key"),
}


@pytest.mark.parametrize("name", CONTROLS)
def test_a_rule_that_is_off_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, attribute, value, mutation = CONTROLS[name]
    monkeypatch.setattr(owner, attribute, value)
    monkeypatch.setattr(strict_json, "_DECODER", _decoder(strict_json._object))  # noqa: SLF001 - built at import
    assert fuzz(DOCUMENTS, 20, [mutation], enough=1).disagreements


def _decoder(hook: Callable[[list[tuple[str, Json]]], dict[str, Json]]) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=hook,
        parse_float=strict_json.NumberToken,
        parse_int=strict_json.NumberToken,
        parse_constant=strict_json._constant,  # noqa: SLF001 - as above
        strict=True,
    )
