"""Many at once on the real stack; how long and how much for 200 is measured by `make bench`."""

from pathlib import Path

import pytest

from dev.crowd import measure
from tests.bad_input.command import LOG
from tests.fakes.bundles import write
from tests.fakes.command_line import environment


async def test_twelve_submissions_at_once_all_end_with_an_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").mkdir()
    bundle = write(tmp_path / "bundle", {"app.log": LOG, "question.txt": "Why does app fail?"})
    home = tmp_path / "home"
    assert await measure(home, bundle, 12, environment(home))
    told = capsys.readouterr().out
    assert "12 RUN_STATUS_SUCCEEDED\n" in told
    assert "peak memory, orchestrator" in told
