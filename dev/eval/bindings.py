"""Whether every citation of every answer stands in what its tool call recorded.

The outputs are fetched from the store that the runs left, and looked through by the few lines below: nothing
here is code of the Gatekeeper or of the executor.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.client import DiagnosisClient, connected
from orchestrator.cli.evaluation.judging import Ended
from orchestrator.cli.local_stack import stored_runs

_WORDS: Final = {True: "true", False: "false", None: "null"}


async def check_bindings(
    state: Path, ended: Sequence[Ended], environ: Mapping[str, str]
) -> tuple[int, list[str]]:
    """Return how many citations some runs have, and those that are not found: run, call, pointer."""
    runs = [run for run in ended if not isinstance(run, str)]
    count, missing = 0, list[str]()
    async with stored_runs(state, environ) as address, connected(address) as client:
        for run in runs:
            cited = [item.evidence for claim in run.claims for item in claim.evidence]
            outputs = await _outputs(client, run, cited)
            count += len(cited)
            missing += [
                f"{run.run_id} {one.source_invocation_id} {one.raw_path}"
                for one in cited
                if not stands(outputs[one.source_invocation_id], one.raw_path, one.matched_text)
            ]
    return count, missing


def stands(output: bytes, raw_path: str, text: str) -> bool:
    """Tell whether a JSON document holds a text at a pointer; numbers as the document writes them."""
    try:
        value = _follow(json.loads(output, parse_int=str, parse_float=str), raw_path)
    except (ValueError, LookupError, TypeError):
        return False
    if isinstance(value, str):
        return bool(text) and text in value
    return value in _WORDS and text == _WORDS[value] if not isinstance(value, dict | list) else False


def _follow(document: Any, raw_path: str) -> Any:  # noqa: ANN401 - any JSON value
    for part in raw_path.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        document = document[int(key)] if isinstance(document, list) else document[key]
    return document


async def _outputs(
    client: DiagnosisClient, run: run_pb2.Run, cited: Sequence[evidence_pb2.VerifiedEvidence]
) -> dict[str, bytes]:
    """Return the recorded outputs that are cited; one that is not what its digest says counts as empty."""
    outputs = {}
    for invocation_id in {item.source_invocation_id for item in cited}:
        found = await client.invocation(run.run_id, invocation_id)
        is_whole = hashlib.sha256(found.output).hexdigest() == found.output_sha256
        outputs[invocation_id] = found.output if is_whole else b""
    return outputs
