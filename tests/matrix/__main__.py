"""Prints who may call what, as servers decide: `python -m tests.matrix`. Exit code 1 for a wrong decision."""

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.fakes.certificates import Trust
from tests.fuzz.servers import servers
from tests.matrix.decisions import as_table, made


async def _main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        trust = Trust(Path(folder) / "certificates")
        async with servers(Path(folder), trust.settings) as running:
            calls = await made(running, trust)
    sys.stdout.write(as_table(calls))
    return 1 if any(call.is_wrong for call in calls) else 0


if __name__ == "__main__":
    raise SystemExit(asyncio.run(_main()))
