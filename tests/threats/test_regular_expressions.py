"""Threat: regular expressions from outside.

`(a+)+$` and friends. Must happen: no event-loop stall over 100 ms.

No text from outside becomes a pattern: what a caller, a plan or a source names is looked for literally. That
the project's own patterns grow no faster than what they read is measured by `make fuzz`
(`tests/fuzz/growth.py`), for a test that runs beside others measures no time.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from assay.common.v1 import evidence_pb2

from services.common.evidence import templates
from services.common.evidence.template_slots import Material
from services.common.evidence.template_table import TEMPLATES
from services.executor.sources.log_line import LogLine
from services.executor.tools import raw
from services.executor.tools.arguments import LogSearch
from services.executor.tools.registry import tools
from tests.fakes.bundles import Tree, a_stop, opened, write

EVIL: Final = "(a+)+$"
MATCHED: Final = "a" * 26
CALLS: Final = {"compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
# Made of a template's own text and of slots, each escaped: see below.
ESCAPED_THROUGHOUT: Final = {"services/common/evidence/templates.py:is_instance"}


def patterns_from_outside(source: str) -> Iterator[str]:
    """Yield the functions that make a pattern of more than their own text, constants and escaped text.

    What a module does when it is loaded cannot know anything from outside.
    """
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and _name(node.func) in CALLS and not _is_own(node.args[0]):
                    yield function.name


def _name(called: ast.expr) -> str:
    """Return what is called of the module `re`; empty for anything else, compiled patterns included."""
    match called:
        case ast.Attribute(value=ast.Name(id="re"), attr=name):
            return name
        case _:
            return ""


def _is_own(pattern: ast.expr) -> bool:
    match pattern:
        case ast.Constant():
            return True
        case ast.Name():
            return pattern.id.isupper()
        case ast.Call(func=ast.Attribute(attr="escape")):
            return True
        case ast.FormattedValue():
            return _is_own(pattern.value)
        case ast.JoinedStr():
            return all(map(_is_own, pattern.values))
        case _:
            return False


def test_no_pattern_is_made_of_what_comes_from_outside(project: Path) -> None:
    files = [*(project / "services").rglob("*.py"), *(project / "orchestrator").rglob("*.py")]
    found = {
        f"{file.relative_to(project)}:{name}"
        for file in files
        for name in patterns_from_outside(file.read_text(encoding="utf-8"))
    }
    assert len(files) > 200
    assert found == ESCAPED_THROUGHOUT


@pytest.mark.parametrize(
    "call",
    [
        "re.compile(text)",
        're.search(rf"a{text}", b)',
        "re.sub(text.strip(), b, c)",
        're.match("a" + text, b)',
    ],
)
def test_control_a_pattern_from_outside_is_seen(call: str) -> None:
    assert list(patterns_from_outside(f"def evil(text, b, c):\n    return {call}\n")) == ["evil"]


def test_escaped_text_is_no_pattern_from_outside() -> None:
    assert not list(patterns_from_outside('def good(text):\n    re.search(rf"a{re.escape(text)}", A)\n'))


def lines_found(folder: Path) -> list[str]:
    """Search a log for a text that would be an evil pattern; return the lines that hold it."""
    log = f"2026-11-30T09:00:00Z INFO {MATCHED}\n2026-11-30T09:00:01Z INFO {EVIL}\n"
    bundle = opened(write(folder / "b", {"logs/a.log": log}))
    tool = tools(1 << 20, 30)["logs_search"]
    arguments = LogSearch(source="logs/a.log", contains=[EVIL])
    found: Tree = tool.run(bundle, arguments, a_stop()).document
    return [line["text"].rpartition(" ")[2] for line in found["lines"]]


def test_what_a_plan_searches_for_is_literal(tmp_path: Path) -> None:
    assert lines_found(tmp_path) == [EVIL]


def test_control_as_a_pattern_it_would_find_another_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def holds(record: list[LogLine], literals: list[str]) -> bool:
        return any(re.search(literal, line.text) for line in record for literal in literals)

    monkeypatch.setattr(raw, "_holds", holds)
    assert lines_found(tmp_path) == [MATCHED]


def gap_sentence() -> tuple[str, Material]:
    """Return the fixed sentence on a source that is called like an evil pattern, and what it is made from."""
    gap = evidence_pb2.EvidenceGap(gap_id="g", source=evidence_pb2.SourceGap(source=EVIL))
    (sentence,) = templates.gap_sentences([gap])
    return sentence.text, Material(gaps=[gap])


def test_a_name_in_a_fixed_sentence_is_compared_literally() -> None:
    text, material = gap_sentence()
    template = TEMPLATES["gap.source_unexplained"]
    assert EVIL in text
    assert templates.is_instance(template, text, material)
    assert not templates.is_instance(template, text.replace(EVIL, MATCHED), material)


def test_control_unescaped_the_name_would_be_a_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    text, material = gap_sentence()
    # Without the end of the line, which would keep it from matching in the middle.
    monkeypatch.setattr(
        re, "escape", lambda literal: literal.removesuffix("$") if EVIL in literal else literal
    )
    template = TEMPLATES["gap.source_unexplained"]
    assert templates.is_instance(template, text.replace(EVIL, MATCHED), material)
