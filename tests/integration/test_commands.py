"""The commands on this machine's own runs: the real stack, the recorded incidents, every kind of output."""

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.fakes.command_line import ASSAY, LIMIT_SECONDS, assay, environment, on_terminal, services
from tests.integration.conftest import Diagnosed


@pytest.fixture
def ids(proven: Diagnosed, unproven: Diagnosed) -> list[str]:
    """The runs of both incidents."""
    return [str(proven.answer["run_id"]), str(unproven.answer["run_id"])]


def _run(home: Path, *arguments: str, **more: str) -> str:
    ended = assay(home, *arguments, **more)
    assert ended.code == 0, ended.stderr
    assert services(home) == {}
    return ended.stdout


def test_runs_are_listed_with_verdict_and_suspect(home: Path, ids: list[str], proven: Diagnosed) -> None:
    lines = _run(home, "runs").splitlines()
    rows = {line.split()[0]: line.split() for line in lines[1:]}
    assert set(ids) <= rows.keys()
    assert rows[ids[0]][4:7] == ["SUCCEEDED", "PASS", proven.answer["suspects"][0]["component"]]
    assert rows[ids[1]][4:7] == ["SUCCEEDED", "LOW_CONFID", "-"]
    objects = [json.loads(line) for line in _run(home, "runs", "--json").splitlines()]
    assert [run["run_id"] for run in objects] == list(rows)
    failed = assay(home, "runs", "--status", "failed", "--until", "52w")
    assert (failed.code, failed.stdout, failed.stderr) == (0, "", "assay: there is no such run\n")


@pytest.mark.parametrize("columns", [40, 120])
def test_a_list_fits_the_terminal(home: Path, ids: list[str], columns: int) -> None:
    ended = on_terminal(home, columns, "runs")
    assert ended.code == 0
    assert "\x1b" not in ended.stdout
    assert all(len(line) <= columns for line in ended.stdout.splitlines() if not line.startswith("["))
    assert all(run_id[:8] in ended.stdout for run_id in ids)


def test_a_list_in_a_place_that_knows_only_ascii(tmp_path: Path, home: Path, ids: list[str]) -> None:
    assert ids[0] in _run(home, "runs", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "a.log").write_text("2026-11-30T09:00:00Z ERROR no\n")
    asked = assay(tmp_path / "home", "diagnose", "pourquoi é?", "--bundle", str(tmp_path / "log"))
    assert asked.code in {0, 3}
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert "pourquoi \\xe9?" in _run(tmp_path / "home", "runs", **plain)
    assert "pourquoi é?" in _run(tmp_path / "home", "runs", PYTHONUTF8="1")


