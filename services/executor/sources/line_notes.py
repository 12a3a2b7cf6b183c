"""What a reading of a log found out about its lines, kept for the next reading: one text for a line."""

from array import array
from typing import Final

# Beyond these nothing is noted, so that memory stays bounded: 32 MiB for the lines, 2 MiB for the texts.
_MAX_LINES: Final = 1 << 24
_MAX_TEXTS: Final = 4096


class LineNotes:
    """Texts by line number, of which few differ."""

    def __init__(self) -> None:
        self._texts = [""]
        self._numbers: dict[str, int] = {}
        self._of_line = array("H")

    def clear(self) -> None:
        """Forget everything: the log is another one."""
        del self._texts[1:]
        self._numbers.clear()
        del self._of_line[:]

    def get(self, line: int) -> str:
        """Return the text of a line; empty when none was noted."""
        return self._texts[self._of_line[line]] if line < len(self._of_line) else ""

    def put(self, line: int, text: str) -> None:
        """Note the text of a line."""
        number = self._numbers.get(text)
        if line > _MAX_LINES or (number is None and len(self._texts) > _MAX_TEXTS):
            return
        if number is None:
            number = self._numbers[text] = len(self._texts)
            self._texts.append(text)
        while len(self._of_line) <= line:
            self._of_line.append(0)
        self._of_line[line] = number
