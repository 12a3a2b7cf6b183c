"""The configuration file: which one, what cannot be read, and where in it a key stands."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.common.processes import SERVICES
from services.common.settings_file import MAX_CONFIG_BYTES, TABLES, ConfigFileError, read_config


def written(folder: Path, text: str | bytes) -> dict[str, str]:
    """Write a configuration file and return the environment that names it."""
    path = folder / "config.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return {"ASSAY_CONFIG": str(path)}


def test_without_a_name_it_is_the_users_own_and_may_be_absent(tmp_path: Path) -> None:
    assert read_config({}).path is None
    assert read_config({"HOME": str(tmp_path)}).path is None
    for environ, folder in (
        ({"HOME": str(tmp_path)}, tmp_path / ".config"),
        ({"HOME": "/nowhere", "XDG_CONFIG_HOME": str(tmp_path / "xdg")}, tmp_path / "xdg"),
    ):
        (folder / "assay").mkdir(parents=True)
        (folder / "assay" / "config.toml").write_text("[planner]\nlog_level = 'debug'\n")
        assert read_config(environ).table("planner") == {"log_level": "debug"}


def test_a_named_one_wins_and_an_empty_name_is_none(tmp_path: Path) -> None:
    (tmp_path / "assay").mkdir()
    (tmp_path / "assay" / "config.toml").write_text("[planner]\nlog_level = 'debug'\n")
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert read_config({**environ, **written(tmp_path, "")}).values == {}
    assert read_config({**environ, "ASSAY_CONFIG": ""}).path is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"[planner]\n\xff = 1\n", ":2: is not UTF-8 text"),
        (b"[planner]\nlog_level = \n", ":2: is not TOML: invalid value"),
        (b"[planner]\nx = 1\nx = 2\n", ":3: is not TOML: cannot overwrite"),
        (b"[planner]\nx = 1\x00\n", ":2: is not TOML"),
        (b"\xff\xfe[\x00p\x00]\x00", ":1: is not UTF-8 text"),
        (b"x = " + b"[" * 20_000, "holds a value that no setting can have"),
        (b"x = " + b"9" * 5_000, "holds a value that no setting can have"),
        (b"#" * (MAX_CONFIG_BYTES + 1), "is larger than 64 KiB"),
    ],
)
def test_what_is_no_configuration_is_one_line_that_names_the_file(
    tmp_path: Path, text: bytes, says: str
) -> None:
    environ = written(tmp_path, text)
    with pytest.raises(ConfigFileError) as caught:
        read_config(environ)
    assert caught.value.message.startswith(environ["ASSAY_CONFIG"])
    assert says in caught.value.message
    assert caught.value.message.isprintable()


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", 100 << 20)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, says in {
        "pipe": "is not a regular file",
        "": "is a folder",
        "huge": "is larger than 64 KiB",
        "gone": "there is no such file",
        "loop": "cannot be read",
        "a\0b": "cannot be read",
        "x" * 300: "cannot be read",
        "huge/below": "cannot be read",
    }.items():
        with pytest.raises(ConfigFileError, match=says):
            read_config({"ASSAY_CONFIG": f"{tmp_path}/{name}"})
    with pytest.raises(ConfigFileError, match="is not a regular file"):
        read_config({"ASSAY_CONFIG": "/dev/zero"})


def test_a_link_to_a_file_is_read(tmp_path: Path) -> None:
    written(tmp_path, "[planner]\n")
    (tmp_path / "link").symlink_to(tmp_path / "config.toml")
    assert "planner" in read_config({"ASSAY_CONFIG": str(tmp_path / "link")}).values


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[planner]\nlisten = 'a:1'\n", 2),
        ("# listen\n[executor]\nlisten = 'b:2'\n[planner]\n# listen = 'c:3'\nlisten = 'a:1'\n", 6),
        ("planner.listen = 'a:1'\n", 1),
        ("\nplanner = { listen = 'a:1' }\n", 2),
        ("[planner]\nlog_level = '''\n[planner]\nlisten = 'x'\n'''\nlisten = 'a:1'\n", 6),
        ("[planner]\r\n\r\n\"listen\" = 'a:1'\r\n", 3),
        ("\ufeff[planner]\nlisten = 'a:1'", 2),
    ],
)
def test_a_key_is_found_where_it_stands(tmp_path: Path, text: str, line: int) -> None:
    file = read_config(written(tmp_path, text))
    assert file.table("planner")["listen"] == "a:1"
    assert file.place("planner", "listen") == f"{file.path}:{line}"


def test_a_key_that_is_not_written_as_it_is_called_has_no_line(tmp_path: Path) -> None:
    file = read_config(written(tmp_path, '[planner]\n"l\\u0069sten" = 1\n'))
    assert file.place("planner", "listen") == str(file.path)


@given(st.integers(0, 30), st.integers(0, 30))
def test_lines_are_counted_whatever_stands_around(
    tmp_path_factory: pytest.TempPathFactory, above: int, between: int
) -> None:
    text = (
        "# listen\n" * above + "[planner]\n" + "\n" * between + "listen = 'a:1'\n[verifier]\nlisten = 'x'\n"
    )
    file = read_config(written(tmp_path_factory.mktemp("config"), text))
    assert file.place("planner", "listen") == f"{file.path}:{above + between + 2}"


def test_every_process_has_a_table() -> None:
    assert set(SERVICES) < set(TABLES)
