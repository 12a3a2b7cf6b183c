"""Who owns a source: the component of the scope's topology that a log or a series speaks about.

Rules, the first that applies:
1. A log belongs to the service whose `logs` list it, or its name before it was rotated; else to the service
   whose name begins its file's name (up to a separator), or names one of its folders, the longest name first.
2. A series belongs to the service that one of its labels names, the most specific label first. A label's
   value is the name, or the name and the suffix of a replica (`api-7f9c-x2z`); `instance` is compared with
   the services' `instance`, `job` with their `prometheus_job` too.
3. A column of a table belongs to the service whose name and an underscore begin its header.
4. Else either belongs to the only service whose name, or whose kind's first word ("PostgreSQL 15" is
   postgresql), is a word of the log's file name, of the metric's name or of its query.
What no rule decides has no owner. Nothing here knows a service by name.

Without a topology nobody is known by name, and a log belongs to what it is called: to the one value of the
field `service`, `component` or `app` of its lines (`log_fields`), else to its file's name without ending,
rotation and stream ("logs/billing-api-access.log.1" is billing-api's). A log of the whole system ("syslog",
"kern.log", a journal) speaks of many and has no owner, and neither has a series.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from services.common.evidence.strict_json import Json
from services.executor.sources import log_names

# The subject of a measurement before the exporter that took it.
_LABELS: Final = (
    "service",
    "service_name",
    "component",
    "app",
    "application",
    "application_name",
    "container",
    "deployment",
    "statefulset",
    "workload",
    "pod",
    "name",
    "server",
    "target",
    "job",
    "instance",
    "host",
)
# Prefixes that the usual exporters give their metrics, where they are not the product's name.
_PREFIXES: Final[dict[str, tuple[str, ...]]] = {
    "pg": ("postgres", "postgresql"),
    "postgres": ("postgresql",),
    "postgresql": ("postgres",),
    "mongo": ("mongodb",),
    "es": ("elasticsearch",),
}
# What a file's name holds behind the name of the one that writes it.
_BEHIND_NAME = re.compile(
    r"(?:\.\d+|[.-]\d{4}-?\d\d-?\d\d|[._-](?:access|error|errors|stdout|stderr|out|err|log|txt|json|jsonl|ndjson))\Z",
    re.IGNORECASE,
)
# Longer than any date and any number of a rotation.
_MAX_BEHIND: Final = 64
_STREAMS: Final = frozenset({"access", "error", "errors", "stdout", "stderr", "out", "err", "log"})
_SYSTEM_LOGS: Final = frozenset(
    {"auth", "boot", "daemon", "dmesg", "journal", "journalctl", "kern", "kernel", "messages", "secure"}
    | {"syslog", "system", "systemd"}
)
_NAME = re.compile(r"[A-Za-z][\w.-]*")
_WORD = re.compile(r"[a-z0-9]+")
_SEPARATORS: Final = "-_./"


@dataclass(frozen=True, slots=True)
class Component:
    """One service of a topology, as far as ownership needs it."""

    name: str
    kind: str = ""
    instance: str = ""
    job: str = ""
    logs: tuple[str, ...] = ()


def components_of(services: Sequence[Json]) -> list[Component]:
    """Read the services of a topology; what has no name is left out."""
    found = []
    for service in services:
        if isinstance(service, str) and service:
            found.append(Component(str(service)))
        elif isinstance(service, dict) and (name := _text(service.get("name"))):
            logs = service.get("logs")
            found.append(
                Component(
                    name=name,
                    kind=_text(service.get("kind")),
                    instance=_text(service.get("instance")),
                    job=_text(service.get("prometheus_job")),
                    logs=tuple(_text(log) for log in logs) if isinstance(logs, list) else (),
                )
            )
    return found


class Owners:
    """The owners that a topology gives; without one those that the logs' own names and fields give."""

    def __init__(self, components: Sequence[Component]) -> None:
        self._components = tuple(components)
        self._longest_first = sorted(components, key=lambda component: (-len(component.name), component.name))

    def of_log(self, source: str, field: str = "") -> str:
        """Return the owner of a log file; `field` is what its lines call it, for want of a topology."""
        if not self._components:
            return _called(source, field)
        names = (source, log_names.unrotated(source))
        for component in self._components:
            if any(name in component.logs for name in names):
                return component.name
        *folders, file = source.split("/")
        for component in self._longest_first:
            if _begins(file, component.name) or component.name in folders:
                return component.name
        return self._by_words(file)

    @property
    def known(self) -> bool:
        """Tell whether a topology names anybody."""
        return bool(self._components)

    def of_series(self, labels: Mapping[str, str], name: str, query: str) -> str:
        """Return the owner of a series."""
        for label in _LABELS:
            value = labels.get(label, "")
            if value and (owner := self._named(label, value)):
                return owner
        return self._by_words(name) or self._by_words(query)

    def of_column(self, labels: Mapping[str, str], name: str) -> str:
        """Return the owner of a column of a table, whose header may be `component_metric`."""
        return self.of_series(labels, "", "") or self._begun(name) or self._by_words(name)

    def _begun(self, name: str) -> str:
        header = name.replace("-", "_")
        found = self._longest_first
        return next((one.name for one in found if header.startswith(one.name.replace("-", "_") + "_")), "")

    def _named(self, label: str, value: str) -> str:
        for component in self._components:
            if value == component.name:
                return component.name
            if label == "job" and value == component.job:
                return component.name
            if label in ("instance", "server", "target") and value == component.instance:
                return component.name
        if label in ("job", "instance", "server", "target", "host"):
            return ""
        return next((found.name for found in self._longest_first if _begins(value, found.name)), "")

    def _by_words(self, text: str) -> str:
        words = set(_WORD.findall(text.lower()))
        words.update(other for word in tuple(words) for other in _PREFIXES.get(word, ()))
        exact = [component.name for component in self._components if component.name.lower() in words]
        if len(exact) == 1:
            return exact[0]
        kinds = [component.name for component in self._components if _kind_word(component) in words]
        return kinds[0] if len(kinds) == 1 and not exact else ""


def _called(source: str, field: str) -> str:
    """Return what a log is called, without a topology."""
    stem = log_names.unpacked(source.rpartition("/")[2])
    while behind := _BEHIND_NAME.search(stem, max(0, len(stem) - _MAX_BEHIND)):
        stem = stem[: behind.start()]
    if stem.lower() in _SYSTEM_LOGS:
        return ""
    if field:
        return field
    return stem if _NAME.fullmatch(stem) and stem.lower() not in _STREAMS else ""


def _begins(text: str, name: str) -> bool:
    return text == name or (text.startswith(name) and text[len(name)] in _SEPARATORS)


def _kind_word(component: Component) -> str:
    found = _WORD.findall(component.kind.lower())
    return found[0] if found else ""


def _text(value: Json) -> str:
    return value if type(value) is str else ""
