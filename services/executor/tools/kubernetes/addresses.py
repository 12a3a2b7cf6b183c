"""What is recorded of an address that a pod fails to reach: its setting, the service that may be meant."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from services.executor.tools.kubernetes.cluster import Cluster, Said, Subject
from services.executor.tools.kubernetes.found import Found, told
from services.executor.tools.kubernetes.pods import containers

_UNREACHED: Final = frozenset({"dns.unresolved", "dependency.unreachable"})
_HOST: Final = re.compile(
    r"(?<![\w.-])(?P<host>[a-z][a-z0-9-]{1,62})(?:\.[a-z0-9-]+)*(?::(?P<port>\d{1,5}))?(?![\w-])"
)
_PORT: Final = re.compile(r"\d{1,5}(?=[/:])")
# Names of which so much is the same, whatever the order of their parts, may have been mistaken.
_ALIKE: Final = 0.75
_MIN_SETTING: Final = 3


def with_address(found: Found, cluster: Cluster) -> Found:
    """Add to a connection that fails the setting of its address, and the service that may be meant."""
    if found.fault not in _UNREACHED:
        return found
    # With whom a program talks may stand shortly before the line that says that it fails.
    said = "\n".join(each.text for each in found.said if each.role in ("line", "peer"))
    services = cluster.of_kind("Service")
    near = [one for one in services if _is_near(one, found.subject)]
    hints = [*_settings(found.subject, said), *_services(found.fault, said, near)]
    if found.fault == "dns.unresolved" and not any(each.role == "similar" for each in hints):
        hints += _elsewhere(said, [one for one in services if one not in near])
    return Found(found.rule, found.fault, found.subject, told(*found.said, *hints), found.counts)


def _is_near(service: Subject, pod: Subject) -> bool:
    return not service.namespace or not pod.namespace or service.namespace == pod.namespace


def _settings(pod: Subject, line: str) -> Iterator[Said]:
    """Yield the first setting of the environment whose value stands in the line as it is."""
    for one in (each for view in pod.whole for each in containers(view)):
        described = ((each.key, each.text, each.line) for each in one.node.at("Environment").children)
        stated = (
            (each.at("name").text, each.at("value").text, each.at("value").line)
            for each in one.node.at("spec", "env").children
        )
        for name, value, number in (*described, *stated):
            if len(value) >= _MIN_SETTING and not value.isdigit() and stands_in(value, line):
                yield Said("setting", name, one.source, number)
                return


def stands_in(name: str, line: str) -> bool:
    """Tell whether a name or a value stands in a line and is no part of a longer one."""
    # A pattern of every name is dear, and one of a long value dearer.
    return name in line and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", line) is not None


def _services(fault: str, line: str, services: list[Subject]) -> Iterator[Said]:
    """Yield the service that an unknown host resembles, or the ports of one that is called on another."""
    known = {one.name: one for one in services}
    hosts = [(match["host"], match["port"] or "") for match in _HOST.finditer(line)]
    if fault == "dns.unresolved":
        alike = [(_likeness(host, name), name) for host, _ in hosts if host not in known for name in known]
        ratio, name = max(alike, default=(0.0, ""))
        if ratio >= _ALIKE:
            yield known[name].named._replace(role="similar")
        return
    for host, port in hosts:
        ports = _ports(known[host]) if host in known and port else None
        if ports is not None and port not in _PORT.findall(ports.text):
            yield from (known[host].named._replace(role="destination"), ports)
            return


def _elsewhere(line: str, others: list[Subject]) -> Iterator[Said]:
    """Yield the only service of another namespace that has the name of a host, and where it is."""
    hosts = {match["host"] for match in _HOST.finditer(line)}
    found = [one for one in others if one.name in hosts]
    if len(found) == 1:
        namespace = found[0].said("namespace", ("NAMESPACE",), ("Namespace",), ("metadata", "namespace"))
        yield from told(found[0].named._replace(role="similar"), namespace)


def _likeness(one: str, other: str) -> float:
    first, second = ("-".join(sorted(name.split("-"))) for name in (one, other))
    return SequenceMatcher(None, first, second).ratio()


def _ports(service: Subject) -> Said | None:
    """Return the ports of a service, where one place tells all of them."""
    column = service.said("service_ports", ("PORT(S)",))
    if column is not None:
        return column
    view = service.whole[0]
    ports = [each for each in view.root.children if each.key == "Port"]
    return Said("service_ports", ports[0].text, view.source, ports[0].line) if len(ports) == 1 else None
