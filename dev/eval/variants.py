"""Bundles changed so that the answer must follow, or stay: renamed, shifted, reordered, with much noise.

Each change works on files as text or as JSON, and on the question; the seeds are fixed.
"""

import json
import random
import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

from dev.eval.noise import with_noise
from orchestrator.cli.evaluation.cases import Case

_SHIFT: Final = timedelta(days=8)
_DATES: Final = (
    (re.compile(r"(?<![\d-])\d{4}-\d\d-\d\d(?![\d-])"), "%Y-%m-%d"),
    (re.compile(r"\b\d\d/[A-Z][a-z]{2}/\d{4}(?=:\d\d:)"), "%d/%b/%Y"),
    (re.compile(r"\b\d{4}/\d\d/\d\d(?= \d\d:)"), "%Y/%m/%d"),
    (re.compile(r"\b\d\d [A-Z][a-z]{2} \d{4}(?= \d\d:)"), "%d %b %Y"),
)
_EPOCH = re.compile(r"(?<![\d.])1[4-9]\d{8}(?=[.,\]\s])")
_SECOND = re.compile(r"\d\d:\d\d:\d\d")
_KEY = re.compile(r"\b[a-z]+(?:[._][a-z]+)+\b")
_SYLLABLES: Final = ("ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu")


@dataclass(frozen=True)
class Variant:
    """A kind of change; it changes a copied bundle in place and returns the case that belongs to it."""

    name: str
    change: Callable[[Path, Case], Case]


def made(variant: Variant, case: Case, source: Path, root: Path) -> Case:
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


def renamed(bundle: Path, case: Case) -> Case:
    """Give components, metrics and the keys of changes other names, in files, file names and the question."""
    names = _new_names(bundle)
    if not names:
        return case
    pattern = re.compile(
        r"(?<![A-Za-z0-9_])(?:"
        + "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        + r")(?![A-Za-z0-9])"
    )

    def new(text: str) -> str:
        return pattern.sub(lambda found: names[found.group()], text)

    for path, text in list(texts(bundle)):
        path.write_text(new(text), encoding="utf-8")
    for path in sorted(bundle.rglob("*"), key=lambda each: -len(each.parts)):
        if new(path.name) != path.name:
            path.rename(path.with_name(new(path.name)))
    suspects = case.expected.suspects
    expected = case.expected.model_copy(
        update={"suspects": None if suspects is None else [names.get(name, name) for name in suspects]}
    )
    return replace(case, question=new(case.question), expected=expected)


def shifted(bundle: Path, case: Case) -> Case:
    """Move everything by eight days."""
    for path, text in list(texts(bundle)):
        path.write_text(_later(text), encoding="utf-8")
    return replace(case, question=_later(case.question))


def reordered(bundle: Path, case: Case) -> Case:
    """Shuffle the records of each log that bear the same second."""
    generator = random.Random(7)  # noqa: S311 - repeatable, not a secret
    for path, text in list(texts(bundle)):
        if path.suffix == ".log":
            path.write_text("".join(_shuffled(text, generator)), encoding="utf-8")
    return case


def noisy(bundle: Path, case: Case) -> Case:
    """Add ten times as much that has nothing to do with it."""
    for path, text in list(texts(bundle)):
        path.write_text(with_noise(path, text), encoding="utf-8")
    return case


VARIANTS: Final = (
    Variant("renamed", renamed),
    Variant("shifted", shifted),
    Variant("reordered", reordered),
    Variant("noisy", noisy),
)


def _new_names(bundle: Path) -> Mapping[str, str]:
    """Return new names for what a topology names, for dotted and underscored keys of changes, for metrics.

    A component that is called as the product that it is keeps its name: it says what it is. A metric keeps
    the words that say what it measures, behind a new first word.
    """
    topology = _json(bundle / "topology.json")
    services = topology.get("services", []) if isinstance(topology, dict) else []
    old = [
        service["name"]
        for service in services
        if service["name"].lower() not in str(service.get("kind", "")).lower()
    ]
    events = json.dumps(_json(bundle / "events.json"))
    keys = {key for key in _KEY.findall(events) if "." in key or "_" in key}
    made_names = {name: _word(index) for index, name in enumerate(dict.fromkeys([*old, *sorted(keys)]))}
    return {**{metric: f"zz_{metric}" for metric in _metrics(bundle)}, **made_names}


def _metrics(bundle: Path) -> set[str]:
    heads = [path.read_text(encoding="utf-8").partition("\n")[0] for path in bundle.glob("metrics/*.csv")]
    return {name for head in heads for name in re.findall(r'"([a-z_]+)\{', head)}


def _word(index: int) -> str:
    digits = [index // 100 % 10, index // 10 % 10, index % 10]
    return "qu" + "".join(_SYLLABLES[digit] for digit in digits)


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


def _json(path: Path) -> Any:  # noqa: ANN401 - any JSON value
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
