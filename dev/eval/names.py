"""New names for what a bundle names: its components, its metrics, keys of changes, objects of a cluster.

A component that is called as the product that it is keeps its name: it says what it is. A metric keeps the
words that say what it measures, behind a new first word.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

_KEY: Final = re.compile(r"\b[a-z]+(?:[._][a-z]+)+\b")
_HEAD: Final = re.compile(r'"([a-z_]+)\{')
# One word alone may stand for something else in a log.
_METRIC: Final = re.compile(r'"__name__":\s*"([a-z]+_[a-z_]+)"')
# Where kubectl writes names: behind these words, behind a kind, in the first columns of tables.
_NAMED: Final = re.compile(
    r"""^[ \t"-]*(?:Name|name|Namespace|namespace|StorageClass|storageClassName|ClaimName|claimName|Used\ By)
    "?:\s*"?([a-z0-9][a-z0-9.-]*)""",
    re.MULTILINE | re.VERBOSE,
)
_OF_KIND: Final = re.compile(r"\b[A-Z][A-Za-z]+/([a-z0-9][a-z0-9.-]*)")
# What tells that kubectl printed a text.
_PRINTED: Final = re.compile(
    r'^(?:"?Name:\s|(?:NAMESPACE +)?NAME +[A-Z])|^[ \t"-]*apiVersion"?:', re.MULTILINE
)
_HEADER: Final = re.compile(r"(?:NAMESPACE +)?NAME +[A-Z]")
_IMAGE: Final = re.compile(r"[Ii]mage\"?:\s*\"?(\S+)")
# What controllers put behind the names of pods and replica sets.
_GENERATED: Final = re.compile(r"-[a-f0-9]{8,10}(?:-[a-z0-9]{5})?$|-[bcdfghjklmnpqrstvwxz2456789]{5}$")
# Names that a cluster has by itself.
_GIVEN: Final = re.compile(r"default$|kube|main$|system|container|cluster")
_SHORT: Final = 4
_SYLLABLES: Final = ("ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu")


def renaming(bundle: Path, texts: Iterable[str]) -> Callable[[str], str]:
    """Return what gives everything that a bundle, whose files hold these texts, names its new name."""
    every = list(texts)
    metrics = {metric: f"zz_{metric}" for text in every for metric in _metrics(text)}
    objects = sorted(_objects(every))
    old = dict.fromkeys([*_components(bundle), *sorted(_changed_keys(bundle)), *objects])
    # As long as the old name where that is the longer one: tables keep their columns.
    words = {name: _word(index).ljust(len(name), "x") for index, name in enumerate(old)}
    names = metrics | words
    if not names:
        return lambda text: text
    patterns = [_bounded(name, joined=name in objects) for name in sorted(names, key=len, reverse=True)]
    pattern = re.compile("|".join(patterns))
    return lambda text: pattern.sub(lambda found: names[found.group()], text)


def _bounded(name: str, joined: bool) -> str:
    """Return what finds a name, also where a low line joins it to others if it is of an object."""
    before = "A-Za-z0-9" if joined else "A-Za-z0-9_"
    return rf"(?<![{before}]){re.escape(name)}(?![A-Za-z0-9])"


def _components(bundle: Path) -> list[str]:
    topology = _json(bundle / "topology.json")
    services = topology.get("services", []) if isinstance(topology, dict) else []
    return [
        service["name"]
        for service in services
        if service["name"].lower() not in str(service.get("kind", "")).lower()
    ]


def _changed_keys(bundle: Path) -> set[str]:
    return {
        key for key in _KEY.findall(json.dumps(_json(bundle / "events.json"))) if "." in key or "_" in key
    }


def _metrics(text: str) -> set[str]:
    return {*_HEAD.findall(text.partition("\n")[0]), *_METRIC.findall(text)}


def _objects(texts: Iterable[str]) -> set[str]:
    """Return the names of objects without what was generated for them, but none that another one begins."""
    found: set[str] = set()
    products: set[str] = set()
    for text in texts:
        if not _is_of_cluster(text):
            continue
        found |= {*_NAMED.findall(text), *_OF_KIND.findall(text), *_in_tables(text)}
        products |= {image.rpartition("/")[2].partition(":")[0] for image in _IMAGE.findall(text)}
    stems = {_GENERATED.sub("", name).strip(".-") for name in found}
    own = {
        name
        for name in stems - {name for name in products if "-" not in name}
        if len(name) >= _SHORT and not name.isdigit() and "." not in name and not _GIVEN.match(name)
    }
    return {name for name in own if not any(name.startswith(f"{other}-") for other in own)}


def _is_of_cluster(text: str) -> bool:
    return _PRINTED.search(text[:4000]) is not None


def _in_tables(text: str) -> Iterator[str]:
    """Yield what stands below NAMESPACE and NAME."""
    ends = 0
    for line in text.splitlines():
        if _HEADER.match(line):
            ends = 2 if line.startswith("NAMESPACE") else 1
        elif not line.strip():
            ends = 0
        else:
            yield from (word for word in line.split()[:ends] if re.fullmatch(r"[a-z0-9][a-z0-9.-]*", word))


def _word(index: int) -> str:
    digits = [index // 100 % 10, index // 10 % 10, index % 10]
    return "qu" + "".join(_SYLLABLES[digit] for digit in digits)


def _json(path: Path) -> Any:  # noqa: ANN401 - any JSON value
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
