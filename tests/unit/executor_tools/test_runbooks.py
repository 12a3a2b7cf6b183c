"""Runbooks: told by what they hold, searched by section, and worth no proof."""

from pathlib import Path

import pytest
from assay.common.v1 import tool_pb2

from services.common.errors import FailedPreconditionError
from services.common.evidence.strict_json import Json
from services.executor.sources.prose import is_prose
from services.executor.tools.registry import tools
from services.executor.tools.runbooks import MAX_LINES, RunbookSearch, runbooks_search
from tests.fakes.bundles import a_stop, opened, write

DNS = """\
# Resolvers

Names are resolved by the cluster.

## When names fail
Look at the policies.
```
# this is no heading
dig example.org
```
"""
PAGE = """\
Replicas Mismatch
=================
A deployment has too few.

Diagnosis
---------
Describe the deployment.
"""
LOG = "2026-11-30T09:00:00Z INFO a\n2026-11-30T09:00:01Z INFO b\n"


def found(
    tmp_path: Path, *words: str, limit: int = 10, dns: str = DNS
) -> tuple[list[tuple[str, int, int]], bool]:
    """Return file and lines of each section that is shown, and whether there is more."""
    bundle = opened(write(tmp_path, {"runbooks/dns.md": dns, "page.txt": PAGE, "app.txt": LOG}))
    output = runbooks_search(bundle, RunbookSearch(words=list(words), limit=limit), a_stop())
    assert isinstance(output.document, dict)
    sections = output.document["sections"]
    assert isinstance(sections, list)
    return [_place(each) for each in sections], output.truncated


def _place(section: Json) -> tuple[str, int, int]:
    assert isinstance(section, dict)
    source, first, last = section["source"], section["first_line"], section["last_line"]
    assert isinstance(source, str)
    return source, int(str(first)), int(str(last))


def test_without_words_every_section_is_shown_code_unbroken(tmp_path: Path) -> None:
    places, truncated = found(tmp_path)
    assert places == [
        ("page.txt", 1, 4),
        ("page.txt", 5, 7),
        ("runbooks/dns.md", 1, 4),
        ("runbooks/dns.md", 5, 10),
    ]
    assert not truncated


def test_the_section_that_holds_most_words_comes_first(tmp_path: Path) -> None:
    assert found(tmp_path, "names", "POLICIES") == (
        [("runbooks/dns.md", 5, 10), ("runbooks/dns.md", 1, 4)],
        False,
    )
    assert found(tmp_path, "names", limit=1) == ([("runbooks/dns.md", 1, 4)], True)
    assert found(tmp_path, "volcano") == ([], False)


def test_a_long_section_is_cut_and_says_so(tmp_path: Path) -> None:
    long = "# One\n" + "line\n" * MAX_LINES
    assert found(tmp_path, "One", dns=long) == ([("runbooks/dns.md", 1, MAX_LINES + 1)], True)


def test_it_is_a_reference_document() -> None:
    assert tools(1 << 20, 30)["runbooks_search"].kind == tool_pb2.DOCUMENT_KIND_REFERENCE


def test_prose_alone_is_no_incident(tmp_path: Path) -> None:
    with pytest.raises(FailedPreconditionError, match="no readable source"):
        opened(write(tmp_path, {"runbooks/dns.md": DNS}))


@pytest.mark.parametrize("text", ["", "free text", "a  b\n---  ---", "\n====", "#!/bin/sh", "#tag"])
def test_what_has_no_heading_is_no_prose_by_its_content(text: str) -> None:
    assert not is_prose("page.txt", text.splitlines())
