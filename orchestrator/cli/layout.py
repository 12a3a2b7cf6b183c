"""Plain text in a given width: headings, wrapped paragraphs, hanging bullets."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from services.common.visible import visible

_MIN_WIDTH = 40
_MAX_WIDTH = 100
_BOLD = "\x1b[1m{}\x1b[0m"


@dataclass(frozen=True)
class Layout:
    """How wide a line may be, and whether headings are bold. Everything that is laid out is made visible."""

    width: int = 80
    bold: bool = False

    def heading(self, text: str) -> str:
        """Return a heading."""
        shown = visible(text)
        return _BOLD.format(shown) if self.bold else shown

    def paragraph(self, text: str, indent: int = 0) -> list[str]:
        """Return wrapped text, every line indented."""
        return self.hanging(" " * indent, text)

    def hanging(self, lead: str, text: str) -> list[str]:
        """Return wrapped text after a lead such as "  - "; further lines stand under the text."""
        return textwrap.wrap(
            visible(text),
            width=self.width,
            initial_indent=lead,
            subsequent_indent=" " * len(lead),
            break_on_hyphens=False,
        ) or [lead.rstrip()]

    def command(self, text: str) -> str:
        """Return something to copy: a line of its own that is never broken, however long it is."""
        return f"  {visible(text)}"

    def section(self, title: str, lines: Sequence[str]) -> list[str]:
        """Return a blank line, a heading and its lines; nothing when there are no lines."""
        return ["", self.heading(title), *lines] if lines else []


def layout_for(stream: TextIO, columns: int, environ: Mapping[str, str]) -> Layout:
    """Return the layout for a stream: a terminal's own width within reason, 80 columns anywhere else."""
    if not stream.isatty():
        return Layout()
    bold = not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    return Layout(width=max(_MIN_WIDTH, min(columns, _MAX_WIDTH)), bold=bold)