@pytest.mark.parametrize("command", ["runs", "show latest --invocation ID --raw"])
@pytest.mark.parametrize(("redirected", "code"), [("| (exec <&-)", 0), (">/dev/full", 1)])
def test_output_without_a_reader_is_quiet_and_output_without_room_is_an_error(
    home: Path, proven: Diagnosed, ids: list[str], command: str, redirected: str, code: int
) -> None:
    words = command.replace("latest", ids[0]).replace("ID", _cited(proven)[0]["source_invocation_id"]).split()
    script = f'{{ "$0" "$@"; echo "ended $?" >&2; }} {redirected}'
    ended = subprocess.run(  # noqa: S603 - the project's own command behind the system's shell
        ["/bin/sh", "-c", script, ASSAY, *words],
        env=environment(home),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert ended.stderr.endswith(f"ended {code}\n")
    assert "Traceback" not in ended.stderr
    assert ("No space left" in ended.stderr) is bool(code)


def test_the_path_of_a_run(home: Path, ids: list[str], proven: Diagnosed) -> None:
    text = _run(home, "trace", ids[0][:10])
    events = proven.answer["trace"]["events"]
    shown = [line.split()[:4] for line in text.splitlines() if re.match(r"\d+  ", line)]
    assert shown == [[str(e["sequence"]), e["node"], e["outcome"], str(e["attempt"])] for e in events]
    assert f"ended in {proven.answer['trace']['final_node']}: " in text
    assert json.loads(_run(home, "trace", ids[0], "--json")) == proven.answer["trace"]


def _cited(diagnosed: Diagnosed) -> list[dict[str, str]]:
    return [binding for claim in diagnosed.answer["claims"] for binding in claim["evidence_bindings"]]


def test_every_citation_of_an_answer_can_be_checked_by_hand(
    home: Path, ids: list[str], proven: Diagnosed
) -> None:
    calls = json.loads(_run(home, "trace", ids[0], "--invocations", "--json"))["invocations"]
    by_id = {call["id"]: call for call in calls}
    assert [call["id"] for call in calls] == [
        row["invocation_id"] for row in proven.answer["checked"] if row["invocation_id"]
    ]
    first = _cited(proven)[0]
    for binding in _cited(proven)[:3]:
        assert by_id[binding["source_invocation_id"]]["tool_name"] == binding["tool_name"]
        place = ("--invocation", binding["source_invocation_id"], "--pointer", binding["raw_path"])
        assert binding["matched_text"] in _run(home, "show", ids[0], *place)
        assert binding["matched_text"] in _run(home, "show", ids[0], *place, "--raw")
    whole = _run(home, "show", ids[0], "--invocation", first["source_invocation_id"])
    assert any(line.startswith(f"{first['raw_path']}  ") for line in whole.splitlines())


def test_raw_output_is_what_was_recorded_byte_for_byte(home: Path, ids: list[str]) -> None:
    call = json.loads(_run(home, "trace", ids[0], "--invocations", "--json"))["invocations"][0]
    shown = subprocess.run(  # noqa: S603 - the project's own command
        [ASSAY, "show", ids[0], "--invocation", call["id"], "--raw"],
        env=environment(home),
        capture_output=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert shown.returncode == 0
    assert len(shown.stdout) == call["output_bytes"]
    assert hashlib.sha256(shown.stdout).hexdigest() == call["output_sha256"]
    refused = on_terminal(home, 80, "show", ids[0], "--invocation", call["id"], "--raw")
    assert (refused.code, "command the terminal" in refused.stdout) == (2, True)


@pytest.mark.parametrize(
    ("place", "says"),
    [
        (("--invocation", "inv-0"), "has no invocation inv-0"),
        (("--invocation", "ID", "--pointer", "/nowhere"), "--pointer: /nowhere: no such member"),
        (("--invocation", "ID", "--pointer", "nowhere"), "--pointer: nowhere: "),
    ],
)
def test_a_place_that_is_not_there(
    home: Path, ids: list[str], proven: Diagnosed, place: tuple[str, ...], says: str
) -> None:
    known = _cited(proven)[0]["source_invocation_id"]
    ended = assay(home, "show", ids[0], *(known if word == "ID" else word for word in place))
    assert (ended.code, ended.stdout) == (2, "")
    assert says in ended.stderr


def test_tools_with_what_each_could_read(home: Path, proven: Diagnosed) -> None:
    alone = json.loads(_run(home, "tools", "--json"))
    assert alone["sources"] == []
    with_bundle = json.loads(_run(home, "tools", "--bundle", str(proven.bundle), "--json"))
    assert [tool["name"] for tool in with_bundle["tools"]] == [tool["name"] for tool in alone["tools"]]
    reads = {tool["name"]: tool["sources"] for tool in with_bundle["tools"]}
    logs = sorted(f"logs/{path.name}" for path in (proven.bundle / "logs").iterdir())
    assert reads["logs_search"] == logs
    text = _run(home, "tools", "--bundle", str(proven.bundle))
    assert text.count("  could read ") == len(alone["tools"])
    assert all(len(line) <= 80 for line in text.splitlines())


def test_old_runs_are_forgotten_when_a_person_agrees(home: Path, ids: list[str], tmp_path: Path) -> None:
    own = tmp_path / "home"
    shutil.copytree(home, own)
    count = len(_run(own, "runs", "--json").splitlines())
    refused = on_terminal(own, 80, "runs", "prune", "--keep", "1", typed="n\n")
    assert (refused.code, "nothing was forgotten" in refused.stdout) == (4, True)
    assert len(_run(own, "runs", "--json").splitlines()) == count
    agreed = on_terminal(own, 80, "runs", "prune", "--keep", "1", typed="y\n")
    assert agreed.code == 0
    assert agreed.stdout.endswith(f"{count - 1} run{'s' if count > 2 else ''} forgotten\n")
    assert len(_run(own, "runs", "--json").splitlines()) == 1
    gone = min(ids, key=lambda run_id: run_id in _run(own, "runs"))
    assert assay(own, "trace", gone).code == 2
