import difflib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from pydantic_settings import SettingsConfigDict

from services.common.settings import ServiceSettings, SettingsError, examine, load, process_name

PREFIX = "ASSAY_SAMPLE_"
CANARY = "canary-e1b0"


class SampleSettings(ServiceSettings):
    model_config = SettingsConfigDict(env_prefix=PREFIX)

    root: str
    token: str = ""


NAMES = [PREFIX + field.upper() for field in SampleSettings.model_fields]


def test_values_come_from_the_variables_with_the_prefix() -> None:
    environ = {
        "ASSAY_SAMPLE_ROOT": "/data",
        "ASSAY_SAMPLE_DRAIN_SECONDS": "2.5",
        "ASSAY_SAMPLE_REFLECTION": "0",
    }
    settings = load(SampleSettings, {**environ, "ASSAY_OTHER_ROOT": "x", "root": "y", "PATH": "/bin"})
    assert (settings.root, settings.drain_seconds, settings.reflection) == ("/data", 2.5, False)
    assert settings.listen == "127.0.0.1:0"


def test_the_environment_of_the_process_is_read_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SAMPLE_ROOT", "/from-the-process")
    with pytest.raises(SettingsError):
        load(SampleSettings, {})
    assert SampleSettings(root="/given").root == "/given"


def test_all_problems_are_named_at_once_and_no_value_is_shown() -> None:
    environ = {
        "ASSAY_SAMPLE_MAX_MESSAGE_BYTES": CANARY,
        "ASSAY_SAMPLE_DRAIN_SECONDS": "-1",
        "ASSAY_SAMPLE_LISTEN": f"{CANARY}:99999",
        "ASSAY_SAMPLE_TOKENS": CANARY,
    }
    with pytest.raises(SettingsError) as caught:
        load(SampleSettings, environ)
    named = {problem.split(":")[0] for problem in caught.value.problems}
    assert named == {*environ, "ASSAY_SAMPLE_ROOT"}
    assert CANARY not in str(caught.value)


@given(st.sampled_from(NAMES), st.data())
def test_a_misspelt_variable_is_refused_with_the_nearest_right_one(name: str, data: st.DataObject) -> None:
    position = data.draw(st.integers(len(PREFIX), len(name) - 1))
    misspelt = name[:position] + "Q" + name[position + 1 :]
    with pytest.raises(SettingsError) as caught:
        load(SampleSettings, {"ASSAY_SAMPLE_ROOT": "/data", misspelt: "1"})
    (nearest,) = difflib.get_close_matches(misspelt, NAMES, n=1)
    assert caught.value.problems == [f"{misspelt}: no such setting; did you mean {nearest}?"]


@pytest.mark.parametrize("address", ["127.0.0.1:0", "localhost:50051", "[::1]:65535"])
def test_an_address_is_host_and_port(address: str) -> None:
    assert SampleSettings(root="", listen=address).listen == address


@pytest.mark.parametrize(
    "address", ["", "localhost", ":1", "localhost:", "localhost:65536", "a b:1", "http://a:1"]
)
def test_anything_else_is_no_address(address: str) -> None:
    with pytest.raises(SettingsError, match="write it as host:port"):
        load(SampleSettings, {"ASSAY_SAMPLE_ROOT": "", "ASSAY_SAMPLE_LISTEN": address})


def test_a_process_is_named_by_its_prefix() -> None:
    assert process_name(SampleSettings) == "sample"


def with_file(folder: Path, text: str, **environ: str) -> dict[str, str]:
    path = folder / "config.toml"
    path.write_text(text, encoding="utf-8")
    return {"ASSAY_CONFIG": str(path), **environ}


PLANNER = "[planner]\n"


