"""No module has more than 500 lines, no function of the program more than 40: each has one reason to change.

Of tests, which list what they expect, only the modules are measured.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_LINES = 500
MAX_FUNCTION_LINES = 40
_PROGRAM = ("services", "orchestrator", "checks", "dev")


def too_long(root: Path) -> Iterator[str]:
    """Yield one line per module and per function that is too long."""
    for folder in (*_PROGRAM, "tests"):
        for path in sorted((root / folder).rglob("*.py")):
            text, name = path.read_text(encoding="utf-8"), path.relative_to(root)
            lines = len(text.splitlines())
            if lines > MAX_LINES:
                yield f"{name}: {lines} lines, at most {MAX_LINES} are allowed"
            if folder in _PROGRAM:
                yield from (f"{name}:{problem}" for problem in _long_functions(text))


def _long_functions(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if lines > MAX_FUNCTION_LINES:
            yield f"{node.lineno}: {node.name} has {lines} lines, at most {MAX_FUNCTION_LINES} are allowed"


if __name__ == "__main__":
    problems = list(too_long(Path.cwd()))
    sys.stdout.writelines(f"{problem}\n" for problem in problems)
    raise SystemExit(1 if problems else 0)
