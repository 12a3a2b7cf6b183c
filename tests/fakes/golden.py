"""Texts as they must be, character by character, in `tests/golden`."""

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "golden"


def golden(name: str) -> str:
    """Return one text without the end of its last line."""
    return (FOLDER / name).read_text(encoding="utf-8").removesuffix("\n")
