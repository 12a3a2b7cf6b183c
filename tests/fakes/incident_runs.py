"""Investigates a made incident, and sees to it that every citation stands."""

from pathlib import Path

from tests.fakes.bindings import problems
from tests.fakes.incident import Incident
from tests.fakes.investigation import Investigation, investigate


def run(
    incident: Incident, folder: Path, question: str, without: frozenset[str] = frozenset()
) -> Investigation:
    """Write the incident below a folder and investigate it, without the sources of some names."""
    found = investigate(incident.write(folder / "bundle"), question, without)
    assert problems(found.evidence, found.calls) == []
    return found
