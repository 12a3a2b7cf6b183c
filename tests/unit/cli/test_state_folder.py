"""Where state lives, and that one command at a time has it."""

import asyncio
from pathlib import Path

import pytest

from orchestrator.cli.errors import CommandError
from orchestrator.cli.state_folder import exclusive, prepare, state_folder


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"ASSAY_HOME": "/a", "XDG_STATE_HOME": "/b", "HOME": "/c"}, "/a"),
        ({"XDG_STATE_HOME": "/b", "HOME": "/c"}, "/b/assay"),
        ({"HOME": "/c"}, "/c/.local/state/assay"),
        ({"ASSAY_HOME": "", "XDG_STATE_HOME": "", "HOME": "/c"}, "/c/.local/state/assay"),
    ],
)
def test_the_first_that_is_set_wins(environ: dict[str, str], folder: str) -> None:
    assert state_folder(environ) == Path(folder)


def test_prepare_makes_a_private_folder(tmp_path: Path) -> None:
    folder = prepare(tmp_path / "a" / "b")
    assert folder.stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(CommandError, match="set ASSAY_HOME"):
        prepare(tmp_path / "file" / "assay")


def test_a_home_that_nobody_has_is_one_clear_error() -> None:
    with pytest.raises(CommandError, match="set ASSAY_HOME"):
        state_folder({"ASSAY_HOME": "~nobody-has-this-name/assay"})


def test_a_file_in_place_of_the_folder_is_called_that(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(CommandError, match="not a folder"):
        prepare(tmp_path / "file")


async def test_a_second_command_waits_for_the_first(tmp_path: Path) -> None:
    order: list[str] = []
    second_waits = asyncio.Event()

    async def second() -> None:
        async with exclusive(tmp_path, 30, second_waits.set):
            order.append("second")

    async with exclusive(tmp_path, 30, lambda: order.append("the first must not wait")):
        task = asyncio.create_task(second())
        await second_waits.wait()
        order.append("first")
    await task
    assert order == ["first", "second"]


async def test_waiting_is_bounded(tmp_path: Path) -> None:
    async with exclusive(tmp_path, 30, lambda: None):
        with pytest.raises(CommandError, match="another assay command"):
            async with exclusive(tmp_path, 0.01, lambda: None):
                pytest.fail("two commands hold one folder")
