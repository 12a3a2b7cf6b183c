"""What the logs of containers tell of their pods."""

from collections.abc import Iterator, Sequence
from typing import Final

from services.executor.sources import kinds
from services.executor.sources.bundle import Bundle
from services.executor.sources.kinds import Form
from services.executor.sources.kubernetes.container_logs import is_refusal, names_nobody, pod_of_log
from services.executor.sources.sniff import Source
from services.executor.sources.stop import Stop, StoppedError
from services.executor.tools.kubernetes.cluster import Cluster, Said, Subject
from services.executor.tools.kubernetes.container_log import Line, Summary, is_on_dependency, summarize
from services.executor.tools.kubernetes.found import Found, told

# A log that cannot be given to a pod is told of under this kind.
UNPLACED: Final = "Log"
MAX_LOGS: Final = 200


class Logs:
    """The summaries of the logs of a bundle, as far as they are a pod's or nobody else's."""

    def __init__(self, bundle: Bundle, cluster: Cluster, stop: Stop) -> None:
        self.cut = False
        self.read: list[tuple[str, str, Summary]] = []
        pods = [pod.name for pod in cluster.pods]
        sources = [one for one in bundle.of_kind(kinds.LOG) if one.form is Form.TEXT]
        self.cut = len(sources) > MAX_LOGS
        within = stop.sooner()
        for source in sources[:MAX_LOGS]:
            try:
                self._read(bundle, source, pods, within)
            except StoppedError:
                stop.check()
                self.cut = True
                return

    def of(self, pod: Subject) -> Iterator[tuple[str, Summary]]:
        """Yield the logs of a pod."""
        yield from ((source, made) for source, name, made in self.read if name == pod.name)

    def unplaced(self) -> Iterator[tuple[str, Summary]]:
        """Yield the logs whose names say only how they were fetched."""
        yield from ((source, made) for source, name, made in self.read if not name)

    def _read(self, bundle: Bundle, source: Source, pods: Sequence[str], stop: Stop) -> None:
        log = bundle.log(source)
        first = next((line.text for line in log.read(stop) if line.text.strip()), "")
        name = pod_of_log(source.name, first, pods)
        if not name and len(pods) == 1 and names_nobody(source.name):
            name = pods[0]
        if is_refusal(first) or not (name or names_nobody(source.name)):
            return
        reading = log.read(stop)
        made = summarize((line.n, line.text) for line in reading)
        self.cut = self.cut or reading.extent.cut
        self.read.append((source.name, name, made))


def log_findings(pod: Subject, logs: Logs, crashed: bool) -> Iterator[Found]:
    """Yield what the logs of a pod tell; of one that ended at least the last line."""
    seen: set[str] = set()
    for source, made in logs.of(pod):
        for found in _of_log(pod, source, made, told(pod.named), crashed):
            line = found.said[-1].text
            if line not in seen:
                seen.add(line)
                yield found


def unplaced_findings(logs: Logs) -> Iterator[Found]:
    """Yield what logs tell of which no name says whose they are."""
    for source, made in logs.unplaced():
        yield from _of_log(Subject(UNPLACED, "", source), source, made, [], crashed=True)


def _of_log(
    subject: Subject, source: str, made: Summary, first: list[Said], crashed: bool
) -> Iterator[Found]:
    shape = made.decisive()
    if shape is not None:
        counts = {"lines": made.lines, "matching": shape.count}
        yield Found("log", shape.fault, subject, [*first, _line("line", source, shape.last)], counts)
    elif (slowest := made.slowest()) is not None:
        what, slow = slowest
        counts = {"lines": made.lines, "matching": slow.count}
        fault = "dependency.slow" if is_on_dependency(what) else ""
        ends = [_line("shortest", source, slow.shortest[1]), _line("longest", source, slow.longest[1])]
        yield Found("slow", fault, subject, told(*first, *ends), counts)
    elif crashed and made.last.n:
        yield Found("log", "", subject, [*first, _line("line", source, made.last)], {"lines": made.lines})


def _line(role: str, source: str, line: Line) -> Said:
    return Said(role, line.text, source, line.n)
