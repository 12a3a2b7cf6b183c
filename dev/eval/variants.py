"""Bundles changed so that the answer must follow, or stay: renamed, shifted, reordered, with much noise.

Each change works on files as text or as JSON, and on the question; the seeds are fixed.
"""

import random
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from dev.eval.handed import HandedCase
from dev.eval.names import renaming
from dev.eval.noise import idle_pods, with_noise

_SHIFT: Final = timedelta(days=8)
_DATES: Final = (
    (re.compile(r"(?<![\d-])\d{4}-\d\d-\d\d(?![\d-])"), "%Y-%m-%d"),
    (re.compile(r"\b\d\d/[A-Z][a-z]{2}/\d{4}(?=:\d\d:)"), "%d/%b/%Y"),
    (re.compile(r"\b\d{4}/\d\d/\d\d(?= \d\d:)"), "%Y/%m/%d"),
    (re.compile(r"\b\d\d [A-Z][a-z]{2} \d{4}(?= \d\d:)"), "%d %b %Y"),
)
_EPOCH = re.compile(r"(?<![\d.])1[4-9]\d{8}(?=[.,\]\s])")
_SECOND = re.compile(r"\d\d:\d\d:\d\d")


@dataclass(frozen=True)
class Variant:
    """A kind of change; it changes a copied bundle in place and returns the case that belongs to it."""

    name: str
    change: Callable[[Path, HandedCase], HandedCase]


def made(variant: Variant, case: HandedCase, source: Path, root: Path) -> HandedCase:
    """Copy a case's bundle below `root`, change it, and return the changed case."""
    name = f"{variant.name}/{case.name}/bundle"
    target = root / name
    shutil.copytree(source / case.bundle, target, copy_function=shutil.copyfile)
    return replace(variant.change(target, case), bundle=name)


def texts(bundle: Path) -> Iterable[tuple[Path, str]]:
    """Return every file of a bundle that is text."""
    for path in sorted(each for each in bundle.rglob("*") if each.is_file()):
        try:
            yield path, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def renamed(bundle: Path, case: HandedCase) -> HandedCase:
    """Give everything that is named another name: in files, file names, the question and what is expected."""
    found = list(texts(bundle))
    new = renaming(bundle, [text for _, text in found])
    for path, text in found:
        path.write_text(new(text), encoding="utf-8")
    for path in sorted(bundle.rglob("*"), key=lambda each: -len(each.parts)):
        if new(path.name) != path.name:
            path.rename(path.with_name(new(path.name)))
    return case.under(new)


def shifted(bundle: Path, case: HandedCase) -> HandedCase:
    """Move everything by eight days."""
    for path, text in list(texts(bundle)):
        path.write_text(_later(text), encoding="utf-8")
    return replace(case, question=_later(case.question))


def reordered(bundle: Path, case: HandedCase) -> HandedCase:
    """Shuffle the records of each log that bear the same second."""
    generator = random.Random(7)  # noqa: S311 - repeatable, not a secret
    for path, text in list(texts(bundle)):
        if path.suffix == ".log":
            path.write_text("".join(_shuffled(text, generator)), encoding="utf-8")
    return case


def noisy(bundle: Path, case: HandedCase) -> HandedCase:
    """Add ten times as much that has nothing to do with it."""
    found = list(texts(bundle))
    for path, text in found:
        path.write_text(with_noise(path, text), encoding="utf-8")
    if pods := idle_pods(text for _, text in found):
        (bundle / "idle-pods.txt").write_text(pods, encoding="utf-8")
    return case


VARIANTS: Final = (
    Variant("renamed", renamed),
    Variant("shifted", shifted),
    Variant("reordered", reordered),
    Variant("noisy", noisy),
)


def _later(text: str) -> str:
    for pattern, form in _DATES:
        text = pattern.sub(partial(_moved, form), text)
    return _EPOCH.sub(lambda found: str(int(found.group()) + int(_SHIFT.total_seconds())), text)


def _moved(form: str, found: re.Match[str]) -> str:
    try:
        return (datetime.strptime(found.group(), form) + _SHIFT).strftime(form)  # noqa: DTZ007 - a date, no instant
    except ValueError:
        return found.group()


def _shuffled(text: str, generator: random.Random) -> Iterable[str]:
    second, records = "", list[str]()
    for line in text.splitlines(keepends=True):
        found = _SECOND.search(line[:48])
        if found is None and records:
            records[-1] += line
            continue
        if found is None or found.group() != second:
            generator.shuffle(records)
            yield from records
            second, records = found.group() if found else "", []
        records.append(line)
    generator.shuffle(records)
    yield from records
