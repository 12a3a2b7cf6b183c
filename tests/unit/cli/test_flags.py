"""The options before the command: where what they say goes."""

import os

import pytest
import typer
from typer.main import get_command

from orchestrator.cli import flags
from orchestrator.cli.app import app
from orchestrator.cli.settings import CommandSettings


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> typer.Context:
    for name in ("NO_COLOR", "ASSAY_CONFIG", "ASSAY_EXECUTOR_WORKERS", "ASSAY_TLS_KEY_FILE"):
        # Registered, so that what a test sets is taken away again.
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return typer.Context(get_command(app))


def test_flags_lie_over_the_environment_of_whatever_is_started(context: typer.Context) -> None:
    told = flags.lay_over("a.toml", ["executor.workers=4"], {"key": "a.key", "ca": None})
    assert told == {
        "ASSAY_CONFIG": "--config",
        "ASSAY_EXECUTOR_WORKERS": "--set",
        "ASSAY_TLS_KEY_FILE": "--tls-key",
    }
    assert os.environ["ASSAY_TLS_KEY_FILE"] == "a.key"
    assert (os.environ["ASSAY_CONFIG"], os.environ["ASSAY_EXECUTOR_WORKERS"]) == ("a.toml", "4")
    assert context.default_map is None


def test_settings_are_the_defaults_of_every_command(context: typer.Context) -> None:
    settings = CommandSettings(target="127.0.0.1:7", timeout_seconds=5, listen="127.0.0.1:8")
    flags.set_defaults(context, settings)
    assert context.default_map is not None
    assert {"diagnose", "show", "up"} <= context.default_map.keys()
    for defaults in context.default_map.values():
        assert defaults == {"target": "127.0.0.1:7", "timeout": 5, "listen": "127.0.0.1:8"}
    assert "NO_COLOR" not in os.environ


def test_without_a_target_there_is_no_default_for_it(context: typer.Context) -> None:
    flags.set_defaults(context, CommandSettings())
    assert context.default_map is not None
    assert "target" not in context.default_map["show"]


def test_color_never_is_no_color(context: typer.Context) -> None:
    flags.set_defaults(context, CommandSettings(color="never"))
    assert os.environ["NO_COLOR"] == "1"
