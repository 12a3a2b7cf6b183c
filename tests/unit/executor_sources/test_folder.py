"""Nothing but regular files of the folder is opened."""

import os
from pathlib import Path

import pytest

from services.common.errors import FailedPreconditionError, InvalidArgumentError, NotFoundError
from services.executor.sources.folder import MAX_FILES, Folder, SourceError
from tests.fakes.bundles import write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, {"root/bundle/logs/a.log": "line\n", "root/file": "x", "outside/secret": "no\n"})
    return tmp_path / "root"


@pytest.mark.parametrize("name", ["", " ", "..", "bundle/../..", "/etc", "a\0b", "x" * 2000])
def test_a_name_that_leaves_the_root_is_refused(root: Path, name: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        Folder(root, name)
    assert caught.value.field == "scope.bundle"


def test_what_does_not_exist_and_what_is_no_folder(root: Path) -> None:
    with pytest.raises(NotFoundError):
        Folder(root, "nothing")
    with pytest.raises(FailedPreconditionError):
        Folder(root, "file")


def test_a_bundle_that_is_a_link_out_is_refused(root: Path) -> None:
    (root / "link").symlink_to(root.parent / "outside")
    with pytest.raises(InvalidArgumentError, match="leaves"):
        Folder(root, "link")


def test_a_regular_file_opens_and_a_link_within_the_bundle_too(root: Path) -> None:
    (root / "bundle" / "same").symlink_to(root / "bundle" / "logs" / "a.log")
    folder = Folder(root, "bundle")
    for name in ("logs/a.log", "same"):
        with folder.open(name) as file:
            assert file.read() == b"line\n"


def test_links_out_pipes_folders_and_missing_files_do_not_open(root: Path) -> None:
    bundle = root / "bundle"
    (bundle / "out").symlink_to(root.parent / "outside" / "secret")
    (bundle / "folder").symlink_to(root.parent / "outside")
    (bundle / "loop").symlink_to(bundle / "loop")
    os.mkfifo(bundle / "pipe")
    folder = Folder(root, "bundle")
    for name in ("out", "folder/secret", "loop", "pipe", "logs", "nothing", "../file", "/etc/passwd", "a\0"):
        with pytest.raises(SourceError):
            folder.open(name)


def test_a_link_swapped_in_while_opening_does_not_open(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = root / "bundle"
    folder = Folder(root, "bundle")
    resolve = Path.resolve

    def resolve_then_swap(self: Path, strict: bool = False) -> Path:
        found = resolve(self, strict=strict)
        if self.name == "a.log":
            (bundle / "logs" / "a.log").unlink()
            (bundle / "logs" / "a.log").symlink_to(root.parent / "outside" / "secret")
        return found

    monkeypatch.setattr(Path, "resolve", resolve_then_swap)
    with pytest.raises(SourceError, match="cannot be opened"):
        folder.open("logs/a.log")


def test_the_list_says_what_cannot_be_read(root: Path) -> None:
    bundle = root / "bundle"
    (bundle / "out").symlink_to(root.parent / "outside" / "secret")
    os.mkfifo(bundle / "pipe")
    (bundle / ".hidden").write_text("x")
    (bundle / os.fsdecode(b"bad\xff.log")).write_text("x")
    listed = {item.name: item.problem for item in Folder(root, "bundle").files()}
    assert listed["logs/a.log"] == ""
    assert "out of the bundle" in listed["out"]
    assert "regular" in listed["pipe"]
    assert not any("hidden" in name for name in listed)
    assert any("UTF-8" in problem for problem in listed.values())


def test_the_list_is_bounded(root: Path) -> None:
    for number in range(MAX_FILES + 5):
        (root / "bundle" / f"{number:05d}").touch()
    listed = list(Folder(root, "bundle").files())
    assert len(listed) == MAX_FILES + 1
    assert listed[-1].problem == f"6 more files are left out: {MAX_FILES} are looked at"
