"""How many tokens a text is, of o200k where a tokenizer of it is installed: `python -m dev.tokens FILE…`."""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from services.common.llm.tokens import estimated

ESTIMATE: Final = "estimated, four bytes each"
O200K: Final = "o200k"
# The first brings its table along, the second fetches it.
_TOKENIZERS: Final = ("bpe_openai", "tiktoken")


def counter() -> tuple[str, Callable[[str], int]]:
    """Return how tokens are counted here, and the function that counts those of a text."""
    found = [name for name in _TOKENIZERS if importlib.util.find_spec(name)]
    if not found:
        return ESTIMATE, lambda text: estimated(len(text.encode("utf-8")))
    encoding = importlib.import_module(found[0]).get_encoding("o200k_base")
    return O200K, lambda text: len(encoding.encode(text, disallowed_special=()))


def main(paths: Sequence[str]) -> int:
    """Print the tokens of each file."""
    how, count = counter()
    for path in paths:
        sys.stdout.write(f"{count(Path(path).read_text(encoding='utf-8')):8} {path} ({how})\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
