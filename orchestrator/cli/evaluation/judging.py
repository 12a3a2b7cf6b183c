"""Whether an answer is right, and what a whole set of answers comes to. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, Literal, TypeAlias

from assay.common.v1 import evidence_pb2
from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.evaluation.cases import Expected
from services.common.evidence.names import short_name

# Of the field: the share of issues whose cause is among the first so many components that are named.
ACCURACY_AT: Final = (1, 3, 5)
Kind: TypeAlias = Literal["issue", "control", "statement"]
# How a question ended: a run, or why there was none.
Ended: TypeAlias = run_pb2.Run | str


@dataclass(frozen=True)
class Judged:
    """One answer, held against what is right."""

    name: str
    kind: Kind
    """Whether a component is to be named, none may be, or the question is about something else."""
    place: int | None
    """Where the right component stands among the suspects, from 1; None where it is not named."""
    blamed: bool
    problems: Sequence[str]
    """What is wrong with the answer; nothing where it is right."""

    @property
    def right(self) -> bool:
        """Tell whether nothing is wrong with it."""
        return not self.problems


@dataclass(frozen=True)
class Score:
    """What the answers of one set come to."""

    name: str
    judged: Sequence[Judged]
    cpu_seconds: float

    @property
    def misses(self) -> list[Judged]:
        """The answers that are not right."""
        return [each for each in self.judged if not each.right]

    @property
    def issues(self) -> list[Judged]:
        """The cases in which a component is to be named."""
        return [each for each in self.judged if each.kind == "issue"]

    @property
    def controls(self) -> list[Judged]:
        """The cases in which no cause may be named."""
        return [each for each in self.judged if each.kind == "control"]

    def named_within(self, places: int) -> int:
        """Return in how many issues the right component is among the first so many suspects."""
        return sum(each.place is not None and each.place <= places for each in self.issues)

    def as_object(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "n": len(self.judged),
            "right": len(self.judged) - len(self.misses),
            "misses": {each.name: list(each.problems) for each in self.misses},
            "issues": len(self.issues),
            **{f"named_within_{places}": self.named_within(places) for places in ACCURACY_AT},
            "controls": len(self.controls),
            "controls_blamed": sum(each.blamed for each in self.controls),
            "cpu_seconds": round(self.cpu_seconds, 1),
        }


def judge(name: str, expected: Expected, ended: Ended) -> Judged:
    """Hold the end of a question against what is right."""
    if isinstance(ended, str):
        return Judged(name, _kind(expected), None, blamed=False, problems=[ended])
    run = ended
    named = [suspect.component for suspect in run.suspects]
    wanted = expected.suspects
    place = next((at for at, component in enumerate(named, 1) if component in (wanted or ())), None)
    return Judged(
        name=name,
        kind=_kind(expected),
        place=place,
        blamed=bool(named),
        problems=list(chain(_suspects(expected, run, place), _verdict(expected, run), _texts(expected, run))),
    )


def _kind(expected: Expected) -> Kind:
    if expected.suspects is None:
        return "statement"
    return "issue" if expected.suspects else "control"


def below(floor: Mapping[str, Any], scores: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return where a set is worse than its floor, and what the floor has that was not measured.

    A floor has, by set, the least `right` and `named_within_…`, and the most `controls_blamed`.
    """
    found = []
    for name, least in floor.items():
        measured = scores.get(name)
        if measured is None:
            found.append(f"{name}: not measured")
            continue
        for key, bound in least.items():
            value = measured.get(key)
            worse = value is None or (value > bound if key == "controls_blamed" else value < bound)
            if worse:
                found.append(f"{name}: {key} is {value}, the floor is {bound}")
    return found


def _suspects(expected: Expected, run: run_pb2.Run, place: int | None) -> Iterable[str]:
    named = [suspect.component for suspect in run.suspects]
    if expected.suspects is not None and not expected.suspects and named:
        yield f"names {named[0]} where no cause may be named"
    if expected.suspects and place != 1:
        told = f"names {named[0]} first" if named else "names no cause"
        yield f"{told}; right is {' or '.join(expected.suspects)}"
    if expected.fault and (not run.suspects or run.suspects[0].fault != expected.fault):
        yield f"the first fault is not {expected.fault}"


def _verdict(expected: Expected, run: run_pb2.Run) -> Iterable[str]:
    verdict = short_name(evidence_pb2.Verdict.DESCRIPTOR, run.effective_verdict)
    if run.status != run_pb2.RUN_STATUS_SUCCEEDED:
        yield f"the run ended {short_name(run_pb2.RunStatus.DESCRIPTOR, run.status)}"
    if expected.verdict and verdict != expected.verdict:
        yield f"the verdict is {verdict or 'missing'}, not {expected.verdict}"


def _texts(expected: Expected, run: run_pb2.Run) -> Iterable[str]:
    answer = text_of(run)
    for wanted in expected.states:
        choices = [wanted] if isinstance(wanted, str) else wanted
        if not any(choice.casefold() in answer for choice in choices):
            yield f"does not state {' or '.join(repr(choice) for choice in choices)}"


def text_of(run: run_pb2.Run) -> str:
    """Return what an answer says of the incident, case folded: its summary, its facts, its directions."""
    answer = run.answer
    sections = (answer.summary, answer.confirmed, answer.possible_directions)
    return "\n".join(sentence.text for section in sections for sentence in section).casefold()
