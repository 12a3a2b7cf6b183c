"""One orchestrator per database file, whoever starts the second one and however the file is called."""

import asyncio
import errno
import fcntl
import os
import sys
from pathlib import Path

import pytest

from orchestrator.store.ownership import SUFFIX, owned
from orchestrator.store.port import StoreOpenError

# Owns the file of its argument, says so, and waits for the end of its input.
OWNER = """
import asyncio, sys
from pathlib import Path
from orchestrator.store.ownership import owned

async def main():
    async with owned(Path(sys.argv[1]), 1):
        print("owned", flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


async def an_owner(path: Path) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        OWNER,
        str(path),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    async with asyncio.timeout(60):
        assert await process.stdout.readline() == b"owned\n"
    return process


async def refusal(path: Path, wait_seconds: float = 0) -> str:
    with pytest.raises(StoreOpenError) as error:
        async with owned(path, wait_seconds):
            pytest.fail("two own one file")
    message = str(error.value)
    assert "\n" not in message
    return message


async def test_another_process_is_named_until_it_ends_however_that_is(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    owner = await an_owner(path)
    assert f"the orchestrator with process id {owner.pid} uses it" in await refusal(path)
    owner.kill()
    await owner.wait()
    async with owned(path, 0):
        assert f"process id {os.getpid()} uses it" in await refusal(path)
    async with owned(path, 0):
        pass


async def test_who_comes_second_waits_for_the_first_to_end(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    first = owned(path, 0)
    await first.__aenter__()
    entering = asyncio.create_task(owned(path, 60).__aenter__())
    # The second has tried at least once when this one was refused.
    await refusal(path, 0.2)
    assert not entering.done()
    await first.__aexit__(None, None, None)
    async with asyncio.timeout(60):
        await entering


async def test_another_name_of_the_file_is_the_same_file(tmp_path: Path) -> None:
    path, alias = tmp_path / "runs.db", tmp_path / "alias.db"
    path.write_bytes(b"")
    alias.symlink_to(path)
    async with owned(path, 0):
        assert str(alias) in await refusal(alias)
        async with owned(tmp_path / "other.db", 0):
            pass


@pytest.mark.parametrize("holder", [b"", b"\xff\xff", b"12\x1b[2J", b"9" * 1000])
async def test_a_lock_that_says_nonsense_is_quoted_to_nobody(tmp_path: Path, holder: bytes) -> None:
    path = tmp_path / "runs.db"
    async with owned(path, 0):
        (tmp_path / f"runs.db{SUFFIX}").write_bytes(holder)
        message = await refusal(path)
    assert message.isprintable()
    assert len(message) < 200 + len(str(path))


@pytest.mark.parametrize("in_the_way", ["a folder", "a link", "no folder"])
async def test_a_lock_that_cannot_be_written(tmp_path: Path, in_the_way: str) -> None:
    path = tmp_path / "runs.db"
    lock = tmp_path / f"runs.db{SUFFIX}"
    if in_the_way == "a folder":
        lock.mkdir()
    elif in_the_way == "a link":
        # What stands at its other end must not be overwritten.
        (tmp_path / "precious").write_text("x")
        lock.symlink_to(tmp_path / "precious")
    else:
        path = tmp_path / "none" / "runs.db"
    assert "cannot be written" in await refusal(path)
    assert in_the_way != "a link" or (tmp_path / "precious").read_text() == "x"


async def test_a_folder_that_allows_no_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    assert "use a file on a local disk" in await refusal(tmp_path / "runs.db")
