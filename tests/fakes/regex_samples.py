"""Random texts that a regular expression matches: the corpus of gitleaks holds rules and no samples."""

import random
import string
from typing import Final

_DIGITS: Final = string.digits
_WORD: Final = string.ascii_letters + string.digits + "_"
_ANY: Final = string.ascii_letters + string.digits + string.punctuation + " "
_CLASSES: Final = {"d": _DIGITS, "w": _WORD, "s": " \t", "S": _ANY.replace(" ", ""), "W": "-. ", "D": "ab"}
_CONTROLS: Final = {"n": "\n", "r": "\r", "t": "\t"}
# How many repetitions beyond the least are tried.
_MORE: Final = 8


class Sampler:
    """Reads a pattern once for each text that it makes. For the patterns of a known list, not for all."""

    def __init__(self, pattern: str, choice: random.Random) -> None:
        self._pattern = pattern
        self._choice = choice
        self._at = 0

    def sample(self) -> str:
        """Return a text that the pattern probably matches; the caller checks."""
        self._at = 0
        return self._alternatives()

    def _alternatives(self) -> str:
        """Read up to the end of a group; every alternative is made, and one is taken."""
        made = [self._sequence()]
        while self._peek() == "|":
            self._next()
            made.append(self._sequence())
        return self._choice.choice(made)

    def _sequence(self) -> str:
        parts = []
        while self._peek() not in ("", "|", ")"):
            start = self._at
            part = self._atom()
            least, most = self._repeats()
            after = self._at
            times = self._choice.randint(least, min(most, least + _MORE))
            made = [part] if times else []
            for _ in range(times - 1):
                # Read again, so that each repetition is another text.
                self._at = start
                made.append(self._atom())
            self._at = after
            parts += made
        return "".join(parts)

    def _atom(self) -> str:
        char = self._next()
        if char == "(":
            return self._group()
        if char == "[":
            return self._choice.choice(self._members())
        if char == "\\":
            return self._choice.choice(self._escaped() or [""])
        if char in "^$":
            return ""
        if char == ".":
            # In these patterns a single one is mostly the dot of a name that nobody escaped.
            return self._choice.choice(_ANY) if self._peek() in set("*+?{") else "."
        return char

    def _group(self) -> str:
        if self._peek() == "?":
            self._next()
            if self._peek() == "P":
                self._at = self._pattern.index(">", self._at) + 1
            else:
                # Flags: those of the corpus only widen what matches.
                while self._next() not in ":)":
                    pass
                if self._pattern[self._at - 1] == ")":
                    return ""
        made = self._alternatives()
        self._next()
        return made

    def _members(self) -> str:
        negated = self._peek() == "^"
        if negated:
            self._next()
        members: list[str] = []
        while self._peek() != "]" or not members:
            if self._pattern.startswith("[:alnum:]", self._at):
                self._at += len("[:alnum:]")
                members += string.ascii_letters + string.digits
                continue
            char = self._next()
            found = self._escaped() if char == "\\" else [char]
            if self._peek() == "-" and self._pattern[self._at + 1] != "]" and len(found) == 1:
                self._next()
                last = self._next()
                found = [chr(code) for code in range(ord(found[0]), ord(last) + 1)]
            members += found
        self._next()
        return "".join(sorted(set(_ANY) - set(members))) if negated else "".join(members)

    def _escaped(self) -> list[str]:
        """Read what follows a backslash: the characters that it stands for, none for a boundary."""
        char = self._next()
        if char in "bBzA":
            return []
        if char == "x":
            self._at += 2
            return [chr(int(self._pattern[self._at - 2 : self._at], 16))]
        return list(_CLASSES.get(char) or _CONTROLS.get(char) or char)

    def _repeats(self) -> tuple[int, int]:
        char = self._peek()
        found = {"?": (0, 1), "*": (0, _MORE), "+": (1, _MORE)}.get(char)
        if found:
            self._next()
        elif char == "{" and self._pattern[self._at + 1].isdigit():
            end = self._pattern.index("}", self._at)
            least, comma, most = self._pattern[self._at + 1 : end].partition(",")
            self._at = end + 1
            found = int(least), int(most or (int(least) + _MORE if comma else least))
        else:
            return 1, 1
        if self._peek() == "?":
            self._next()
        return found

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _next(self) -> str:
        self._at += 1
        return self._pattern[self._at - 1 : self._at]
