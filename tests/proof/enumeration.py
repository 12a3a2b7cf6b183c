"""Every state and every path of the diagnosis graph, walked by the real engine and compared with the design.

`python -m tests.proof.enumeration` prints the figures; exit code 1 when there is a violation. The short form,
for `make test`, leaves out what differs only in facts that no later guard looks at.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field

from assay.common.v1 import context_pb2
from assay.common.v1.context_pb2 import DiagnosisContext
from assay.orchestrator.v1.state_pb2 import RunState
from structlog.testing import capture_logs

from orchestrator.engine import Ending, Engine, Walk
from orchestrator.graph import DIAGNOSIS, GraphDefinition, Node, NodeResult, RunConfig, compile_graph
from orchestrator.nodes.evidence_retry import evidence_retry
from tests.fakes.graph_states import ListJournal, StoppedClock
from tests.proof import transition_table as table
from tests.proof.node_answers import Answer, every_answer, one_per_effect
from tests.proof.path_rules import broken_rules
from tests.proof.transition_table import END, Facts

_COUNTERS = ("planner_retry_count", "verifier_retry_count", "composer_retry_count", "evidence_retry_count")
_NO_LIMIT = 1000


@dataclass(frozen=True)
class Place:
    """A node about to run, and the facts that it finds."""

    node: str
    facts: Facts


@dataclass
class Walked:
    """One walk of the engine: the nodes that it called, what it recorded, how it ended."""

    journal: ListJournal
    called: list[str]
    ending: Ending


@dataclass
class Figures:
    """What was walked."""

    states: int = 0
    edges: int = 0
    paths: int = 0
    longest: int = 0
    violations: list[str] = field(default_factory=list)


START = Place("planner", Facts())


async def walk(definition: GraphDefinition, script: Sequence[Answer], limit: int = _NO_LIMIT) -> Walked:
    """Let the engine walk nodes that give the answers of a script in turn, at most `limit` attempts."""
    journal = ListJournal()
    called: list[str] = []
    graph = compile_graph(definition, {node: Port(node, script, called) for node in Node})
    state = RunState(context=DiagnosisContext(question="why?", intent=context_pb2.INTENT_CAUSE))
    config = RunConfig("run-1", deadline=60.0, recursion_limit=limit)
    ending = await Engine(graph, journal, StoppedClock()).run(Walk(config, state))
    return Walked(journal, called, ending)


@dataclass(frozen=True)
class Port:
    """A node that gives the next answer of the script; the real one prepares the state of cycle 2."""

    node: Node
    script: Sequence[Answer]
    called: list[str]

    async def __call__(self, state: RunState, config: RunConfig) -> NodeResult:
        position = len(self.called)
        self.called.append(self.node)
        if position >= len(self.script):
            return NodeResult("FAILED", "completed")
        answer = self.script[position]
        if isinstance(answer.does, Exception):
            raise answer.does
        if self.node is Node.EVIDENCE_RETRY and answer.outcome == "COMPLETED":
            return await evidence_retry(state, config)
        return answer.does


def places(*, short: bool = False) -> dict[Place, tuple[Answer, ...]]:
    """Return every place that the design's table reaches, with a shortest script that leads there.

    In short, one place for each node and counters.
    """
    found: dict[Place, tuple[Answer, ...]] = {START: ()}
    waiting = [START]
    for place in waiting:
        for answer in one_per_effect(place.node):
            following = _following(place, answer)
            if following.node != END and following not in found:
                found[following] = (*found[place], answer)
                waiting.append(following)
    if not short:
        return found
    first: dict[tuple[object, ...], Place] = {}
    for place in found:
        first.setdefault((place.node, *_counted(place.facts).values()), place)
    return {place: found[place] for place in first.values()}


def paths(
    place: Place = START, script: tuple[Answer, ...] = (), *, short: bool = False
) -> Iterator[tuple[Answer, ...]]:
    """Yield a script for every complete path, by the design's table; in short, one per row taken."""
    taken: set[tuple[object, ...]] = set()
    for answer in one_per_effect(place.node):
        following = _following(place, answer)
        row = (following.node, *_counted(following.facts).values())
        if short and row in taken:
            continue
        taken.add(row)
        if following.node == END:
            yield (*script, answer)
        else:
            yield from paths(following, (*script, answer), short=short)


def _following(place: Place, answer: Answer) -> Place:
    return Place(*table.after(place.node, answer.outcome, answer.leaves(place.facts)))


def _counted(counters: Facts | RunState) -> dict[str, int]:
    return {name: getattr(counters, name) for name in _COUNTERS}


async def steps(definition: GraphDefinition = DIAGNOSIS, *, short: bool = False) -> AsyncIterator[list[str]]:
    """Try every answer at every place; yield what the engine did there otherwise than the design says."""
    for place, script in places(short=short).items():
        for answer in every_answer(place.node):
            walked = await walk(definition, (*script, answer), len(script) + 2)
            name = f"{place.node} {place.facts} answers {answer.name}"
            yield [f"{name}: {problem}" for problem in _wrong_step(place, answer, walked, len(script))]


def _wrong_step(place: Place, answer: Answer, walked: Walked, position: int) -> Iterator[str]:
    expected = _following(place, answer)
    if len(walked.called) <= position or walked.called[position] != place.node:
        yield f"the place was not reached, but {walked.called}"
        return
    event, state = walked.journal.events[position], walked.journal.states[position]
    if event.outcome != answer.outcome:
        yield f"outcome {event.outcome} instead of {answer.outcome}"
    went = walked.called[position + 1] if len(walked.called) > position + 1 else END
    if went != expected.node:
        yield f"went to {went} instead of {expected.node}"
    if _counted(state) != _counted(expected.facts):
        yield f"counters {_counted(state)}"


async def walks(
    definition: GraphDefinition = DIAGNOSIS, *, short: bool = False
) -> AsyncIterator[tuple[int, list[str]]]:
    """Walk every complete path; yield its length and the rules that the engine broke on it."""
    for script in paths(short=short):
        walked = await walk(definition, script)
        name = " ".join(answer.name for answer in script)
        problems = list(broken_rules(walked.called, walked.journal, walked.ending))
        if walked.called != _expected_nodes(script):
            problems.append(f"walked {walked.called}")
        yield len(script), [f"{name}: {problem}" for problem in problems]


def _expected_nodes(script: Sequence[Answer]) -> list[str]:
    place, nodes = START, []
    for answer in script:
        nodes.append(place.node)
        place = _following(place, answer)
    return nodes


async def enumerate_graph(*, short: bool = False) -> Figures:
    """Walk everything."""
    figures = Figures(states=len(places(short=short)))
    with capture_logs():
        async for problems in steps(short=short):
            figures.edges += 1
            figures.violations += problems
        async for length, problems in walks(short=short):
            figures.paths += 1
            figures.longest = max(figures.longest, length)
            figures.violations += problems
    return figures


def main() -> int:
    """Print the figures; returns the exit code."""
    figures = asyncio.run(enumerate_graph())
    say = sys.stdout.write
    say(f"states              {figures.states:8}\n")
    say(f"edges               {figures.edges:8}\n")
    say(f"complete paths      {figures.paths:8}\n")
    say(f"longest, nodes      {figures.longest:8}\n")
    say(f"violations          {len(figures.violations):8}\n")
    for violation in figures.violations[:20]:
        say(f"  {violation}\n")
    return 1 if figures.violations else 0


if __name__ == "__main__":
    raise SystemExit(main())
