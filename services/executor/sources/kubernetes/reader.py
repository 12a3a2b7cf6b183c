"""The objects of one file, however it was saved; a file is told by what it holds, not by its name."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from typing import Final

from services.common.evidence.strict_json import Json
from services.executor.sources.kubernetes.describe import begins_object, read_describe
from services.executor.sources.kubernetes.drains import is_drain, read_drain
from services.executor.sources.kubernetes.json_tree import read_json
from services.executor.sources.kubernetes.kinds_of import (
    kind_of_columns,
    kind_of_keys,
    kind_of_list,
    kind_of_word,
)
from services.executor.sources.kubernetes.table import Row, is_header, is_pod_row, read_tables
from services.executor.sources.kubernetes.tree import NOTHING, KubeObject, Node
from services.executor.sources.kubernetes.yaml_tree import read_yaml

# What is no object of a cluster and tells of some all the same: an alert's record with its events.
RECORD: Final = "Record"
_OF_OBJECT: Final = re.compile(r"(?:Namespace|Labels|Annotations):(?:\s|$)")
_MIN_MEMBERS: Final = 3
_OBJECT: Final = re.compile(r"^(?:- )?(?:apiVersion|kind|items):", re.MULTILINE)
_MEMBER: Final = re.compile(r"[a-z][A-Za-z0-9_]*:(?:\s|$)")
_CLUSTER_WORDS: Final = re.compile(r"\b(?:pod|deployment|namespace|replicas|kubernetes|kube)", re.IGNORECASE)
# A namespace is described by nothing but its state: no other object has one of these.
_OF_NAMESPACES: Final = ("Active", "Terminating")
_LOOK_LINES: Final = 40


class Writing(Enum):
    """How objects are written down."""

    JSON = "JSON"
    YAML = "YAML"
    DESCRIBE = "kubectl describe"
    TABLE = "a table"
    DRAIN = "kubectl drain"


def writing_of(head: Sequence[str]) -> Writing | None:
    """Return how the objects of a text are written, by its first lines; None when it holds none."""
    told = [line for line in head if line.strip()][:_LOOK_LINES]
    if not told:
        return None
    if is_drain(told[0]):
        return Writing.DRAIN
    if begins_object(told[0]):
        # Other lists of facts begin with a name, too: /proc/self/status does.
        return Writing.DESCRIBE if any(_OF_OBJECT.match(line) for line in told) else None
    if is_header(told[0]) or is_pod_row(told[0]):
        return Writing.TABLE
    if _OBJECT.search("\n".join(told)) or _is_record(told):
        return Writing.YAML
    return None


def is_object_json(value: Json) -> bool:
    """Tell whether a parsed JSON text is an object of a cluster or a list of some."""
    if isinstance(value, list):
        return bool(value) and all(_has_metadata(item) for item in value)
    if not isinstance(value, dict):
        return False
    kind = value.get("kind")
    if isinstance(kind, str) and isinstance(value.get("apiVersion"), str):
        return True
    items = value.get("items")
    return isinstance(items, list) and bool(items) and all(_has_metadata(item) for item in items)


def read_objects(source: str, data: bytes, max_bytes: int, check: Callable[[], None]) -> Iterator[KubeObject]:
    """Yield the objects of a file; raises ShapeError when it is not what it looked like."""
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        yield from _of_root(source, read_json(data, max_bytes, check))
        return
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.splitlines()
    match writing_of(lines):
        case Writing.DESCRIBE:
            yield from (_described(source, root) for root in read_describe(lines, check))
        case Writing.TABLE:
            yield from (_of_row(source, row) for row in read_tables(lines, check))
        case Writing.DRAIN:
            for root in read_drain(lines):
                yield KubeObject(
                    "Event", "", root.at("OBJECT").text, root.at("OBJECT"), source, root, is_row=True
                )
        case Writing.YAML:
            for root in read_yaml(text, check):
                yield from _of_root(source, root)


def _is_record(lines: Sequence[str]) -> bool:
    members = sum(_MEMBER.match(line) is not None for line in lines)
    return members >= _MIN_MEMBERS and _CLUSTER_WORDS.search("\n".join(lines)) is not None


def _has_metadata(item: Json) -> bool:
    return isinstance(item, dict) and isinstance(item.get("metadata"), dict)


def _of_root(source: str, root: Node) -> Iterator[KubeObject]:
    """Yield an object, or those of a list; `kubectl` leaves out the kind of what stands in a typed list."""
    kind = root.at("kind").text
    items = root.at("items")
    if kind.endswith("List") or (not kind and items.children):
        listed, kind = items.children, kind_of_list(kind) or _kind_of_folder(source)
    elif root.at("metadata") is NOTHING and root.at("0", "metadata") is not NOTHING:
        listed, kind = root.children, _kind_of_folder(source)
    else:
        yield _of_tree(source, root, kind)
        return
    for item in listed:
        yield _of_tree(source, item, item.at("kind").text or kind)


def _of_tree(source: str, root: Node, kind: str) -> KubeObject:
    named = root.at("metadata", "name")
    if not named.text:
        return KubeObject(RECORD, "", "", NOTHING, source, root)
    shown = _without_secrets(root) if kind == "Secret" else root
    return KubeObject(kind, root.at("metadata", "namespace").text, named.text, named, source, shown)


def _without_secrets(root: Node) -> Node:
    """Leave out what a secret holds, and the copy of it that `kubectl apply` writes beside it."""
    kept = [child for child in root.children if child.key not in ("data", "stringData")]
    bare = [
        replace(child, children=tuple(each for each in child.children if each.key != "annotations"))
        if child.key == "metadata"
        else child
        for child in kept
    ]
    return replace(root, children=tuple(bare))


def _kind_of_folder(source: str) -> str:
    """Return the kind that a support bundle's folder or a dump's file is named after."""
    words = [word for word in source.replace(".json", "").split("/")[::-1] if word]
    return next((kind for word in words if (kind := kind_of_word(word))), "")


def _described(source: str, root: Node) -> KubeObject:
    named = root.at("Name")
    # What is no part of Kubernetes itself is described as it is written, its kind with it.
    own = root.at("Kind").text if root.at("API Version").text else ""
    kind = own or kind_of_keys({child.key for child in root.children}) or _kind_of_rows(root)
    if not kind and root.at("Status").text in _OF_NAMESPACES and root.at("Namespace") is NOTHING:
        kind = "Namespace"
    return KubeObject(kind, root.at("Namespace").text, named.text, named, source, root)


def _kind_of_rows(root: Node) -> str:
    """Return the kind of what is described by a table alone."""
    return next(
        filter(None, (kind_of_keys([cell.key for cell in row.children]) for row in root.children)), ""
    )


def _of_row(source: str, row: Row) -> KubeObject:
    named = row.node.at("OBJECT") if row.node.at("NAME") is NOTHING else row.node.at("NAME")
    word, slash, name = named.text.partition("/")
    kind = kind_of_columns(row.columns)
    if slash and kind != "Event":
        kind = kind_of_word(word) or word
    else:
        name = named.text
    namespace = row.node.at("NAMESPACE").text
    return KubeObject(kind, namespace, name, named, source, row.node, parent=row.parent, is_row=True)
