"""The folder below which bundles are found: can it be looked into?"""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path


async def problems_of(root: Path) -> Sequence[str]:
    """Tell why bundles cannot be found below the root; nothing when they can."""
    try:
        await asyncio.to_thread(_look, root)
    except OSError as error:
        return [f"the folder of bundles {root} cannot be read: {error.strerror}"]
    return []


def _look(root: Path) -> None:
    with os.scandir(root) as entries:
        next(entries, None)
