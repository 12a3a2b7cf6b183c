"""Which tools have something to read in a bundle."""

from pathlib import Path

import pytest

from services.executor.catalog import readable
from services.executor.tools.registry import tools
from tests.fakes.bundles import opened, write
from tests.fakes.clusters import described_pod

FILES = {
    "logs/api.log": "2026-11-30T09:00:00Z INFO started\n",
    "pods/billing.txt": described_pod(("Failed", "Error: ImagePullBackOff")),
    "runbooks/full-disk.md": "# Full disk\n\nFree some of it.\n",
}


@pytest.mark.parametrize(
    ("files", "read_by"),
    [
        (["logs/api.log"], {"logs"}),
        (["pods/billing.txt"], {"kubernetes"}),
        (["logs/api.log", "runbooks/full-disk.md"], {"logs", "runbooks"}),
    ],
)
def test_a_tool_without_anything_to_read_is_left_out(
    tmp_path: Path, files: list[str], read_by: set[str]
) -> None:
    offered = tools(1 << 20, 60)
    bundle = opened(write(tmp_path / "bundle", {file: FILES[file] for file in files}))
    wanted = {name for name in offered if name.partition("_")[0] in read_by}
    assert set(readable(offered, bundle.sources)) == wanted
