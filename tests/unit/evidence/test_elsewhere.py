"""What a run knows beside its evidence."""

from assay.common.v1 import context_pb2

from services.common.evidence.elsewhere import argument_texts, arguments_of, frame_texts
from tests.fakes.claims import context, item


def test_the_frame_is_tools_pointers_question_bundle_and_window() -> None:
    asked = context("why?")
    asked.window.CopyFrom(context_pb2.TimeWindow())
    asked.window.start.FromJsonString("2026-11-30T09:00:00Z")
    evidence = [item("x", "/a"), item("y", "/b"), item("z", "/a")]
    assert list(frame_texts(asked, evidence)) == [
        "logs_search",
        "/a",
        "/b",
        "why?",
        "case",
        "2026-11-30T09:00:00Z",
    ]
    asked.window.end.FromJsonString("2026-11-30T10:00:00Z")
    assert list(frame_texts(asked, []))[2:] == ["2026-11-30T09:00:00Z", "2026-11-30T10:00:00Z"]


def test_arguments_are_an_object_or_nothing() -> None:
    assert arguments_of(b'{"a": 1}') == {"a": "1"}
    for data in (b"[1]", b'"a"', b"{", b""):
        assert arguments_of(data) == {}


def test_names_texts_and_numbers_of_arguments() -> None:
    data = b'{"contains": ["x", {"deep": 7}], "flag": true, "none": null}'
    assert list(argument_texts(data)) == ["contains", "x", "deep", "7", "flag", "none"]
