"""What an agent is told of its model: a shared place, its own over it, and everything wrong at once."""

import inspect
import json
from pathlib import Path

import pytest
from pydantic_settings import SettingsConfigDict

from services.common.llm.settings import ReasonerSettings
from services.common.settings import SettingsError, load
from services.common.settings_report import report

CANARY = "canary-c4f2"
OPENAI = {
    "ASSAY_MODEL_REASONER": "openai",
    "ASSAY_MODEL_BASE_URL": "http://127.0.0.1:8080/v1/",
    "ASSAY_MODEL_NAME": "small",
}


class PlannerLike(ReasonerSettings):
    model_config = SettingsConfigDict(env_prefix="ASSAY_PLANNER_")


class ComposerLike(ReasonerSettings):
    model_config = SettingsConfigDict(env_prefix="ASSAY_COMPOSER_")


def with_file(folder: Path, text: str, **environ: str) -> dict[str, str]:
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return {"ASSAY_CONFIG": str(folder / "config.toml"), **environ}


def problems(environ: dict[str, str]) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load(PlannerLike, environ)
    assert CANARY not in str(caught.value)
    return list(caught.value.problems)


def test_nothing_is_needed_while_code_thinks() -> None:
    settings = load(PlannerLike, {})
    assert (settings.reasoner, settings.model_base_url, settings.model_api_key) == ("offline", "", None)


def test_three_variables_give_every_agent_the_model() -> None:
    for settings in (load(PlannerLike, OPENAI), load(ComposerLike, OPENAI)):
        assert (settings.reasoner, settings.model_name) == ("openai", "small")
        assert settings.model_base_url == "http://127.0.0.1:8080/v1"


SHARED_FILE = "[model]\nname = 'shared-file'\n"
OWN_FILE = "[planner]\nmodel_name = 'own-file'\n"


@pytest.mark.parametrize(
    ("text", "environ", "name", "origin"),
    [
        (SHARED_FILE, {}, "shared-file", ":2"),
        (SHARED_FILE, {"ASSAY_MODEL_NAME": "shared"}, "shared", "ASSAY_MODEL_NAME"),
        (SHARED_FILE + OWN_FILE, {"ASSAY_MODEL_NAME": "shared"}, "own-file", ":4"),
        (SHARED_FILE + OWN_FILE, {"ASSAY_PLANNER_MODEL_NAME": "own"}, "own", "ASSAY_PLANNER_MODEL_NAME"),
    ],
)
def test_an_agents_own_value_lies_over_the_shared_one(
    tmp_path: Path, text: str, environ: dict[str, str], name: str, origin: str
) -> None:
    environ = with_file(tmp_path, text, **environ)
    row = next(row for row in report(PlannerLike, environ)["settings"] if row["key"] == "model_name")
    assert row["value"] == name
    assert row["origin"].endswith(origin)
    assert row["shared_variable"] == "ASSAY_MODEL_NAME"
    # What is another agent's own is not everybody's.
    shared = load(ComposerLike, environ).model_name
    assert shared == environ.get("ASSAY_MODEL_NAME", "shared-file")


def test_everything_that_the_model_needs_is_named_at_once() -> None:
    assert problems({"ASSAY_PLANNER_REASONER": "openai", "ASSAY_MODEL_TIMEOUT_SECONDS": "0"}) == [
        "ASSAY_MODEL_BASE_URL: the reasoner openai needs it",
        "ASSAY_MODEL_NAME: the reasoner openai needs it",
        "ASSAY_MODEL_TIMEOUT_SECONDS: Input should be greater than 0",
    ]


def test_a_misspelt_shared_name_is_refused_with_the_nearest_right_one(tmp_path: Path) -> None:
    environ = with_file(tmp_path, "[model]\nnmae = 'x'\n", ASSAY_MODEL_BASE_ULR="x")
    path = environ["ASSAY_CONFIG"]
    assert problems(environ) == [
        f"{path}:2: [model] nmae: no such setting; did you mean name?",
        "ASSAY_MODEL_BASE_ULR: no such setting; did you mean ASSAY_MODEL_BASE_URL?",
    ]


@pytest.mark.parametrize(
    "url",
    [
        f"ftp://{CANARY}/v1",
        f"{CANARY}:8080",
        f"http://user:{CANARY}@host/v1",
        f"http://host/v1?key={CANARY}",
        f"http://host/v1#{CANARY}",
        f"http://host:99999/{CANARY}",
        f"http://host/{CANARY} v1",
        f"http://host/{CANARY}\n",
        "http://",
        "http://[::1/v1",
        "https://host/v1/chat/completions",
    ],
)
def test_an_address_that_is_no_base_url_is_refused_and_not_shown(url: str) -> None:
    (problem,) = problems({**OPENAI, "ASSAY_MODEL_BASE_URL": url})
    assert problem.startswith("ASSAY_MODEL_BASE_URL: write it ")


@pytest.mark.parametrize("url", ["https://host", "http://[::1]:8080/v1", "http://a-b.example/x/v1"])
def test_a_base_url_is_http_with_a_host(url: str) -> None:
    assert load(PlannerLike, {**OPENAI, "ASSAY_MODEL_BASE_URL": url}).model_base_url == url


@pytest.mark.parametrize("key", [f"{CANARY}\n", f" {CANARY}", f"{CANARY}\r\nX: y", f"{CANARY}é"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(key: str) -> None:
    (problem,) = problems({**OPENAI, "ASSAY_MODEL_API_KEY": key})
    assert problem.startswith("ASSAY_MODEL_API_KEY: holds a character that no key has")


def test_the_key_is_hidden_by_its_type() -> None:
    made = report(PlannerLike, {**OPENAI, "ASSAY_MODEL_API_KEY": CANARY})
    assert CANARY not in json.dumps(made)
    # The positive control: it was read.
    key = load(PlannerLike, {**OPENAI, "ASSAY_MODEL_API_KEY": CANARY}).model_api_key
    assert key is not None
    assert key.get_secret_value() == CANARY


def test_every_setting_of_the_model_may_be_shared() -> None:
    own = inspect.get_annotations(ReasonerSettings).keys() & ReasonerSettings.model_fields.keys()
    assert set(ReasonerSettings.shared_keys.values()) == own
    for key, field in ReasonerSettings.shared_keys.items():
        assert key == field.removeprefix("model_")
