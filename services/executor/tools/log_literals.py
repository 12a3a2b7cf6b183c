"""What the records of one shape have literally in common."""

import re
from typing import Final

from services.executor.sources.log_line import LogLine
from services.executor.tools.log_masks import pieces_of

MAX_LENGTH: Final = 160
# Shorter pieces say nothing.
_MIN_LETTERS: Final = 4
# A record's own message says more than the longest piece of what it adds, unless it is this short.
_OWN_LETTERS: Final = 8
_LETTERS: Final = re.compile(r"[A-Za-z]")
# A name that waits for its value says nothing at the end of a piece.
_DANGLING: Final = re.compile(r"(?:,\s*[\w.-]+:|[\s,;]*\b[\w.-]+=)\s*$")
_NAMES_IN_BRACKETS: Final = re.compile(r"^\W*(?:\[[^\]]*\]\W*)*")
_ENDS: Final = " \t,;:=([{<>'"


def common_text(line: LogLine, shape: str) -> str:
    """Return the most telling piece of a shape that stands in a line; empty when there is none.

    Quotation marks and values end a piece, so that it can be quoted and holds no request's own data.
    """
    found = (piece for part in pieces_of(shape) for piece in re.split(r'\\?"', part))
    pieces = [_standing(_trimmed(piece, line.parsed.level), line.text) for piece in found]
    if line.parsed.structured and pieces and _weight(pieces[0]) >= _OWN_LETTERS:
        return pieces[0]
    best = max(pieces, key=_weight, default="")
    return best if _weight(best) >= _MIN_LETTERS else ""


def _standing(piece: str, text: str) -> str:
    """Return as many first words of a piece as stand in a text: a message may be joined of two fields."""
    while piece and piece not in text:
        piece = piece.rpartition(" ")[0].rstrip(_ENDS)
    return piece


def _trimmed(piece: str, level: str) -> str:
    """Return a piece without its level (kept where it leads as "LEVEL: "), logger and dangling ends."""
    led = re.search(rf"(?<!\w){re.escape(level)}(?!\w)", piece) if level else None
    if led is not None:
        rest = piece[led.end() :]
        piece = piece[led.start() :] if rest.startswith(":") else _NAMES_IN_BRACKETS.sub("", rest)
    piece = _DANGLING.sub("", piece.strip()).strip(_ENDS)
    return piece if len(piece) <= MAX_LENGTH else piece[:MAX_LENGTH].rpartition(" ")[0].rstrip(_ENDS)


def _weight(piece: str) -> int:
    return len(_LETTERS.findall(piece))
