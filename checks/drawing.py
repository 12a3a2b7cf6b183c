"""The drawing in ARCHITECTURE.md is the one that the graph draws of itself. `--write` puts it there."""

import subprocess
import sys
from pathlib import Path

PAGE = Path("ARCHITECTURE.md")
START = "<!-- graph: drawn by python -m orchestrator.graph -->"
END = "<!-- graph: end -->"


def with_drawing(page: str, drawing: str) -> str:
    """Return the page with the drawing between its markers; raises ValueError when it has none."""
    before, start, rest = page.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise ValueError(f"{PAGE} has no markers for the drawing")
    return f"{before}{START}\n```mermaid\n{drawing.strip()}\n```\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Compare, or write; returns the exit code."""
    command = [sys.executable, "-m", "orchestrator.graph"]
    drawing = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    page = PAGE.read_text(encoding="utf-8")
    wanted = with_drawing(page, drawing)
    if arguments == ["--write"]:
        PAGE.write_text(wanted, encoding="utf-8")
        return 0
    if wanted != page:
        sys.stdout.write(f"{PAGE}: the drawing is stale (run: python -m checks.drawing --write)\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
