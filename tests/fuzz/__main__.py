"""`python -m tests.fuzz`: a campaign of FUZZ_SECONDS, 600 when it is not said; exit code 1 after a crash."""

import os
import resource
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.fuzz import growth, naughty, readers, report, shown, surface, texts
from tests.fuzz.calls import Calls
from tests.fuzz.campaign import campaign

_SECONDS: Final = "FUZZ_SECONDS"
# Public test data, which is not part of the project; without it one target is left out.
_DATA: Final = "TEST_DATA"
_MAX_BYTES: Final = 4 << 30


def main() -> int:
    """Run a campaign and print what it found."""
    seconds = float(os.environ.get(_SECONDS, "600"))
    # What needs more ends with a MemoryError, which is a crash like any other.
    resource.setrlimit(resource.RLIMIT_DATA, (_MAX_BYTES, _MAX_BYTES))
    with tempfile.TemporaryDirectory() as folder, Calls(Path(folder)) as calls:
        parts = [*texts.targets(), *readers.targets(), *surface.targets(), *shown.targets()]
        targets = [*parts, *calls.targets()]
        if data := os.environ.get(_DATA):
            targets.append(naughty.target(calls, naughty.strings_of(Path(data))))
        tallies = campaign(targets, seconds)
        calls.check_serving()
    grown = list(growth.too_much())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    lines = [report.table(tallies), *grown, f"peak memory {peak} MiB", *report.crashes(tallies)]
    sys.stdout.write("\n".join(lines) + "\n")
    return int(bool(grown) or any(tally.crashes for tally in tallies))


if __name__ == "__main__":
    raise SystemExit(main())
