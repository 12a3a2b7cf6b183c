"""Which container a log belongs to, as far as its place, its name or its first line tells.

Nothing here knows a pod by itself: names are held against those that the objects of the bundle have.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final

# What `kubectl cluster-info dump` writes above and below the log of each container.
_DUMPED: Final = re.compile(r"==== (?:START|END) logs for container (\S+) of pod ([^/\s]+)/(\S+) ====")
# What stands in a log file's name beside the name of a pod: how it was fetched.
_FETCHING: Final = frozenset(
    {
        "all",
        "container",
        "containers",
        "current",
        "err",
        "get",
        "kubectl",
        "log",
        "logs",
        "out",
        "output",
        "pod",
    }
    | {"pods", "previous", "prev", "stderr", "stdout", "text", "tail", "txt"}
)
_WORD: Final = re.compile(r"[a-z0-9]+")
# What may follow the name of a pod or a workload in that of a file, and is no part of a longer name.
_BEHIND: Final = (
    r"(?![A-Za-z0-9]|-(?!(?:previous|prev|current|logs?|stdout|stderr)(?![A-Za-z0-9-]))[A-Za-z0-9])"
)
_SUFFIX: Final = re.compile(r"-([a-z0-9]{4,10})$")
# What `kubectl logs` printed where it had no log to show. Programs call the cluster, too, and are refused.
_REFUSED: Final = re.compile(
    r"(?:error: )*(?:Command `|error: (?!.* cannot )"
    r"|Error from server \((?!Forbidden\))|Error from server \(Forbidden\): .*\bpods/log\b)"
)
# What is generated behind the name of a workload for its pods: a hash or a time, then letters or an ordinal.
# Nothing that a person would write: the letters are those that controllers choose from.
_LETTERS: Final = "[bcdfghjklmnpqrstvwxz2456789]"
_GENERATED: Final = rf"(?:-(?:{_LETTERS}{{8,10}}|\d{{7,10}}))?(?:-(?:{_LETTERS}{{5}}|\d{{1,3}}))?"


def is_container_log(lines: Sequence[str]) -> bool:
    """Tell whether a text is the log of a container from a dump."""
    return bool(lines) and _DUMPED.match(lines[0]) is not None


def is_marker(line: str) -> bool:
    """Tell whether a line was written around a log and is none of its own."""
    return _DUMPED.match(line) is not None


def is_refusal(first_line: str) -> bool:
    """Tell whether a file holds what `kubectl` said instead of a log."""
    return _REFUSED.match(first_line) is not None


def is_previous(source: str) -> bool:
    """Tell whether a log is of a container's run before the current one, by its file's name."""
    return bool({"previous", "prev"} & set(_WORD.findall(source.rpartition("/")[2].lower())))


def pod_of_log(source: str, first_line: str, pods: Collection[str]) -> str:
    """Return the pod whose log a file is: by its first line, a folder, or the file's name; else empty.

    A file's name holds the pod's name, or the end that was generated for it where only that pod has it.
    """
    if dumped := _DUMPED.match(first_line):
        return dumped.group(3)
    *folders, file = source.split("/")
    if inside := [pod for pod in pods if pod in folders]:
        return max(inside, key=len)
    if named := [pod for pod in pods if _holds_name(file, pod)]:
        return max(named, key=len)
    words = set(_WORD.findall(file.lower()))
    ended = [pod for pod in pods if (end := _SUFFIX.search(pod)) and end.group(1) in words]
    return ended[0] if len(ended) == 1 else ""


def owner_of_log(source: str, names: Collection[str]) -> str:
    """Return the workload whose name a log's folder or file holds, as it is or with what is generated."""
    found = [name for name in names if any(_is_of(part, name) for part in source.split("/"))]
    return max(found, key=len, default="")


def names_nobody(source: str) -> bool:
    """Tell whether a log file's name says only how it was fetched."""
    words = [word for word in _WORD.findall(source.rpartition("/")[2].lower()) if not word.isdigit()]
    return bool(words) and all(word in _FETCHING for word in words)


def _is_of(part: str, name: str) -> bool:
    # A pattern of every name is dear.
    return (
        name in part
        and re.search(rf"(?<![A-Za-z0-9-]){re.escape(name)}{_GENERATED}{_BEHIND}", part) is not None
    )


def _holds_name(file: str, pod: str) -> bool:
    return pod in file and re.search(rf"(?<![A-Za-z0-9]){re.escape(pod)}{_BEHIND}", file) is not None
