"""Threat: paths.

`..`, absolute, `%2e`, NUL, symlinks swapped during open, FIFOs, `/proc`, device files.
Must happen: only regular files under the bundle's root.
"""

import os
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final
from urllib.parse import unquote

import pytest

from services.executor.sources import directory as defence
from services.executor.sources.directory import Directory, SourceError
from services.executor.sources.folder import Folder
from tests.fakes.bundles import write

SECRET: Final = b"the secret outside\n"
INSIDE: Final = b"inside\n"


def _link(bundle: Path) -> None:
    (bundle / "link").symlink_to(bundle.parent / "outside" / "secret")


def _link_of_a_folder(bundle: Path) -> None:
    (bundle / "folder").symlink_to(bundle.parent / "outside")


def _pipe(bundle: Path) -> None:
    os.mkfifo(bundle / "pipe")


def _nothing(_: Path) -> None:
    pass


# What a stranger asks for, and what lies in the bundle for that.
ATTACKS: Final[Mapping[str, tuple[Callable[[Path], None], str]]] = {
    "a step up": (_nothing, "../outside/secret"),
    "a step up behind a name": (_nothing, "logs/../../outside/secret"),
    "a coded step up": (_nothing, "%2e%2e/outside/secret"),
    "an absolute path": (_nothing, "/proc/self/status"),
    "a device": (_nothing, "/dev/zero"),
    "a link": (_link, "link"),
    "a link of a folder": (_link_of_a_folder, "folder/secret"),
    "a pipe": (_pipe, "pipe"),
}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    write(tmp_path, {"bundle/logs/a.log": INSIDE, "outside/secret": SECRET})
    return tmp_path / "bundle"


def opens(bundle: Path, name: str) -> bool:
    """Tell whether a name leads to something that is no regular file of the bundle."""
    try:
        with Folder(bundle.parent, "bundle").open(name) as file:
            return file.read(64) != INSIDE
    except SourceError:
        return False


def _naive(self: Directory, name: str) -> BinaryIO:
    """Open what a name leads to, as one does who thinks of no stranger."""
    path = self.path / unquote(name)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        return BytesIO(file.read(64))


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_but_a_regular_file_of_the_bundle_opens(bundle: Path, name: str) -> None:
    prepare, asked = ATTACKS[name]
    prepare(bundle)
    assert not opens(bundle, asked)


@pytest.mark.parametrize("name", ATTACKS)
def test_control_without_the_defence_each_would_open(
    bundle: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    prepare, asked = ATTACKS[name]
    prepare(bundle)
    monkeypatch.setattr(Directory, "open", _naive)
    assert opens(bundle, asked)


@pytest.mark.parametrize("asked", ["a\0b", "logs/a.log\0", "\0"])
def test_a_name_with_nul_is_refused(bundle: Path, asked: str) -> None:
    assert not opens(bundle, asked)
    # The control: no system opens such a name, so that without the refusal it would be an error of Python.
    with pytest.raises(ValueError, match="null"):
        _naive(Directory(bundle), asked)


def _file(bundle: Path) -> None:
    (bundle / "logs" / "a.log").unlink()
    (bundle / "logs" / "a.log").symlink_to(bundle.parent / "outside" / "secret")


def _folder(bundle: Path) -> None:
    (bundle / "logs").rename(bundle / "moved")
    (bundle.parent / "outside" / "a.log").write_bytes(SECRET)
    (bundle / "logs").symlink_to(bundle.parent / "outside")


# What is swapped, and the flags that refuse to follow it.
SWAPS: Final = {"file": (_file, "_FILE_FLAGS"), "folder": (_folder, "_FOLDER_FLAGS")}


def swapping(monkeypatch: pytest.MonkeyPatch, bundle: Path, swap: Callable[[Path], None]) -> None:
    """Put a link in the place of a file, or of its folder, once its name was looked at."""
    resolve = Path.resolve

    def resolve_then_swap(self: Path, strict: bool = False) -> Path:
        found = resolve(self, strict=strict)
        if self.name == "a.log":
            swap(bundle)
        return found

    monkeypatch.setattr(Path, "resolve", resolve_then_swap)


@pytest.mark.parametrize("swapped", SWAPS)
def test_a_link_that_is_swapped_in_while_opening_does_not_open(
    bundle: Path, monkeypatch: pytest.MonkeyPatch, swapped: str
) -> None:
    swap, _ = SWAPS[swapped]
    swapping(monkeypatch, bundle, swap)
    assert not opens(bundle, "logs/a.log")


@pytest.mark.parametrize("swapped", SWAPS)
def test_control_with_links_followed_the_swapped_one_opens(
    bundle: Path, monkeypatch: pytest.MonkeyPatch, swapped: str
) -> None:
    swap, flags = SWAPS[swapped]
    swapping(monkeypatch, bundle, swap)
    monkeypatch.setattr(defence, flags, getattr(defence, flags) & ~os.O_NOFOLLOW)
    assert opens(bundle, "logs/a.log")


def test_what_a_stranger_laid_into_a_bundle_is_listed_with_its_problem(bundle: Path) -> None:
    for prepare in (_link, _link_of_a_folder, _pipe):
        prepare(bundle)
    problems = {item.name: item.problem for item in Folder(bundle.parent, "bundle").files()}
    assert problems.pop("logs/a.log") == ""
    assert problems.keys() == {"link", "folder", "pipe"}
    assert all(problems.values())
