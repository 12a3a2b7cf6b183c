"""A question that names an order or a request is told the lines that hold it."""

from pathlib import Path

import pytest

from services.executor.analyst.reading.ids import ids_of
from tests.fakes.bundles import Tree, write
from tests.fakes.clusters import pod_row
from tests.fakes.investigation import investigate
from tests.fakes.judged import lowered

TRACE = "7f1c2a9e-0d0b-4bd0-8d65-2f3f6b1a1a11"


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("why did order 88123 fail?", ("88123",)),
        ("order #88123 failed, request id: 99001 too", ("88123", "99001")),
        (f"what happened to trace {TRACE}?", (TRACE,)),
        ("why was shipment SHP-00412 late", ("SHP-00412",)),
        ("why is port 8080 closed?", ()),
        ("it fails since 1200 and again at 14:02", ()),
        ("exit code 1370", ()),
        ("latency is 2500ms, about 2500 requests", ()),
        ("connects to db:5432 in vain", ()),
        ("why does node worker-1001 fail?", ()),
    ],
)
def test_ids_stand_behind_what_bears_them(question: str, found: tuple[str, ...]) -> None:
    assert ids_of(question, ["worker-1001"]) == found


LINES = [f"2026-12-01T09:{minute:02}:01Z INFO order {87000 + minute} accepted" for minute in range(50)]
REFUSED = "2026-12-01T09:30:02Z ERROR order 88123 failed: the gateway says CARD_EXPIRED"


def files(*lines: str) -> dict[str, Tree]:
    return {
        "pods.txt": pod_row("Running", "1/1"),
        "logs/billing-7d9c8b6f5d-x2kqz.log": "\n".join([*LINES[:31], *lines, *LINES[31:]]) + "\n",
    }


def test_the_lines_of_what_is_asked_about_are_shown(tmp_path: Path) -> None:
    question = "why did order 88123 fail?"
    found = investigate(write(tmp_path / "bundle", files(REFUSED)), question)
    said = [claim.statement for claim in found.evidence.claims if claim.critical]
    assert any("line 32" in each and "CARD_EXPIRED" in each for each in said)
    assert found.suspects == [("billing-7d9c8b6f5d-x2kqz", "container.failure_logged", "possible")]
    assert lowered(found, question) == []


def test_one_failure_of_another_order_is_no_trouble_of_this_one(tmp_path: Path) -> None:
    question = "why did order 88124 fail?"
    found = investigate(write(tmp_path / "bundle", files(REFUSED)), question)
    assert found.suspects == []
    said = [claim.statement for claim in found.evidence.claims if "88124" in claim.statement]
    assert [each.startswith("No line of") for each in said] == [True]
    assert lowered(found, question) == []
