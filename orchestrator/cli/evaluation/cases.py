"""Past incidents of a folder, each with what turned out to be right.

A case is a folder that holds `bundle/` or `bundle.zip`, as `assay diagnose` takes it, and `answer.json`:

    {"question": "why do checkouts fail since 14:02?",
     "suspects": ["inventory"],
     "fault": "config.changed",
     "verdict": "PASS",
     "states": ["too many clients", ["revision 42", "rev. 42"]]}

`question` may stand in the bundle's `question.txt` instead. `suspects` are the components one of which must
be named first; an empty list means that no cause may be named. The other members are optional: the first
suspect's fault, the verdict, and texts each of which must stand in the answer whatever its case; of an inner
list one is enough.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from orchestrator.cli.errors import CommandError, wrong_input
from orchestrator.cli.options import shown

ANSWER_FILE: Final = "answer.json"
_BUNDLES: Final = ("bundle", "bundle.zip")
_QUESTION_FILE: Final = "question.txt"
_MAX_BYTES: Final = 64 << 10
_MAX_PROBLEMS: Final = 10
Text = Annotated[str, StringConstraints(min_length=1, max_length=4096)]


class Expected(BaseModel):
    """What a right answer says."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)

    question: Annotated[str, StringConstraints(max_length=4096)] = ""
    suspects: Annotated[list[Text], Field(max_length=64)] | None = None
    fault: str = ""
    verdict: Literal["", "PASS", "LOW_CONFID", "REJECT"] = ""
    states: Annotated[list[Text | list[Text]], Field(max_length=64)] = Field(default_factory=list)


@dataclass(frozen=True)
class Case:
    """One past incident; `bundle` is its name below the folder that all are in."""

    name: str
    bundle: str
    question: str
    expected: Expected


def cases_in(folder: Path) -> list[Case]:
    """Return the cases of a folder by name; raises CommandError with everything that is wrong with them."""
    try:
        answers = sorted(folder.glob(f"*/{ANSWER_FILE}"))
    except OSError as error:
        raise wrong_input(f"DIR: {shown(folder)} cannot be read: {error.strerror}") from None
    found: list[Case] = []
    problems: list[str] = []
    for path in answers:
        try:
            found.append(_case(path))
        except CommandError as error:
            problems.append(error.message)
    if problems:
        more = [f"and {len(problems) - _MAX_PROBLEMS} more"] if len(problems) > _MAX_PROBLEMS else []
        raise wrong_input("these cases cannot be used", [*problems[:_MAX_PROBLEMS], *more])
    if not found:
        raise wrong_input(
            f"DIR: no folder in {shown(folder)} holds an {ANSWER_FILE}; each case is a folder with it and "
            "bundle/ or bundle.zip"
        )
    return found


def _case(answer: Path) -> Case:
    folder = answer.parent
    expected = _expected(answer)
    bundle = next((folder / name for name in _BUNDLES if (folder / name).exists()), None)
    if bundle is None:
        raise wrong_input(f"{folder.name}: there is neither bundle/ nor bundle.zip")
    question = expected.question or _read(bundle / _QUESTION_FILE, folder.name).strip()
    if not question:
        raise wrong_input(f"{folder.name}: there is no question in {ANSWER_FILE}, nor a {_QUESTION_FILE}")
    if expected.suspects is None and not expected.states and not expected.verdict:
        raise wrong_input(f"{folder.name}: {ANSWER_FILE} asks for nothing: give suspects, states or verdict")
    return Case(folder.name, f"{folder.name}/{bundle.name}", question, expected)


def _expected(path: Path) -> Expected:
    name = f"{path.parent.name}/{path.name}"
    try:
        return Expected.model_validate_json(_read(path, name))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if isinstance(part, int) or part in _MEMBERS)
        raise wrong_input(f"{name}: {where or 'the object'}: {first['msg']}") from None


def _read(path: Path, name: str) -> str:
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise wrong_input(f"{name}: {path.name} is longer than {_MAX_BYTES >> 10} KiB")
        return data.decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise wrong_input(f"{name}: {path.name} cannot be read: {reason}") from None


_MEMBERS: Final = frozenset(Expected.model_fields)
