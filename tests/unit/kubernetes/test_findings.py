"""The document of findings: each excerpt stands where it says; the list of faults is whole and documented."""

import json
import re
from pathlib import Path

import pytest

from checks import faults
from services.common.evidence.faults import FAULTS
from services.common.evidence.kubernetes_faults import KUBERNETES_FAULTS
from services.common.evidence.strict_json import Json, NumberToken
from services.executor.sources import kinds
from services.executor.tools.kubernetes import container_log, signs
from services.executor.tools.kubernetes.arguments import Events, Findings
from services.executor.tools.kubernetes.findings import kubernetes_findings
from services.executor.tools.kubernetes.raw import kubernetes_events
from tests.fakes.bundles import a_stop, opened, write
from tests.unit.kubernetes.variations import OF_PODS
from tests.unit.kubernetes.variations_around import AROUND
from tests.unit.kubernetes.variations_around_objects import OBJECTS_AROUND
from tests.unit.kubernetes.variations_objects import POD_OBJECTS
from tests.unit.kubernetes.variations_printed import PRINTED

VARIATIONS = {**OF_PODS, **AROUND, **POD_OBJECTS, **OBJECTS_AROUND, **PRINTED}


def excerpts_of(value: Json) -> list[dict[str, Json]]:
    """Return every object of a document that quotes a line."""
    if isinstance(value, list):
        return [found for item in value for found in excerpts_of(item)]
    if not isinstance(value, dict):
        return []
    own = [value] if "n" in value and "text" in value else []
    return own + [found for item in value.values() for found in excerpts_of(item)]


@pytest.mark.parametrize("name", VARIATIONS)
def test_each_excerpt_stands_on_its_line(tmp_path: Path, name: str) -> None:
    files = VARIATIONS[name].files
    bundle = opened(write(tmp_path, files))
    found = kubernetes_findings(bundle, Findings(), a_stop()).document
    quoted = excerpts_of(found)
    assert quoted
    for each in quoted:
        source, n, text = each["source"], each["n"], each["text"]
        assert isinstance(source, str)
        assert isinstance(n, NumberToken)
        assert isinstance(text, str)
        line = files[source].splitlines()[int(n) - 1]
        # JSON escapes the quotation marks and the ends of lines that the text holds.
        assert text in line or json.dumps(text)[1:-1] in line


def test_a_finding_holds_no_sentence(tmp_path: Path) -> None:
    """What the tool itself adds are identifiers, names, counts and places."""
    bundle = opened(write(tmp_path, VARIATIONS["a policy that isolates"].files))
    document = kubernetes_findings(bundle, Findings(), a_stop()).document
    assert isinstance(document, dict)
    findings = document["findings"]
    assert isinstance(findings, list)
    for each in findings:
        assert isinstance(each, dict)
        assert re.fullmatch(r"[a-z]+", str(each["rule"]))
        assert each["fault"] == "" or each["fault"] in FAULTS


def test_names_narrow_what_is_looked_at(tmp_path: Path) -> None:
    bundle = opened(write(tmp_path, VARIATIONS["a service that selects nobody"].files))
    other = kubernetes_findings(bundle, Findings(names=["nobody"]), a_stop()).document
    assert isinstance(other, dict)
    assert other["findings"] == []


def test_events_are_shown_as_they_stand(tmp_path: Path) -> None:
    bundle = opened(write(tmp_path, VARIATIONS["a job over its deadline"].files))
    every = kubernetes_events(bundle, Events(), a_stop())
    warnings = kubernetes_events(bundle, Events(warnings_only=True, names=["report"]), a_stop())
    reasons = [[each["text"] for each in excerpts_of(made.document)][::2] for made in (every, warnings)]
    assert reasons == [["SuccessfulCreate", "DeadlineExceeded"], ["DeadlineExceeded"]]
    assert kubernetes_events(bundle, Events(limit=1), a_stop()).truncated


def test_every_fault_that_words_state_is_on_the_list() -> None:
    stated = [fault for fault, _ in (*signs._MESSAGES, *container_log._FAULTS)]  # noqa: SLF001 - the tables
    stated += signs._REASONS.values()  # noqa: SLF001 - the table
    assert set(stated) <= set(FAULTS)


def test_the_page_of_faults_is_what_the_tables_say(project: Path) -> None:
    assert (project / faults.PAGE).read_text(encoding="utf-8") == faults.page()
    assert all(re.fullmatch(r"[a-z_]+\.[a-z_]+", fault) for fault in KUBERNETES_FAULTS)


def test_the_dump_of_a_cluster_is_read_whole(shared: Path) -> None:
    bundle = opened(shared / "fixtures/cluster-info-dump")
    assert {source.kind for source in bundle.sources if source.available} == {kinds.KUBERNETES, kinds.LOG}
    document = kubernetes_findings(bundle, Findings(), a_stop()).document
    assert isinstance(document, dict)
    findings = document["findings"]
    assert isinstance(findings, list)
    assert [(each["fault"], each["name"]) for each in findings if isinstance(each, dict)] == [
        ("pod.oom_killed", "p1"),
        # A warning of a kind that no rule knows.
        ("", "openshift-kube-apiserver"),
    ]
