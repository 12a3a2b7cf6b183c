"""The committed stubs are what the contracts generate. `--write` generates them."""

import filecmp
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

CONTRACTS = Path("protos")
STUBS = CONTRACTS / "gen"


def generate(target: Path) -> None:
    """Write the stubs of every contract below a folder."""
    sources = sorted(str(path) for path in (CONTRACTS / "assay").rglob("*.proto"))
    binaries = Path(sys.executable).parent
    subprocess.run(  # noqa: S603 - the arguments are the project's own files
        [
            sys.executable,
            "-m",
            "grpc_tools.protoc",
            f"-I{CONTRACTS}",
            f"--plugin=protoc-gen-mypy={binaries / 'protoc-gen-mypy'}",
            f"--plugin=protoc-gen-mypy_grpc={binaries / 'protoc-gen-mypy_grpc'}",
            f"--python_out={target}",
            f"--mypy_out=quiet:{target}",
            f"--grpc_python_out={target}",
            f"--mypy_grpc_out=quiet:{target}",
            *sources,
        ],
        check=True,
    )
    for path in target.rglob("*_pb2_grpc.py*"):
        # The generator writes an empty module for a contract without a service.
        if "Stub" not in path.read_text(encoding="utf-8"):
            path.unlink()


def differences(fresh: Path, committed: Path) -> Iterator[str]:
    """Yield one line per stub that is missing, stale or left over."""
    names = {path.relative_to(root) for root in (fresh, committed) for path in root.rglob("*_pb2*.py*")}
    for name in sorted(names):
        if "__pycache__" in name.parts:
            continue
        if not (committed / name).exists():
            yield f"{committed / name}: missing"
        elif not (fresh / name).exists():
            yield f"{committed / name}: left over, no contract generates it"
        elif not filecmp.cmp(fresh / name, committed / name, shallow=False):
            yield f"{committed / name}: stale"


def main(arguments: list[str]) -> int:
    """Compare, or write; returns the exit code."""
    if arguments == ["--write"]:
        shutil.rmtree(STUBS, ignore_errors=True)
        STUBS.mkdir()
        generate(STUBS)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        problems = list(differences(Path(folder), STUBS))
    sys.stdout.writelines(f"{problem} (run: make proto)\n" for problem in problems)
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
