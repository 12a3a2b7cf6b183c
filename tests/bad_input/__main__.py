"""Prints the table: every bad input is tried, and what was seen is shown. `make bad-input`."""

import asyncio
import sys
import tempfile
from pathlib import Path

from services.common.rpc import logs
from tests.bad_input.rows import ROWS, place_of, shared_stack
from tests.bad_input.table import CannotHappenError, Result, lines, result_of


async def results() -> list[Result | str]:
    """Try every row."""
    found: list[Result | str] = []
    with tempfile.TemporaryDirectory() as name:
        async with shared_stack(Path(name)) as shared:
            for row in ROWS:
                with place_of(shared) as place:
                    try:
                        found.append(await result_of(row, place))
                    except CannotHappenError as error:
                        found.append(f"{row.bad}: not tried, {error}")
    return found


def main() -> int:
    """Print the table, then what is not as it should be; returns the exit code."""
    # Some rows serve in this process: what that logs is not the table.
    logs.configure("bad-input", "error")
    found = asyncio.run(results())
    sys.stdout.write("\n".join(lines(found)) + "\n")
    wrong = [
        (result.row.bad, fault) for result in found if isinstance(result, Result) for fault in result.faults()
    ]
    for bad, fault in wrong:
        sys.stderr.write(f"{bad}: {fault}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
