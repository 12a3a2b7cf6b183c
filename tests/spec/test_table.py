"""The table of scenarios is that of the requirement documents."""

import re
from pathlib import Path

from checks.scenarios import TABLE, scenarios


def test_the_table_is_the_one_that_was_handed_over(project: Path, shared: Path) -> None:
    handed = (shared / "spec" / "scenarios.tsv").read_text(encoding="utf-8")
    assert (project / TABLE).read_text(encoding="utf-8") == handed


def test_every_scenario_of_the_documents_is_in_the_table(project: Path, shared: Path) -> None:
    known = scenarios((project / TABLE).read_text(encoding="utf-8"))
    titles: list[tuple[str, str]] = []
    for name in ("verifier-and-gatekeeper.txt", "diagnosis-stategraph.txt"):
        requirement = ""
        text = (shared / "spec" / name).read_text(encoding="utf-8")
        for kind, title in re.findall(r"^(Requirement|Scenario): (.+)$", text, re.MULTILINE):
            if kind == "Requirement":
                requirement = title.strip()
            else:
                titles.append((requirement, title.strip()))
    assert [(item.requirement, item.scenario) for item in known] == titles
    assert len({item.id for item in known}) == len(known) == 65
