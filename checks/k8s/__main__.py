"""Render every overlay and scenario, validate it, and compare it with the code; one line per finding."""

import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from checks.k8s import hardening, manifests, network, processes, replicas, settings, tools
from checks.k8s.code import Process, table_problems
from checks.k8s.code import processes as known_processes
from services.common.settings import ServiceSettings

# The oldest and the newest version that the manifests are for.
VERSIONS: Final = ("1.32", "1.37")
_RENDERED: Final = ("k8s/overlays/*/kustomization.yaml", "k8s/tests/*/kustomization.yaml")
_DOCKERFILE: Final = Path("Dockerfile")


def compared(rendering: manifests.Rendering, known: Mapping[str, Process]) -> Iterator[str]:
    """Yield a line per difference between a rendering and the code."""
    yield from manifests.missing(rendering)
    yield from network.problems(rendering, known)
    yield from hardening.problems(rendering)
    yield from replicas.problems(rendering)
    read: dict[str, ServiceSettings] = {}
    for service, workload in rendering.workloads.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                read[service] = settings.read(rendering, workload, known[service], Path(folder))
            except settings.UnreadableError as error:
                yield from (f"{service}: {problem}" for problem in error.args)
    yield from network.model_problems(rendering, read)
    yield from network.telemetry_problems(rendering, read)
    if read.keys() == known.keys():
        yield from processes.problems(rendering, known, read)


def _rendered(into: Path) -> dict[Path, Path]:
    """Render every overlay and scenario; returns the file that each has become."""
    files = {}
    for folder in sorted(path.parent for pattern in _RENDERED for path in Path().glob(pattern)):
        files[folder] = into / f"{folder.parent.name}-{folder.name}.yaml"
        files[folder].write_text(tools.render(folder), encoding="utf-8")
    return files


def _problems(known: Mapping[str, Process]) -> Iterator[str]:
    yield from table_problems(known)
    tools.lint(_DOCKERFILE)
    with tempfile.TemporaryDirectory() as made:
        files = _rendered(Path(made))
        for version in VERSIONS:
            tools.validate(list(files.values()), version)
        for folder, file in files.items():
            found = list(compared(manifests.parsed(file.read_text(encoding="utf-8")), known))
            sys.stdout.write(f"{folder}: as the code needs it\n" if not found else "")
            yield from (f"{folder}: {problem}" for problem in found)


def main() -> int:
    """Check everything; returns the exit code."""
    began = time.monotonic()
    try:
        problems = list(_problems(known_processes()))
    except tools.ToolError as error:
        problems = [str(error)]
    sys.stdout.writelines(f"{problem}\n" for problem in problems)
    sys.stdout.write(
        f"Kubernetes {' and '.join(VERSIONS)}, the code, the Dockerfile: {len(problems)} problems, "
        f"{time.monotonic() - began:.1f} s\n"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
