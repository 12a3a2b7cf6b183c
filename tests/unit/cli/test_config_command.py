"""`assay config show` in print."""

import json
import tomllib
from typing import Any

from orchestrator.cli.config_command import as_file, as_json, error_of
from orchestrator.cli.exit_codes import ExitCode
from services.common.settings_report import Report, Setting


def setting(key: str, value: Any, origin: str = "default", **more: Any) -> Setting:  # noqa: ANN401 - JSON
    row = Setting(
        key=key,
        variable=f"ASSAY_PLANNER_{key.upper()}",
        shared_variable="",
        value=value,
        origin=origin,
        default=None,
        description="what it is for",
        secret=False,
    )
    row.update(more)  # type: ignore[typeddict-item]  # members of a row
    return row


VALUES: dict[str, Any] = {
    "text": 'a "b" \\ # c',
    "number": 4,
    "fraction": 0.5,
    "switch": True,
    "names": ["a", "b"],
    "api_key": "********",
}


def report(*rows: Setting, problems: tuple[str, ...] = ()) -> Report:
    return Report(process="planner", file="/etc/assay.toml", settings=list(rows), problems=list(problems))


def test_what_is_shown_is_a_configuration_file_that_says_the_same() -> None:
    shown = as_file([report(*(setting(key, value) for key, value in VALUES.items()))])
    assert tomllib.loads(shown) == {"planner": VALUES}
    assert shown.startswith("# Configuration file: /etc/assay.toml\n")
    assert "# what it is for\nnumber = 4  # default\n" in shown


def test_the_origin_stands_beside_the_value_and_what_is_not_set_is_a_comment() -> None:
    shown = as_file(
        [
            report(
                setting("a", 1, "/etc/assay.toml:3"),
                setting("b", None),
                setting("c", None, "not set"),
                setting("d", None, "chosen by the local stack"),
            )
        ]
    )
    assert "a = 1  # from /etc/assay.toml:3\n" in shown
    assert "# b is not set\n" in shown
    assert "# c is not set\n" in shown
    assert "# d: chosen by the local stack\n" in shown
    assert tomllib.loads(shown) == {"planner": {"a": 1}}


def test_nothing_in_a_value_can_command_the_terminal() -> None:
    hostile = "\x1b[2J\u202egnol\nx"
    shown = as_file([report(setting("text", hostile, f"{hostile}:1"))])
    assert shown.replace("\n", "").isprintable()
    assert "\\u001b[2J" in shown


def test_problems_are_told_once_and_are_the_callers_fault() -> None:
    told = [report(problems=("a", "b")), report(problems=("a",))]
    assert json.loads(as_json(told))["problems"] == ["a", "b"]
    error = error_of(told)
    assert error is not None
    assert (error.exit_code, list(error.details)) == (ExitCode.USAGE, ["a", "b"])
    assert error_of([report()]) is None
