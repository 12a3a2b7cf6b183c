"""Threat: JSON and YAML.

JSONTestSuite (`tests/corpora/test_json_suite.py`), duplicate keys, NaN, depth, 5,000-digit numbers, lone
surrogates, alias bombs. Must happen: one clear error each, nothing crashes, memory bounded.
"""

import ast
import json
import re
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from services.common.evidence import strict_json
from services.common.evidence.strict_json import StrictJsonError
from tests.fakes.bundles import opened, write

# What would be switched off: a name of the strict reader, and what stands in its place.
_LENIENT: Final = json.JSONDecoder()
_NEVER: Final = re.compile(r"(?!)")
ATTACKS: Final[Mapping[str, tuple[bytes, str, dict[str, Any]]]] = {
    "a duplicate key": (b'{"a": 1, "a": 2}', "duplicate key", {"_DECODER": _LENIENT}),
    "NaN": (b"[NaN]", "NaN is not", {"_DECODER": _LENIENT}),
    "infinity": (b"[-Infinity]", "-Infinity is not", {"_DECODER": _LENIENT}),
    "depth": (b"[" * 500 + b"]" * 500, "deeper than 64", {"MAX_DEPTH": 1000}),
    "a number of 5,000 digits": (b"[" + b"1" * 5000 + b"]", "more than 512", {"MAX_NUMBER_CHARS": 10_000}),
    "a lone surrogate": (b'["\\udead"]', "lone surrogate", {"_SURROGATE": _NEVER}),
    "a lone surrogate as a key": (b'{"\\udead": 1}', "lone surrogate", {"_SURROGATE": _NEVER}),
}
# Nine to the ninth leaves, for whoever reads YAML.
ALIAS_BOMB: Final = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n" for before, after in pairwise("abcdefghi")
)
READERS_OF_MORE_THAN_DATA: Final = {"yaml", "ruamel", "pickle", "marshal", "shelve", "xml"}
# Takes the events of its parser alone: no alias is followed, no tag is obeyed (tests/unit/kubernetes).
READER_OF_YAML: Final = "services/executor/sources/kubernetes/yaml_tree.py"


@pytest.mark.parametrize("name", ATTACKS)
def test_each_is_one_clear_error(name: str) -> None:
    data, reason, _ = ATTACKS[name]
    with pytest.raises(StrictJsonError, match=reason) as caught:
        strict_json.loads(data)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", ATTACKS)
def test_control_without_the_defence_each_is_read(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    data, _, off = ATTACKS[name]
    for attribute, value in off.items():
        monkeypatch.setattr(strict_json, attribute, value)
    strict_json.loads(data)


def peak_of(read: Callable[[], object]) -> int:
    """Return the most memory that a reading holds, in bytes."""
    tracemalloc.start()
    with pytest.raises(StrictJsonError):
        read()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_what_is_too_large_is_refused_before_it_is_read() -> None:
    data = b"[" + b"[]," * (1 << 20) + b"[}"
    assert peak_of(lambda: strict_json.loads(data)) < 1 << 16
    # The control: read as far as its error, it takes many times its size.
    assert peak_of(lambda: strict_json.loads(data, max_bytes=1 << 30)) > len(data)


@pytest.mark.parametrize("depth", [65, 2000, 100_000])
def test_no_depth_overflows_anything(depth: int) -> None:
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
        with pytest.raises(StrictJsonError, match="deeper"):
            strict_json.loads(opening * depth + b"1" + closing * depth)


def modules_imported(source: str) -> Iterator[str]:
    """Yield the first name of every module that a source imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def test_nothing_but_one_reader_reads_what_could_be_code(project: Path) -> None:
    files = [*(project / "services").rglob("*.py"), *(project / "orchestrator").rglob("*.py")]
    reader = project / READER_OF_YAML
    others = [file for file in files if file != reader]
    assert len(others) == len(files) - 1
    imported = {name for file in others for name in modules_imported(file.read_text(encoding="utf-8"))}
    assert "json" in imported
    assert not imported & READERS_OF_MORE_THAN_DATA
    # Whatever constructs an object of YAML goes by one of these names.
    text = reader.read_text(encoding="utf-8")
    assert not {"load", "load_all", "compose", "safe_load", "full_load", "unsafe_load"} & attributes_of(text)


def attributes_of(source: str) -> set[str]:
    """Return the names of all attributes that a source uses."""
    return {node.attr for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)}


@pytest.mark.parametrize("line", ["import yaml", "from yaml import safe_load", "def f():\n    import pickle"])
def test_control_such_an_import_is_seen(line: str) -> None:
    assert set(modules_imported(line)) & READERS_OF_MORE_THAN_DATA


def test_a_bomb_of_aliases_in_a_bundle_is_a_file_that_no_tool_reads(tmp_path: Path) -> None:
    assert len(ALIAS_BOMB) < 400
    of_a_cluster = "kind: Pod\n" + ALIAS_BOMB
    files = {"bomb.yaml": ALIAS_BOMB, "bomb.json": ALIAS_BOMB, "logs/a.log": "2026-11-30T09:00:00Z x\n"}
    files["pod.yaml"] = of_a_cluster
    problems = {source.name: source.problem for source in opened(write(tmp_path / "b", files)).sources}
    assert problems.pop("logs/a.log") == ""
    assert problems.keys() == {"bomb.yaml", "bomb.json", "pod.yaml"}
    assert all(problems.values())
    assert "alias" in problems["pod.yaml"]