class PlannerLike(ServiceSettings):
    """A model with the prefix of a process that the file knows."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_PLANNER_")

    root: str = "/default"
    token: SecretStr | None = None
    endpoint: str = ""
    names: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("in_file", "in_environment", "root"),
    [
        (None, None, "/default"),
        ("/file", None, "/file"),
        (None, "/variable", "/variable"),
        ("/file", "/variable", "/variable"),
        ("/file", "", ""),
    ],
)
def test_the_environment_lies_over_the_file_over_the_default(
    tmp_path: Path, in_file: str | None, in_environment: str | None, root: str
) -> None:
    environ = with_file(tmp_path, PLANNER + (f"root = '{in_file}'\n" if in_file else ""))
    if in_environment is not None:
        environ["ASSAY_PLANNER_ROOT"] = in_environment
    assert load(PlannerLike, environ).root == root


def test_a_value_of_the_file_means_what_the_text_of_a_variable_means(tmp_path: Path) -> None:
    text = "max_concurrent_rpcs = 7\ndrain_seconds = 2.5\nreflection = false\nnames = ['a', 'b']\nroot = 5\n"
    settings = load(PlannerLike, with_file(tmp_path, PLANNER + text))
    assert (settings.max_concurrent_rpcs, settings.drain_seconds, settings.reflection) == (7, 2.5, False)
    assert (settings.names, settings.root) == (("a", "b"), "5")


def test_every_problem_of_the_file_is_named_with_its_place(tmp_path: Path) -> None:
    text = f"""\
workers = 4
gatekeeper = 1
[[verifier]]
[planer]
listen = "x:1"
[planner]
listn = "{CANARY}"
max_concurrent_rpcs = true
drain_seconds = nan
log_level = "{CANARY}"
max_message_bytes = 0x{"f" * 5000}
token = ["{CANARY}"]
"a\\u001b[2J" = 1
"""
    environ = with_file(tmp_path, text, ASSAY_PLANNER_REFLECTIONS="1")
    with pytest.raises(SettingsError) as caught:
        load(PlannerLike, environ)
    said = "\n".join(caught.value.problems)
    path = environ["ASSAY_CONFIG"]
    for problem in (
        f"{path}:1: workers: stands in no table; known are",
        f"{path}:2: gatekeeper: is not a table",
        f"{path}:3: verifier: is not a table",
        f"{path}:4: planer: no such table; did you mean planner?",
        f"{path}:7: [planner] listn: no such setting; did you mean listen?",
        f"{path}:8: [planner] max_concurrent_rpcs: Input should be a valid integer",
        f"{path}:9: [planner] drain_seconds: Input should be a finite number",
        f"{path}:10: [planner] log_level: Input should be 'debug'",
        f"{path}:11: [planner] max_message_bytes: ",
        f"{path}:12: [planner] token: Input should be a valid string",
        f"{path}: [planner] 'a\\x1b[2J': no such setting",
        "ASSAY_PLANNER_REFLECTIONS: no such setting; did you mean ASSAY_PLANNER_REFLECTION?",
    ):
        assert problem in said
    assert len(caught.value.problems) == 12
    assert CANARY not in said


_PIECES = [
    "[",
    "]",
    "=",
    "\n",
    '"',
    "'''",
    "#",
    "{",
    "}",
    ",",
    ".",
    "planner",
    "listen",
    "1",
    "nan",
    "\\u0000",
]


@given(st.one_of(st.lists(st.sampled_from(_PIECES)).map("".join), st.text()))
def test_whatever_a_file_holds_there_are_settings_or_problems(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(text.encode("utf-8", "replace"))
    examined = examine(PlannerLike, {"ASSAY_CONFIG": str(path)})
    assert (examined.settings is None) == bool(examined.problems)
    assert all(problem.isprintable() for problem in examined.problems)


def test_the_tables_of_others_are_theirs(tmp_path: Path) -> None:
    environ = with_file(tmp_path, "[executor]\nno_such_key = 1\n")
    assert load(PlannerLike, environ).root == "/default"


def test_a_file_that_cannot_be_read_is_one_problem_beside_the_others(tmp_path: Path) -> None:
    environ = with_file(tmp_path, "[planner", ASSAY_PLANNER_DRAIN_SECONDS="soon")
    with pytest.raises(SettingsError) as caught:
        load(PlannerLike, environ)
    assert [problem.split(":")[0] for problem in caught.value.problems] == [
        environ["ASSAY_CONFIG"],
        "ASSAY_PLANNER_DRAIN_SECONDS",
    ]
