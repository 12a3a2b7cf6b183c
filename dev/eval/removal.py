"""Bundles without the evidence that a proven cause rests on: nobody may be proven by what is left."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TypeGuard

from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.evaluation.cases import Case
from orchestrator.cli.evaluation.judging import Ended, Judged


def without_evidence(case: Case, run: run_pb2.Run, source: Path, root: Path) -> Case:
    """Copy a bundle without what its cause claims cite: log lines, change events, whole series' files."""
    name = f"removed/{case.name}/bundle"
    target = root / name
    shutil.copytree(source / case.bundle, target, copy_function=shutil.copyfile)
    for claim in run.claims:
        if claim.claim.claim_type == evidence_pb2.CLAIM_TYPE_CAUSE:
            for item in claim.evidence:
                _remove(target, item.evidence)
    return replace(case, bundle=name)


def is_proven(ended: Ended) -> TypeGuard[run_pb2.Run]:
    """Tell whether a run names a cause that is proven."""
    return not isinstance(ended, str) and _has_proof(ended)


def _has_proof(run: run_pb2.Run) -> bool:
    return run.effective_verdict == evidence_pb2.VERDICT_PASS and bool(run.suspects)


def weakened(case: Case, before: run_pb2.Run, after: Ended) -> Judged:
    """Judge the answer without the evidence: the suspect of before is not proven any more."""
    suspect = before.suspects[0].component
    kept = is_proven(after) and after.suspects[0].component == suspect
    problems = [after] if isinstance(after, str) else [f"still proves {suspect}"] if kept else []
    return Judged(case.name, "statement", None, is_proven(after), problems)


def _remove(bundle: Path, item: evidence_pb2.VerifiedEvidence) -> None:
    for place in item.places:
        path = bundle / place.source
        if not path.is_file():
            continue
        if item.tool_name.startswith("metrics_"):
            path.unlink()
        elif path.suffix == ".json":
            path.write_text("[]", encoding="utf-8")
        else:
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
            path.write_text(
                "".join(line for line in lines if item.matched_text not in line), encoding="utf-8"
            )
