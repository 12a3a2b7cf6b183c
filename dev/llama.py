"""A llama.cpp server of its own process: `python dev/llama.py GGUF ALIAS`, by a Python that has xllamacpp.

It takes a key as the first line of standard input, serves the OpenAI protocol on a free port of loopback,
prints its address as one JSON line, and ends when standard input does. It imports nothing of the project,
whose packages that Python does not have.
"""

import json
import sys
from typing import Final

import xllamacpp

CONTEXT_TOKENS: Final = 8192
# Several wait for each other by spinning, which on a busy machine costs more than they gain.
THREADS: Final = 1
# How much less likely a token is that was among so many before: so small a model repeats itself without end,
# and a list in its answer never closes.
REPETITION: Final = (1.3, 512)


def main() -> int:
    """Serve until standard input ends."""
    model, alias = sys.argv[1:]
    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.model_alias = {alias}
    parameters.api_keys = [sys.stdin.readline().strip()]
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = THREADS
    parameters.cpuparams_batch.n_threads = THREADS
    parameters.sampling.penalty_repeat, parameters.sampling.penalty_last_n = REPETITION
    parameters.ui = False
    server = xllamacpp.Server(parameters)
    sys.stdout.write(json.dumps({"address": server.listening_address}) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
