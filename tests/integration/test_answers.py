"""What a person gets for the two recorded incidents."""

import json
import re
from pathlib import Path
from typing import Any

from tests.fakes.command_line import assay
from tests.integration.conftest import Diagnosed


def _texts(section: list[dict[str, Any]]) -> str:
    return "\n".join(sentence["text"] for sentence in section)


def test_the_proven_incident_ends_with_pass_and_its_suspect_first(proven: Diagnosed) -> None:
    assert proven.ended.code == 0, proven.ended.stderr
    assert (proven.answer["status"], proven.answer["effective_verdict"]) == ("SUCCEEDED", "PASS")
    assert proven.answer["suspects"][0]["component"] == proven.truth["root_cause_service"]
    assert proven.answer["suspects"][0]["fault"] == "config.changed"


def test_the_proven_incident_tells_what_broke_and_what_to_do(proven: Diagnosed) -> None:
    answer = proven.answer["answer"]
    confirmed = _texts(answer["confirmed"])
    assert "sorry, too many clients already" in confirmed
    growth = next(row for row in proven.truth["metric_evidence"] if row["last"] == 76.0)
    assert f"{growth['last']:.0f}" in confirmed
    assert "db.session_pinning" in confirmed + _texts(answer["possible_directions"])
    assert "revision 42" in _texts(answer["next_checks"]) or "db.session_pinning" in _texts(
        answer["next_checks"]
    )
    assert "2026-11-30T09:1" in answer["summary"]


def test_every_confirmed_fact_names_a_file_and_a_line(diagnosed: Diagnosed) -> None:
    claims = {claim["id"]: claim for claim in diagnosed.answer["claims"]}
    for sentence in diagnosed.answer["answer"]["confirmed"]:
        bindings = [
            binding for claim_id in sentence["claim_ids"] for binding in claims[claim_id]["evidence_bindings"]
        ]
        assert all((diagnosed.bundle / binding["file"]).is_file() for binding in bindings)
        # What was counted over whole files has no line; all else has one.
        counted = all(binding["derived"] for binding in bindings)
        assert counted or any(binding["line"] for binding in bindings), sentence


def test_counts_of_lines_are_those_of_the_files(proven: Diagnosed) -> None:
    """What a person would find with grep: the whole count of a message or a status, not one shape's share."""
    claims = {claim["id"]: claim for claim in proven.answer["claims"]}
    counted = 0
    for sentence in proven.answer["answer"]["confirmed"]:
        logged = re.search(r'logged "(.+)" (\d+) times from', sentence["text"])
        answered = re.search(r"answered (\d+) requests with status (\d{3}) from", sentence["text"])
        if not logged and not answered:
            continue
        # The first binding with a log is the one that the count is from.
        bindings = claims[sentence["claim_ids"][0]]["evidence_bindings"]
        file = next(binding["file"] for binding in bindings if binding["file"].startswith("logs/"))
        lines = (proven.bundle / file).read_text(encoding="utf-8").splitlines()
        if logged:
            assert sum(logged[1] in line for line in lines) == int(logged[2]), sentence["text"]
        elif answered:
            assert sum(f'" {answered[2]} ' in line for line in lines) == int(answered[1]), sentence["text"]
        counted += 1
    assert counted


def test_the_unproven_incident_names_no_suspect_and_says_so(unproven: Diagnosed) -> None:
    assert unproven.ended.code == 3, unproven.ended.stderr
    assert unproven.answer["suspects"] == []
    assert unproven.answer["effective_verdict"] != "PASS"
    answer = unproven.answer["answer"]
    assert answer["confirmed"]
    assert answer["evidence_gaps"]
    assert answer["next_checks"]
    assert not [claim for claim in unproven.answer["claims"] if claim["type"] == "cause"]


def test_a_lookup_that_nothing_answers_is_not_passed_off_as_proven(proven: Diagnosed, home: Path) -> None:
    ended = assay(home, "diagnose", "How many pods run?", "--bundle", str(proven.bundle), "--json")
    assert ended.code == 3, json.loads(ended.stdout)["answer"]["summary"]


def test_a_lookup_is_answered_in_its_first_sentence(proven: Diagnosed, home: Path) -> None:
    lines = (proven.bundle / "logs/nginx-access.log").read_text(encoding="utf-8").splitlines()
    failed = [line for line in lines if re.search(r'" 5\d\d ', line)]
    question = "How many requests of nginx failed?"

    ended = assay(home, "diagnose", question, "--bundle", str(proven.bundle), "--json")

    assert ended.code == 0, ended.stderr
    answer = json.loads(ended.stdout)
    assert (answer["effective_verdict"], answer["suspects"]) == ("PASS", [])
    assert answer["answer"]["summary"].startswith(f"nginx answered {len(failed)} of {len(lines)} requests")
    bindings = [binding for claim in answer["claims"] for binding in claim["evidence_bindings"]]
    assert str(len(failed)) in [binding["matched_text"] for binding in bindings]


def test_a_refused_lookup_says_what_can_be_asked(proven: Diagnosed, home: Path) -> None:
    ended = assay(home, "diagnose", "Is the moon made of cheese?", "--bundle", str(proven.bundle), "--json")
    assert ended.code == 3, ended.stderr
    answer = json.loads(ended.stdout)["answer"]
    assert answer["summary"].startswith("This question was not answered: ")
    assert answer["next_checks"][0]["text"].startswith("What is looked up: ")


def test_no_answer_looks_the_same_when_a_source_could_not_be_read(diagnosed: Diagnosed) -> None:
    rows = diagnosed.answer["checked"]
    assert [row for row in rows if row["status"] == "OK"]
    assert all(row["reason"] for row in rows if row["status"] != "OK")


def test_logs_without_a_zone_are_told(proven: Diagnosed, home: Path) -> None:
    told = {row["source"] for row in proven.answer["checked"] if row["source"] and row["zone_assumed_count"]}
    assert "logs/nginx-error.log" in told
    assert "logs/nginx-access.log" not in told
    shown = assay(home, "show", proven.answer["run_id"])
    assert f"Times without a zone were taken for UTC: {len(told)} logs\n" in shown.stdout


def test_a_stored_run_is_shown_as_it_was_printed(diagnosed: Diagnosed, home: Path) -> None:
    shown = assay(home, "show", diagnosed.answer["run_id"], "--json")
    assert shown.code == diagnosed.ended.code
    assert json.loads(shown.stdout) == diagnosed.answer


def test_the_text_for_a_person_fits_its_columns(diagnosed: Diagnosed, home: Path) -> None:
    shown = assay(home, "show", diagnosed.answer["run_id"])
    assert shown.code == diagnosed.ended.code
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert diagnosed.answer["answer"]["summary"].split()[0] in shown.stdout


def test_the_answer_in_the_readme_is_the_real_one(proven: Diagnosed, home: Path, project: Path) -> None:
    readme = (project / "README.md").read_text(encoding="utf-8")
    block = next(part for part in readme.split("```") if part.startswith("\nQuestion: "))
    shown = assay(home, "show", proven.answer["run_id"]).stdout
    assert "  […]" in block.splitlines()
    left = f"\n{shown}"
    for part in filter(None, block.split("  […]\n")):
        # Each part as it stands, and the parts in their order.
        _, found, left = left.partition(part)
        assert found, f"README.md shows this, the answer does not:\n{part}"
