"""Bundles without the evidence that a proven cause rests on: nobody may be proven by what is left."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeGuard

from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1 import run_pb2

from dev.eval.handed import HandedCase
from dev.eval.variants import texts
from orchestrator.cli.evaluation.judging import Ended, Judged

# A shorter text stands in lines that have nothing to do with it.
_TELLING: Final = 12
_NUMBERS: Final = re.compile(r"\d+")


def without_evidence(case: HandedCase, run: run_pb2.Run, source: Path, root: Path) -> HandedCase:
    """Copy a bundle without what its cause claims cite, wherever else the bundle says it, too.

    Lines go: those that are cited, and those of any file that say the same but for numbers. A table or an
    answer of metrics goes as a whole; a file of changes or alerts stays as an empty list. A name is no
    evidence and stays.
    """
    name = f"removed/{case.name}/bundle"
    target = root / name
    shutil.copytree(source / case.bundle, target, copy_function=shutil.copyfile)
    for item in _decisive(run):
        for place in item.places:
            _remove_place(target / place.source, item, place)
        if len(item.matched_text) >= _TELLING:
            _remove_alike(target, item.matched_text)
    return replace(case, bundle=name)


def is_proven(ended: Ended) -> TypeGuard[run_pb2.Run]:
    """Tell whether a run names a cause that is proven."""
    return not isinstance(ended, str) and _has_proof(ended)


def weakened(case: HandedCase, before: run_pb2.Run, after: Ended) -> Judged:
    """Judge the answer without the evidence: the suspect of before is not proven any more."""
    suspect = before.suspects[0].component
    kept = is_proven(after) and after.suspects[0].component == suspect
    problems = [after] if isinstance(after, str) else [f"still proves {suspect}"] if kept else []
    return Judged(case.name, "statement", None, is_proven(after), problems)


def _has_proof(run: run_pb2.Run) -> bool:
    return run.effective_verdict == evidence_pb2.VERDICT_PASS and bool(run.suspects)


def _decisive(run: run_pb2.Run) -> Iterator[evidence_pb2.VerifiedEvidence]:
    """Yield what the cause claims cite beside the names that they are about."""
    for each in run.claims:
        if each.claim.claim_type == evidence_pb2.CLAIM_TYPE_CAUSE:
            named = each.claim.component
            for item in each.evidence:
                if item.evidence.matched_text.rpartition("/")[2] != named:
                    yield item.evidence


def _remove_place(path: Path, item: evidence_pb2.VerifiedEvidence, place: evidence_pb2.Place) -> None:
    if not path.is_file():
        return
    if item.tool_name.startswith("metrics_"):
        path.unlink()
    elif path.suffix == ".json":
        path.write_text("[]", encoding="utf-8")
    else:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        # A blank line instead keeps the numbers of the others, which later items cite.
        lines[place.first_line - 1 : place.last_line] = ["\n"] * (place.last_line - place.first_line + 1)
        path.write_text("".join(lines), encoding="utf-8")


def _remove_alike(bundle: Path, text: str) -> None:
    wanted = _NUMBERS.sub("0", text)
    for path, content in list(texts(bundle)):
        if path.suffix in (".json", ".csv") or path.name == "question.txt":
            continue
        lines = content.splitlines(keepends=True)
        left = ["\n" if wanted in _NUMBERS.sub("0", line) else line for line in lines]
        if left != lines:
            path.write_text("".join(left), encoding="utf-8")
