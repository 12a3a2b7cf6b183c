"""What a person typed becomes a request, or an error that names the option."""

from pathlib import Path

import pytest
from assay.common.v1 import context_pb2

from orchestrator.cli.errors import CommandError
from orchestrator.cli.exit_codes import ExitCode
from orchestrator.cli.options import Bundle, address, local_bundle, path, remote_bundle, request, shown

_BUNDLE = Bundle(None, "b")


def test_a_local_bundle_is_its_folder_below_its_parent(tmp_path: Path) -> None:
    folder = tmp_path / "an incident"
    folder.mkdir()
    (folder / "app.log").write_text("x")
    assert local_bundle(folder) == Bundle(tmp_path.resolve(), "an incident")
    assert local_bundle(folder / "." / ".." / "an incident") == Bundle(tmp_path.resolve(), "an incident")


def test_a_local_bundle_may_be_a_zip_file(tmp_path: Path) -> None:
    (tmp_path / "incident.ZIP").write_bytes(b"whether it can be read is the executor's to say")
    assert local_bundle(tmp_path / "incident.ZIP") == Bundle(tmp_path.resolve(), "incident.ZIP")


def test_a_local_bundle_must_be_a_folder_with_something_in_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "name\udcff").mkdir()
    (tmp_path / "name\udcff" / "a.log").write_text("x")
    for folder, reason in (
        (tmp_path / "loop", "cannot be read"),
        (tmp_path / "name\udcff", "not UTF-8"),
        (tmp_path / "missing", "there is no folder"),
        (tmp_path / "file", "is a file"),
        (tmp_path / "empty", "is empty"),
        (Path("/"), "root of the file system"),
        (tmp_path / ("x" * 300), "cannot be read"),
    ):
        with pytest.raises(CommandError, match=reason) as caught:
            local_bundle(folder)
        assert caught.value.exit_code is ExitCode.USAGE


@pytest.mark.parametrize("name", ["/srv/incidents/a", "../a", "a/../../b", "."])
def test_a_remote_bundle_is_never_a_path_of_this_machine(name: str) -> None:
    with pytest.raises(CommandError, match="with --target") as caught:
        remote_bundle(Path(name))
    assert caught.value.exit_code is ExitCode.USAGE


def test_a_remote_bundle_is_a_plain_relative_name() -> None:
    assert remote_bundle(Path("incidents/a")) == Bundle(None, "incidents/a")
    with pytest.raises(CommandError, match="at most 1024"):
        remote_bundle(Path("x" * 2000))


def test_a_request_holds_what_was_asked() -> None:
    message = request("why?", _BUNDLE, "2026-11-30T10:00:00+01:00", "2026-11-30T09:30:00Z", "cause")
    assert message.question == "why?"
    assert message.scope.bundle == "b"
    assert message.intent == context_pb2.INTENT_CAUSE
    assert message.window.start.ToJsonString() == "2026-11-30T09:00:00Z"
    assert message.window.end.ToJsonString() == "2026-11-30T09:30:00Z"


def test_what_was_not_asked_is_absent() -> None:
    message = request("why?", _BUNDLE, "", "", "")
    assert not message.HasField("window")
    assert message.intent == context_pb2.INTENT_UNSPECIFIED


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("  ", _BUNDLE, "", "", ""), "QUESTION is empty"),
        (("x" * 5000, _BUNDLE, "", "", ""), "5000 characters"),
        (("why \udcff", _BUNDLE, "", "", ""), "QUESTION: .* not UTF-8"),
        (("why?", _BUNDLE, "", "", "guess"), "--intent"),
        (("why?", _BUNDLE, "yesterday", "", ""), "--window-start"),
        (("why?", _BUNDLE, "", "2026-11-30T09:30:00", ""), "--window-end: .* no time zone"),
        (("why?", _BUNDLE, "0001-01-01T00:00:00+14:00", "", ""), "--window-start: .* out of range"),
        (("why?", _BUNDLE, "2026-11-30T09:30:00Z", "2026-11-30T09:30:00Z", ""), "not after"),
    ],
)
def test_each_wrong_value_names_its_option(arguments: tuple[str, Bundle, str, str, str], reason: str) -> None:
    with pytest.raises(CommandError, match=reason) as caught:
        request(*arguments)
    assert caught.value.exit_code is ExitCode.USAGE


@pytest.mark.parametrize("target", ["127.0.0.1:50051", "[::1]:1", "diagnosis.example:65535"])
def test_a_target_is_host_and_port(target: str) -> None:
    assert address(target) == target


def test_no_target_is_none_given() -> None:
    assert address(None) == ""


@pytest.mark.parametrize(
    "target",
    ["", " ", "host", "host:", ":1", "host:http", "host:65536", "http://host:1", "a b:1", "\udcff:1"],
)
def test_any_other_target_is_refused(target: str) -> None:
    with pytest.raises(CommandError, match="--target") as caught:
        address(target)
    assert caught.value.exit_code is ExitCode.USAGE


def test_an_empty_path_is_not_the_current_folder() -> None:
    assert path("--bundle", ".") == Path()
    with pytest.raises(CommandError, match="--bundle is empty"):
        path("--bundle", "")


def test_a_time_may_be_written_in_small_letters() -> None:
    message = request("why?", _BUNDLE, "2026-11-30t09:00:00z", "", "")
    assert message.window.start.ToJsonString() == "2026-11-30T09:00:00Z"


def test_a_message_shows_the_beginning_of_what_is_long() -> None:
    assert shown("x" * 200) == "x" * 200
    assert len(shown("x" * 5000)) < 250
