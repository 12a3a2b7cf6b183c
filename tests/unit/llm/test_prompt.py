"""Prompts are files with a name and a version, and no text changes under the version that it had."""

import hashlib
from pathlib import Path

import pytest

from services.common.errors import DataLossError
from services.common.llm.prompt import FILE, load, parse
from services.common.reasoning import PromptId

SERVICES = Path(__file__).parents[3] / "services"
# Rows are only ever added: name, version, SHA-256 of the text.
HASHES = Path(__file__).with_name("prompt_hashes.tsv")
WRITTEN = "---\nname: some_openai\nversion: 3\n---\n\nYou judge.\n\nBe brief.\n"

PACKAGES = sorted(
    ".".join(file.relative_to(SERVICES.parent).parent.parts) for file in SERVICES.glob(f"*/openai/{FILE}")
)


def test_a_prompt_has_a_name_a_version_and_a_text() -> None:
    prompt = parse(WRITTEN, "here")
    assert prompt.id == PromptId("some_openai", "3")
    assert prompt.text == "You judge.\n\nBe brief."


@pytest.mark.parametrize(
    "written",
    [
        "",
        "You judge.",
        WRITTEN.replace("name: some_openai\n", ""),
        WRITTEN.replace("version: 3", "version: 0"),
        WRITTEN.replace("version: 3", "version: next"),
        WRITTEN.replace("version: 3", "version: 3\nauthor: me"),
        WRITTEN.replace("some_openai", "Some Prompt"),
        WRITTEN.replace("---\n\nYou", "\n\nYou"),
        WRITTEN.partition("You")[0],
        "\ufeff" + WRITTEN,
        WRITTEN.replace("\n", "\r\n"),
    ],
)
def test_anything_else_is_one_clear_error(written: str) -> None:
    with pytest.raises(DataLossError, match=r"^here is no prompt: it begins with ---"):
        parse(written, "here")


def test_a_missing_file_is_one_clear_error() -> None:
    with pytest.raises(DataLossError, match=r"prompt\.md of services\.gatekeeper cannot be read"):
        load("services.gatekeeper")


@pytest.mark.parametrize("package", PACKAGES)
def test_a_changed_text_has_a_changed_version(package: str) -> None:
    prompt = load(package)
    rows = [line.split("\t") for line in HASHES.read_text().splitlines()]
    known = {(name, version): digest for name, version, digest in rows}
    assert len(known) == len(rows)
    digest = hashlib.sha256(prompt.text.encode()).hexdigest()
    found = known.get((prompt.id.name, prompt.id.version))
    assert found == digest, f"raise the version and add: {prompt.id.name}, {prompt.id.version}, {digest}"
