"""`assay eval` without a stack: reading cases, judging answers, counting, holding a floor."""

import json
from pathlib import Path
from typing import Any

import pytest
from assay.common.v1 import answer_pb2, evidence_pb2
from assay.orchestrator.v1 import run_pb2

from orchestrator.cli.errors import CommandError
from orchestrator.cli.evaluation.cases import Expected, cases_in
from orchestrator.cli.evaluation.judging import Score, below, judge
from orchestrator.cli.evaluation.printed import as_text
from orchestrator.cli.table import Paper


def write(folder: Path, name: str, answer: object, question: str | None = "why?") -> None:
    (folder / name / "bundle").mkdir(parents=True)
    if question is not None:
        (folder / name / "bundle" / "question.txt").write_text(question + "\n")
    text = answer if isinstance(answer, str) else json.dumps(answer)
    (folder / name / "answer.json").write_text(text)


def run(*named: tuple[str, str], text: str = "", verdict: str = "LOW_CONFID") -> run_pb2.Run:
    return run_pb2.Run(
        status=run_pb2.RUN_STATUS_SUCCEEDED,
        effective_verdict=evidence_pb2.Verdict.Value(f"VERDICT_{verdict}"),
        suspects=[answer_pb2.Suspect(component=component, fault=fault) for component, fault in named],
        answer=answer_pb2.Answer(confirmed=[answer_pb2.Sentence(text=text)]),
    )


def test_cases_are_read_by_name_with_either_question(tmp_path: Path) -> None:
    write(tmp_path, "b", {"suspects": [], "question": "own?"})
    write(tmp_path, "a", {"suspects": ["x"]})
    (tmp_path / "notes").mkdir()

    found = cases_in(tmp_path)

    assert [(case.name, case.bundle, case.question) for case in found] == [
        ("a", "a/bundle", "why?"),
        ("b", "b/bundle", "own?"),
    ]


@pytest.mark.parametrize(
    ("answer", "question", "told"),
    [
        ("{", "why?", "c/answer.json: the object: Invalid JSON"),
        ({"suspects": "x"}, "why?", "c/answer.json: suspects: Input should be a valid"),
        ({"suspects": ["x"], "more": 1}, "why?", "c/answer.json: the object: Extra inputs"),
        ({}, "why?", "c: answer.json asks for nothing"),
        ({"suspects": []}, None, "c: there is no question"),
        ({"suspects": [], "verdict": "YES"}, "why?", "c/answer.json: verdict: Input should be"),
        ("x" * (65 << 10), "why?", "longer than 64 KiB"),
    ],
)
def test_what_is_wrong_with_a_case_is_told(
    tmp_path: Path, answer: object, question: str | None, told: str
) -> None:
    write(tmp_path, "c", answer, question)
    with pytest.raises(CommandError) as caught:
        cases_in(tmp_path)
    assert caught.value.exit_code == 2
    assert told in caught.value.details[0]


def test_a_folder_without_cases_says_what_a_case_is(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"no folder in .* holds an answer\.json"):
        cases_in(tmp_path)


@pytest.mark.parametrize(
    ("expected", "ended", "problems"),
    [
        ({"suspects": ["a"]}, run(("a", "")), []),
        ({"suspects": ["a", "b"]}, run(("b", "")), []),
        ({"suspects": ["a"]}, run(("b", ""), ("a", "")), ["names b first; right is a"]),
        ({"suspects": ["a"]}, run(), ["names no cause; right is a"]),
        ({"suspects": []}, run(), []),
        ({"suspects": []}, run(("a", "")), ["names a where no cause may be named"]),
        ({"suspects": ["a"], "fault": "f"}, run(("a", "g")), ["the first fault is not f"]),
        ({"verdict": "PASS"}, run(), ["the verdict is LOW_CONFID, not PASS"]),
        ({"states": ["Too Many", ["x", "clients"]]}, run(text="too many clients"), []),
        ({"states": [["x", "y"]]}, run(text="z"), ["does not state 'x' or 'y'"]),
        ({"suspects": []}, run_pb2.Run(status=run_pb2.RUN_STATUS_DEGRADED), ["the run ended DEGRADED"]),
    ],
)
def test_an_answer_is_held_against_what_is_right(
    expected: dict[str, Any], ended: run_pb2.Run, problems: list[str]
) -> None:
    assert list(judge("c", Expected(**expected), ended).problems) == problems


def a_score() -> Score:
    issue, control = Expected(suspects=["a"]), Expected(suspects=[])
    judged = [
        judge("first", issue, run(("a", ""))),
        judge("third", issue, run(("b", ""), ("c", ""), ("a", ""))),
        judge("quiet", control, run()),
        judge("blamed", control, run(("z", ""))),
    ]
    return Score("set", judged, 1.25)


def test_a_set_is_counted_with_each_miss_named() -> None:
    counted = a_score().as_object()
    assert (counted["n"], counted["right"], counted["issues"]) == (4, 2, 2)
    assert [counted[f"named_within_{places}"] for places in (1, 3, 5)] == [1, 2, 2]
    assert (counted["controls"], counted["controls_blamed"]) == (2, 1)
    text = as_text([a_score()], Paper())
    assert "set  4  2      0.50  1.00  1.00  1 of 2  1.2 s" in text
    assert "set/third: names b first; right is a\n" in text
    assert "set/blamed: names z where no cause may be named\n" in text


def test_a_floor_is_held_in_either_direction() -> None:
    scores = {"set": a_score().as_object()}
    assert below({"set": {"right": 2, "named_within_1": 1, "controls_blamed": 1}}, scores) == []
    assert below({"set": {"right": 3}}, scores) == ["set: right is 2, the floor is 3"]
    assert below({"set": {"controls_blamed": 0}}, scores) == ["set: controls_blamed is 1, the floor is 0"]
    assert below({"other": {"right": 1}}, scores) == ["other: not measured"]
