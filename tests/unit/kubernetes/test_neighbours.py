"""What planner and composer make of a cluster: what is read of it, and what a person is told to look at."""

import json

import pytest
from assay.common.v1 import answer_pb2, context_pb2, evidence_pb2, tool_pb2

from services.common.evidence.kubernetes_faults import KUBERNETES_FAULTS
from services.common.evidence.template_slots import Material
from services.common.evidence.templates import sentence
from services.executor.catalog import catalog_of
from services.executor.sources import kinds
from services.executor.sources.kinds import Form
from services.executor.sources.sniff import Source
from services.executor.tools.registry import tools
from services.planner.offline.desk import Desk
from services.planner.offline.full import full_plan
from services.planner.offline.gaps import gap_plan

SOURCES = [Source("pods.txt", kinds.KUBERNETES, Form.OBJECTS, 1)]


def a_desk(*sources: Source) -> Desk:
    catalog = catalog_of(tools(1 << 20, 30), sources)
    return Desk(catalog, context_pb2.DiagnosisContext(question="why?"))


def test_a_cluster_is_looked_through_once_and_first() -> None:
    steps = list(full_plan(a_desk(*SOURCES)))
    assert [step.tool_name for step in steps] == ["kubernetes_findings"]


def test_a_scope_without_a_cluster_is_not_asked_for_one() -> None:
    log = Source("a.log", kinds.LOG, Form.TEXT, 1)
    assert "kubernetes_findings" not in [step.tool_name for step in full_plan(a_desk(log))]
    absent = {info.kind for info in catalog_of({}, [log]).sources if not info.available}
    assert absent == {"alert", "change_event", "metric", "topology"}


def test_a_gap_is_looked_for_in_the_object_itself() -> None:
    gap = evidence_pb2.ClaimGap(claim_id="symptom-1", component="web-1", statement="web-1: status")
    steps: list[tool_pb2.PlanStep] = list(gap_plan(a_desk(*SOURCES), gap))
    assert [(step.tool_name, json.loads(step.arguments_json)) for step in steps] == [
        ("kubernetes_objects", {"source": "pods.txt", "names": ["web-1"]})
    ]


def a_cause(fault: str) -> Material:
    claim = evidence_pb2.VerifiedClaim(
        claim_id="cause-1", claim_type=evidence_pb2.CLAIM_TYPE_CAUSE, component="web-1", fault=fault
    )
    return Material(claims=[answer_pb2.AllowedClaim(claim=claim, confirmed=True)])


@pytest.mark.parametrize("fault", KUBERNETES_FAULTS)
def test_each_fault_of_a_cluster_has_a_next_check(fault: str) -> None:
    made = sentence("next.object", a_cause(fault))
    assert made is not None
    assert made.text == f"For web-1: {KUBERNETES_FAULTS[fault].next_check}"


def test_no_other_fault_has_one() -> None:
    assert sentence("next.object", a_cause("load.increased")) is None
