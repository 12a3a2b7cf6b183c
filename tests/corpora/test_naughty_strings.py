"""The Big List of Naughty Strings in every text field of every request, in bundles, and as typed."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from assay.common.v1 import tool_pb2
from assay.orchestrator.v1 import diagnosis_pb2, run_pb2

from orchestrator.cli import human
from orchestrator.cli.layout import Layout
from orchestrator.cli.progress import describe
from services.common.evidence.matching import hides
from tests.fakes.bundles import TOPOLOGY, a_response, write
from tests.fakes.command_line import ASSAY, LIMIT_SECONDS, environment
from tests.fakes.investigation import investigate
from tests.fakes.runs import proven_run
from tests.fuzz.calls import Calls
from tests.fuzz.naughty import FIELDS, ask, strings_of
from tests.fuzz.servers import METHODS

# Here every field meets every 64th string, and every string some of the fields; `make fuzz` tries the others.
STEP: Final = 64


@pytest.fixture(scope="session")
def strings(shared: Path) -> Sequence[str]:
    found = strings_of(shared)
    assert len(found) > 500
    return found


@pytest.fixture(scope="session")
def payloads(shared: Path) -> Sequence[str]:
    """What commands a terminal, raw and as it is written in text."""
    data = json.loads((shared / "corpora" / "garak" / "ansi_payloads.json").read_text(encoding="utf-8"))
    found = [text for texts in data.values() if isinstance(texts, list) for text in texts]
    assert any("\x1b" in text for text in found)
    return found


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Calls]:
    with Calls(tmp_path_factory.mktemp("servers")) as running:
        yield running


def test_every_text_field_of_every_request_is_known() -> None:
    paths = {f"{name}.{'.'.join(field.path)}" for name, field in FIELDS}
    assert len(paths) == len(FIELDS) > 80
    assert {
        "DiagnosisService.Diagnose.question",
        "GatekeeperService.Check.document",
        "ExecutorService.Execute.steps.arguments_json",
    } <= paths
    assert {name for name, _ in FIELDS} == METHODS.keys() - {
        "DiagnosisService.PruneRuns",
        "ProcessService.GetProcess",
    }


@pytest.mark.parametrize("name", sorted({name for name, _ in FIELDS}))
def test_a_naughty_string_in_a_field_is_an_answer_or_a_code_of_the_contract(
    calls: Calls, strings: Sequence[str], name: str
) -> None:
    tried = 0
    for number, (method, field) in enumerate(FIELDS):
        if method != name:
            continue
        for text in strings[number % STEP :: STEP]:
            ask(calls, name, field, text)
            tried += 1
    calls.check_serving()
    assert tried >= len(strings) // STEP


def shown(run: run_pb2.Run) -> str:
    return human.render(run, Layout(width=80), "assay show x")


def test_what_is_shown_of_a_run_never_commands_a_terminal(
    strings: Sequence[str], payloads: Sequence[str]
) -> None:
    for text in [*strings, *payloads]:
        run = proven_run()
        for sentence in (*run.answer.summary, *run.answer.confirmed, *run.answer.next_checks):
            sentence.text = text
        run.suspects[0].component = text
        run.context.question = text
        run.checked[1].source = run.checked[1].reason = text
        run.claims[0].evidence[0].evidence.places[0].source = text
        assert not hides(shown(run))


def test_the_progress_of_a_run_never_commands_a_terminal(
    strings: Sequence[str], payloads: Sequence[str]
) -> None:
    for text in [*strings, *payloads]:
        started = diagnosis_pb2.DiagnoseResponse(started=diagnosis_pb2.RunStarted(run_id=text))
        event = run_pb2.OrchestrationEvent(node=text, outcome=text, reason_code=text)
        called = tool_pb2.Checked(tool_name=text, source=text, reason=text)
        for message in (
            started,
            diagnosis_pb2.DiagnoseResponse(event=event),
            diagnosis_pb2.DiagnoseResponse(invocation=called),
        ):
            assert not hides(describe(message))
            assert "\n" not in describe(message)


def hostile_bundle(folder: Path, texts: Sequence[str]) -> Path:
    """Write the texts as log lines, labels of metrics, texts of alerts and changes, and names of services."""
    minutes = [f"2026-11-30T09:{number % 60:02d}:00Z" for number in range(len(texts))]
    logs = [f"{minute} ERROR {text}" for minute, text in zip(minutes, texts, strict=True)]
    records = [
        json.dumps({"ts": minute, "level": "error", "msg": text})
        for minute, text in zip(minutes, texts, strict=True)
    ]
    samples = [(1796029200.0 + 15 * number, str(number)) for number in range(8)]
    series = [({"__name__": "up", "job": text}, samples) for text in texts]
    alert = {"activeAt": minutes[0], "state": "firing"}
    change = {"time": minutes[0], "type": "config_change"}
    return write(
        folder,
        {
            "logs/text.log": "\n".join(logs).encode(),
            "logs/plain.log": "\n".join(texts).encode(),
            "logs/records.jsonl": "\n".join(records),
            "metrics/up.json": a_response(*series),
            "alerts.json": {"data": {"alerts": [{**alert, "labels": {"alertname": text}} for text in texts]}},
            "events.json": [{**change, "service": text, "summary": text} for text in texts],
            "topology.json": {**TOPOLOGY, "services": [{"name": text, "kind": text} for text in texts]},
        },
    )


def test_a_diagnosis_of_naughty_sources_ends(
    tmp_path: Path, strings: Sequence[str], payloads: Sequence[str]
) -> None:
    texts = [text for text in [*strings[::4], *payloads] if "\n" not in text]
    found = investigate(hostile_bundle(tmp_path / "bundle", texts), texts[0] or "why?")
    assert len(found.calls) >= 7


def on_the_command_line(home: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603 - the project's own command
        [ASSAY, *arguments], env=environment(home), capture_output=True, timeout=LIMIT_SECONDS, check=False
    )


def test_a_naughty_bundle_never_commands_the_terminal(
    tmp_path: Path, strings: Sequence[str], payloads: Sequence[str]
) -> None:
    texts = [text for text in [*strings[::16], *payloads] if "\n" not in text]
    bundle = hostile_bundle(tmp_path / "bundle", texts)
    question = next(text for text in payloads if "\x1b" in text and "\x00" not in text)
    ended = on_the_command_line(tmp_path / "home", "diagnose", question, "--bundle", str(bundle))
    assert ended.returncode in (0, 3), ended.stderr
    assert b"\\x1b" in ended.stdout
    for output in (ended.stdout, ended.stderr):
        assert not hides(output.decode())
        assert b"Traceback" not in ended.stderr


# Each call of the command is a process: a few strings, chosen for what they are.
_TYPED: Final = (" ", "\u202eevil", "\x1b[31mred", "--help\x1b", "$(touch x)\x9b")


@pytest.mark.parametrize("text", _TYPED)
@pytest.mark.parametrize("place", ["question", "bundle", "run id"])
def test_a_naughty_argument_is_one_message_and_never_a_command(tmp_path: Path, place: str, text: str) -> None:
    """The target is a port where nobody listens, so that what is typed reaches the last check of it."""
    to = ("--target", "127.0.0.1:1")
    words = {
        "question": ("diagnose", *to, "--bundle", "x", "--", text),
        "bundle": ("diagnose", *to, f"--bundle={text}", "why?"),
        "run id": ("show", *to, "--", text),
    }[place]
    ended = on_the_command_line(tmp_path / "home", *words)
    assert ended.returncode in (1, 2)
    assert not ended.stdout
    message = ended.stderr.decode()
    assert message.startswith("assay: ")
    assert message.count("\n") == 1
    assert not hides(message)
    assert "Traceback" not in message
