"""Every command that the README shows is run as it stands there, and ends as it should."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.fakes.agents import hanging, stack
from tests.fakes.command_line import asked
from tests.fakes.model_endpoint import scripted
from tests.fakes.sensible_model import agent_of, sensible
from tests.integration.conftest import Diagnosed

# What is shown, and the exit code that it has here.
LOCAL = {
    'assay diagnose "Why do checkouts fail since 14:02?" --bundle path/to/folder': (0, 3),
    "assay show RUN_ID --json": (0,),
    "assay diagnose --help": (0,),
    "assay runs --since 24h --status degraded": (0,),
    "assay show RUN_ID": (0,),
    "assay trace RUN_ID": (0,),
    "assay trace RUN_ID --invocations": (0,),
    "assay show RUN_ID --invocation ID --pointer /PLACE": (0,),
    "assay tools --bundle FOLDER": (0,),
    "assay eval DIR": (0,),
    "assay runs prune --older-than 30d --dry-run": (0,),
    "assay doctor": (0,),
    "assay config show": (0,),
}
REMOTE = (
    "assay diagnose QUESTION --bundle NAME --target HOST:PORT --detach",
    "assay runs cancel RUN_ID --target HOST:PORT",
)
# One needs a shell around it, the other runs until told to end: see `test_completion` and `test_up`.
ELSEWHERE = ("assay --show-completion", "assay up", "assay up --bundle-root path/to/incidents")


def shown_in(readme: str) -> set[str]:
    """Return the commands in code lines and in code within text."""
    in_blocks = re.findall(r"^\.venv/bin/(assay .+?)(?: +#.*)?$", readme, re.MULTILINE)
    return {*in_blocks, *re.findall(r"`(assay [^`]+)`", readme)}


def test_every_command_has_its_row_here(project: Path) -> None:
    assert shown_in((project / "README.md").read_text(encoding="utf-8")) == {*LOCAL, *REMOTE, *ELSEWHERE}


@pytest.fixture(scope="module")
def past(proven: Diagnosed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of past incidents with one in it."""
    folder = tmp_path_factory.mktemp("past")
    shutil.copytree(proven.bundle, folder / "one" / "bundle")
    answer = {"suspects": [proven.truth["root_cause_service"]]}
    (folder / "one" / "answer.json").write_text(json.dumps(answer))
    return folder


@pytest.mark.parametrize("command", LOCAL)
async def test_it_runs(home: Path, proven: Diagnosed, past: Path, command: str) -> None:
    binding = proven.answer["claims"][0]["evidence_bindings"][0]
    names = {
        "RUN_ID": proven.answer["run_id"],
        "ID": binding["source_invocation_id"],
        "/PLACE": binding["raw_path"],
        "FOLDER": str(proven.bundle),
        "path/to/folder": str(proven.bundle),
        "DIR": str(past),
    }
    words = [names.get(word, word) for word in shlex.split(command)[1:]]
    ended = await asked(home, *words)
    assert ended.code in LOCAL[command], ended.stderr
    assert ended.stdout or "there is no such run" in ended.stderr


async def test_the_variables_of_a_model_are_all_that_it_needs(
    project: Path, tmp_path: Path, proven: Diagnosed
) -> None:
    readme = (project / "README.md").read_text(encoding="utf-8")
    (exported,) = re.findall(r"^export (ASSAY_MODEL_.+)$", readme, re.MULTILINE)
    variables = dict(word.split("=", 1) for word in exported.split())
    async with scripted(sensible) as endpoint:
        variables["ASSAY_MODEL_BASE_URL"] = endpoint.base_url
        question = "Why do checkouts fail?"
        ended = await asked(
            tmp_path, "diagnose", question, "--bundle", str(proven.bundle), "--json", **variables
        )
    agents = json.loads(ended.stdout)["usage"]["agents"]
    assert {agent_of(request) for request in endpoint.completions} >= {"Plan", "Step", "Judgement"}
    assert {agent["model_failure"] for agent in agents} == {""}
    assert {request.json["model"] for request in endpoint.completions} == {variables["ASSAY_MODEL_NAME"]}


async def test_those_that_need_a_service_run_against_one(tmp_path: Path) -> None:
    async with stack(tmp_path / "runs.db", hanging("verifier")) as running:
        names = {"HOST:PORT": running.address, "NAME": "incident", "QUESTION": "why?"}
        printed = []
        for command in REMOTE:
            ended = await asked(
                tmp_path / "home", *[names.get(word, word) for word in shlex.split(command)[1:]]
            )
            assert ended.code == 0, ended.stderr
            printed.append(ended.stdout.split())
            names["RUN_ID"] = printed[0][0]
        assert printed == [[names["RUN_ID"]], [names["RUN_ID"], "CANCELLED"]]
