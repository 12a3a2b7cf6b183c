"""The lock files hold what pyproject.toml asks for, each version with its hashes, and no address."""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)")


def pins(lock: str) -> dict[str, Version]:
    """Return the pinned version of each package in a lock file."""
    found = (_PINNED.match(line) for line in lock.splitlines())
    return {canonicalize_name(match[1]): Version(match[2]) for match in found if match}


def problems(requirements: list[str], lock: str, name: str) -> Iterator[str]:
    """Yield one line per requirement that the lock does not hold, and per thing that it must not hold."""
    pinned = pins(lock)
    for requirement in map(Requirement, requirements):
        version = pinned.get(canonicalize_name(requirement.name))
        if version is None or version not in requirement.specifier:
            yield f"{name}: {requirement} is not pinned (found: {version})"
    if "://" in lock:
        yield f"{name}: names an address"
    for line in lock.splitlines():
        # The hashes follow on continued lines.
        if _PINNED.match(line) and not line.endswith("\\"):
            yield f"{name}: {line} has no hash"


def main() -> int:
    """Check all files; returns the exit code."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    runtime = [*project["project"]["dependencies"], *groups["build"]]
    development = [*runtime, *groups["dev"]]
    found = [
        problem
        for name, requirements in (
            ("requirements.lock", runtime),
            ("requirements-dev.lock", development),
            ("requirements-k8s.lock", groups["k8s"]),
        )
        for problem in problems(requirements, Path(name).read_text(encoding="utf-8"), name)
    ]
    sys.stdout.writelines(f"{problem} (run: make lock)\n" for problem in found)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
