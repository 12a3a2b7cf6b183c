"""The page of faults is the one that their tables give. `--write` writes it."""

import sys
from pathlib import Path

from services.common.evidence.faults import FAULTS
from services.common.evidence.kubernetes_faults import KUBERNETES_FAULTS

PAGE = Path("docs/faults.md")
_HEAD = """\
# Faults

Each suspect of an answer names a fault from this list. Identifiers are only ever added. The list is the
tables of `services/common/evidence/faults.py` and `kubernetes_faults.py`; this page is printed from them.
"""
_OF_CLUSTERS = """
## Of clusters

Those that explain most come first; of several, the first is claimed first.
"""


def page() -> str:
    """Return the page as the tables give it."""
    general = [(fault, meaning) for fault, meaning in FAULTS.items() if fault not in KUBERNETES_FAULTS]
    lines = [
        _HEAD,
        "| fault | meaning |\n|---|---|",
        *(f"| `{fault}` | {meaning} |" for fault, meaning in general),
        _OF_CLUSTERS,
        "| fault | meaning | next check |\n|---|---|---|",
        *(
            f"| `{fault}` | {known.meaning} | {known.next_check} |"
            for fault, known in KUBERNETES_FAULTS.items()
        ),
    ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Compare, or write; returns the exit code."""
    if arguments == ["--write"]:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") != page():
        sys.stdout.write(f"{PAGE}: the list is stale (run: python -m checks.faults --write)\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
