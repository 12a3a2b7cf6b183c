"""The settings that a container gives its process, read by the process's own model."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from checks.k8s.code import Process
from checks.k8s.manifests import Document, Rendering, Workload
from services.common.settings import SHARED_PREFIX, ServiceSettings, examine
from services.common.settings_file import CONFIG_VARIABLE

_ASSAY: Final = "ASSAY_"


class UnreadableError(Exception):
    """The process would refuse its settings; the arguments are the problems."""


def read(rendering: Rendering, workload: Workload, process: Process, folder: Path) -> ServiceSettings:
    """Return the settings that the process would read; raises UnreadableError.

    `folder` takes the container's file system as far as volumes make it: a path that no volume provides does
    not exist, as in a container.
    """
    _lay_out(rendering, workload, folder)
    variables = {
        name: str(folder / value[1:]) if value.startswith("/") else value
        for name, value in workload.variables.items()
    }
    foreign = list(_foreign(variables, process))
    examined = examine(process.settings, {CONFIG_VARIABLE: "", **variables})
    problems = [*foreign, *(problem.replace(str(folder), "") for problem in examined.problems)]
    if examined.settings is None or problems:
        raise UnreadableError(*problems)
    return examined.settings


def _foreign(variables: Mapping[str, str], process: Process) -> Iterator[str]:
    """Yield a line per variable of Assay that the process would not even look at."""
    read_here = [process.prefix, CONFIG_VARIABLE, *([SHARED_PREFIX] if process.asks_model else [])]
    for name in variables:
        if name.startswith(_ASSAY) and not name.startswith(tuple(read_here)):
            yield f"{name}: the {process.service} does not read it"


def _lay_out(rendering: Rendering, workload: Workload, folder: Path) -> None:
    volumes = {volume["name"]: volume for volume in workload.pod.get("volumes", [])}
    for mount in workload.container.get("volumeMounts", []):
        place = folder / mount["mountPath"][1:]
        place.mkdir(parents=True, exist_ok=True)
        for name, text in _files(rendering, volumes.get(mount["name"], {})).items():
            (place / name).write_text(text, encoding="utf-8")


def _files(rendering: Rendering, volume: Document) -> dict[str, str]:
    if "secret" in volume:
        return {item["path"]: "" for item in volume["secret"].get("items", [])}
    if "configMap" in volume:
        found = rendering.named("ConfigMap", volume["configMap"]["name"])
        return dict(found.get("data", {})) if found else {}
    return {}
