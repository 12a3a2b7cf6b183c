"""No module has more than 500 lines: a longer one has more than one reason to change."""

import sys
from collections.abc import Iterator
from pathlib import Path

MAX_LINES = 500
_FOLDERS = ("services", "orchestrator", "checks", "dev", "tests")


def too_long(root: Path) -> Iterator[str]:
    """Yield one line per module that is too long."""
    for folder in _FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if lines > MAX_LINES:
                yield f"{path.relative_to(root)}: {lines} lines, at most {MAX_LINES} are allowed"


if __name__ == "__main__":
    problems = list(too_long(Path.cwd()))
    sys.stdout.writelines(f"{problem}\n" for problem in problems)
    raise SystemExit(1 if problems else 0)
