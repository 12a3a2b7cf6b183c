import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_settings import SettingsConfigDict

from services.common.settings import ServiceSettings, SettingsError, load, process_name

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


@pytest.mark.parametrize("address", ["127.0.0.1:0", "localhost:50051", "[::1]:65535", "0.0.0.0:1"])
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
