"""What `docs/deploy.md` says of a copy of the run store is done, to a store that is open."""

import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.fuzz.calls import SEEDS
from tests.fuzz.servers import servers

_STORE: Final = "/var/lib/assay/runs/"


async def test_a_copy_of_the_running_database_is_whole(project: Path, tmp_path: Path) -> None:
    page = (project / "docs" / "deploy.md").read_text(encoding="utf-8")
    shown = re.search(r'python -c "(.+?)"$', page, re.MULTILINE)
    assert shown is not None
    program = (
        shown[1].replace(f"{_STORE}assay.sqlite3", f"{tmp_path}/runs.db").replace(_STORE, f"{tmp_path}/")
    )
    (asked,) = SEEDS["DiagnosisService.Diagnose"]
    async with servers(tmp_path) as running:
        run_id, _ = await running.diagnose(asked)  # type: ignore[arg-type] # the seeds are of all kinds
        subprocess.run([sys.executable, "-c", program], check=True, timeout=60)  # noqa: S603, ASYNC221 - ours
    with sqlite3.connect(tmp_path / "copy.sqlite3") as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = copy.execute("SELECT count(*) FROM diagnosis_run WHERE run_id = ?", (run_id,))
        assert found.fetchone() == (1,)
    copy.close()
