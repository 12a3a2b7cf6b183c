"""Services that send to a port which none of the containers behind them states."""

from collections.abc import Iterator

from services.executor.sources.kubernetes.tree import KubeObject
from services.executor.tools.kubernetes.cluster import Said, Subject
from services.executor.tools.kubernetes.found import Found, told
from services.executor.tools.kubernetes.pods import containers
from services.executor.tools.kubernetes.ties import Ties


def port_findings(service: Subject, ties: Ties) -> Iterator[Found]:
    """Yield each target port that no container of the selected pods states, where all of those state some.

    A program may listen on a port that nothing states: it is where a person would look first.
    """
    pods = [pod for pod in ties.selects(service) or [] if not pod.whole[0].is_row]
    stated = [_stated(pod) for pod in pods]
    if not stated or not all(stated):
        return
    known = {text for ports in stated for said in ports for text in _names(said.text)}
    for target in _targets(service.whole[0]):
        if target.text.partition("/")[0] not in known:
            said = told(service.named, target, stated[0][0])
            yield Found("absent", "service.port_unmatched", service, said)


def _targets(view: KubeObject) -> Iterator[Said]:
    """Yield where a service sends to: of a description, or of an object."""
    for each in view.root.children:
        if each.key == "TargetPort" and each.text:
            yield Said("target", each.text, view.source, each.line)
    for port in view.root.at("spec", "ports").children:
        target = port.at("targetPort") if port.at("targetPort").text else port.at("port")
        if target.text:
            yield Said("target", target.text, view.source, target.line)


def _stated(pod: Subject) -> list[Said]:
    """Return the ports that containers of a pod state; of an object also what those are called."""
    found = []
    for one in containers(pod.whole[0]):
        for key in ("Port", "Ports"):
            described = one.node.at(key)
            if described.text and described.text != "<none>":
                found.append(Said("port", described.text, one.source, described.line))
        for port in one.node.at("spec", "ports").children:
            leaves = (port.at(key) for key in ("containerPort", "name"))
            found += [Said("port", leaf.text, one.source, leaf.line) for leaf in leaves if leaf.text]
    return found


def _names(text: str) -> list[str]:
    """Return the numbers and names of `8080/TCP, 9090/TCP (metrics)`."""
    words = text.replace(",", " ").replace("(", " ").replace(")", " ").split()
    return [word.partition("/")[0] for word in words]
