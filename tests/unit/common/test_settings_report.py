"""What a process tells of its settings: origin, meaning, and no secret whatever is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field, Secret, SecretBytes, SecretStr
from pydantic_settings import SettingsConfigDict

from services.common.settings import ServiceSettings
from services.common.settings_report import HIDDEN, Setting, print_report, report

CANARY = "canary-77aa"


class Sample(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix="ASSAY_PLANNER_")

    root: Path = Field(description="where it looks")
    workers: int = Field(2, description="how many work")
    api_key: SecretStr | None = Field(None, description="key of the endpoint")
    password: SecretBytes = SecretBytes(b"canary-77aa-default")
    pin: Secret[int] = Field(Secret(1))
    keys: dict[str, SecretStr] = Field(default_factory=dict)
    endpoint: str = "http://localhost"


SECRETS = {"api_key", "password", "pin", "keys"}
LEGAL = {
    "ASSAY_PLANNER_ROOT": "/data",
    "ASSAY_PLANNER_API_KEY": CANARY,
    "ASSAY_PLANNER_PIN": "4711",
    "ASSAY_PLANNER_ENDPOINT": f"https://user:{CANARY}@host.example:1/path?q=a@b",
}


def rows(environ: dict[str, str]) -> dict[str, Setting]:
    return {row["key"]: row for row in report(Sample, environ)["settings"]}


def test_each_setting_has_its_value_origin_and_meaning(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[planner]\nworkers = 5\n")
    made = report(Sample, {**LEGAL, "ASSAY_CONFIG": str(path)})
    assert (made["process"], made["file"], made["problems"]) == ("planner", str(path), [])
    found = {row["key"]: row for row in made["settings"]}
    assert list(found) == list(Sample.model_fields)
    assert found["root"] == Setting(
        key="root",
        variable="ASSAY_PLANNER_ROOT",
        shared_variable="",
        value="/data",
        origin="ASSAY_PLANNER_ROOT",
        default=None,
        description="where it looks",
        secret=False,
    )
    assert (found["workers"]["value"], found["workers"]["origin"]) == (5, f"{path}:2")
    assert (found["drain_seconds"]["value"], found["drain_seconds"]["origin"]) == (10.0, "default")


def test_a_secret_is_hidden_by_its_type_alone() -> None:
    found = rows(LEGAL)
    assert {key for key, row in found.items() if row["secret"]} == SECRETS
    assert found["api_key"]["value"] == HIDDEN
    assert found["password"]["value"] == HIDDEN
    assert found["pin"]["value"] == HIDDEN
    assert CANARY not in json.dumps(found)
    # The positive control: the value that is hidden was read.
    assert Sample(root=Path("/"), api_key=SecretStr(CANARY)).api_key == SecretStr(CANARY)
    assert found["endpoint"]["value"] == f"https://{HIDDEN}@host.example:1/path?q=a@b"


def test_a_secret_that_is_not_set_is_not_made_up() -> None:
    assert rows({})["api_key"]["value"] is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"ASSAY_PLANNER_WORKERS": CANARY},
        {"ASSAY_PLANNER_PIN": CANARY},
        {"ASSAY_PLANNER_KEYS": CANARY},
        {"ASSAY_PLANNER_API_KEYS": CANARY},
    ],
)
def test_wrong_settings_are_shown_and_their_secrets_are_not(wrong: dict[str, str]) -> None:
    made = report(Sample, {**LEGAL, **wrong})
    assert len(made["problems"]) == 1
    assert next(iter(wrong)) in made["problems"][0]
    assert CANARY not in json.dumps(made)
    found: dict[str, Any] = {row["key"]: row["value"] for row in made["settings"]}
    assert found["root"] == "/data"
    assert found["api_key"] == HIDDEN


def test_a_required_setting_that_nobody_sets_is_called_so() -> None:
    found = rows({})
    assert (found["root"]["value"], found["root"]["origin"]) == (None, "not set")


def test_the_exit_code_tells_whether_the_settings_are_legal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_CONFIG", "")
    monkeypatch.setenv("ASSAY_PLANNER_ROOT", "/data")
    assert print_report(Sample) == 0
    monkeypatch.setenv("ASSAY_PLANNER_ROTO", "/data")
    assert print_report(Sample) == 2
    for line in capsys.readouterr().out.splitlines():
        assert json.loads(line)["process"] == "planner"
