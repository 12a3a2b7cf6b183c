import json

import pytest

from services.common.evidence.places import MAX_PLACES, Place, is_reader_made, places
from services.common.evidence.pointer import PointerError, tokens
from services.common.evidence.strict_json import Json, loads


def parsed(value: object) -> Json:
    return loads(json.dumps(value).encode())


LOG = parsed(
    {
        "source": "logs/api.log",
        "owner": "api",
        "lines": [
            {"n": 7, "time": "2026-11-30T09:10:53Z", "text": "refused"},
            {"n": 8, "time": "2026-11-30T09:10:54Z", "text": "again"},
        ],
    }
)
ELEMENTS = parsed(
    {
        "source": "alerts.json",
        "elements": [
            {
                "first_line": 3,
                "last_line": 9,
                "value": {"source": "their own", "n": 1, "labels": {"time": "t"}},
            }
        ],
    }
)
DERIVED = parsed(
    {
        "source": "logs/api.log",
        "owner": "api",
        "templates": [
            {
                "inputs": [
                    {"first_line": 2, "last_line": 90, "time": "T1"},
                    {"first_line": 95, "last_line": 95},
                ],
                "count": 12,
                "first": {"n": 2, "time": "T1", "text": "refused"},
            }
        ],
        "pairs": [
            {"inputs": [{"source": "limit.json", "first_line": 1, "last_line": 2, "owner": "db"}], "ratio": 1}
        ],
    }
)


def test_a_line_has_its_file_number_instant_and_owner() -> None:
    assert places(LOG, tokens("/lines/1/text")) == [
        Place("logs/api.log", 8, 8, "2026-11-30T09:10:54Z", "api")
    ]


def test_an_element_has_its_lines_and_what_is_below_value_says_nothing_about_the_place() -> None:
    assert places(ELEMENTS, tokens("/elements/0/value/labels/time")) == [Place("alerts.json", 3, 9)]


def test_a_derived_value_has_the_places_of_its_inputs_in_order() -> None:
    assert places(DERIVED, tokens("/templates/0/count")) == [
        Place("logs/api.log", 2, 90, "T1", "api"),
        Place("logs/api.log", 95, 95, "", "api"),
    ]
    assert places(DERIVED, tokens("/pairs/0/ratio")) == [Place("limit.json", 1, 2, "", "db")]


def test_the_innermost_place_wins() -> None:
    assert places(DERIVED, tokens("/templates/0/first/text")) == [Place("logs/api.log", 2, 2, "T1", "api")]


def test_inputs_are_bounded() -> None:
    many = parsed({"inputs": [{"source": "a", "n": number} for number in range(1, 40)], "count": 1})
    assert len(places(many, ["count"])) == MAX_PLACES


def test_what_has_no_source_has_no_place() -> None:
    assert places(parsed({"a": {"n": 3, "text": "x"}}), tokens("/a/text")) == []


def test_a_pointer_that_names_nothing_is_refused() -> None:
    with pytest.raises(PointerError):
        places(LOG, tokens("/lines/2/text"))


@pytest.mark.parametrize(
    "key", ["source", "owner", "n", "time", "first_line", "last_line", "sha256", "bytes"]
)
def test_what_the_reader_wrote_is_known_at_any_depth(key: str) -> None:
    assert is_reader_made([key])
    assert is_reader_made(["elements", "0", key])
    assert is_reader_made(["templates", "0", "inputs", "0", "first_line"])


@pytest.mark.parametrize(
    "pointer", ["", "/lines/0/text", "/elements/0/value/source", "/elements/0/value/a/time", "/count"]
)
def test_what_a_system_said_is_not_reader_made(pointer: str) -> None:
    assert not is_reader_made(tokens(pointer))


def test_inputs_take_the_file_of_what_holds_them_and_nothing_else() -> None:
    document = parsed(
        {
            "source": "a.log",
            "owner": "api",
            "n": 9,
            "time": "T9",
            "inputs": [{"source": "b.log"}, {"n": 4}, "no object"],
            "count": 1,
        }
    )
    assert places(document, ["count"]) == [Place("b.log", owner="api"), Place("a.log", 4, 4, owner="api")]


def test_what_is_of_another_type_says_nothing() -> None:
    document = parsed({"source": "a.log", "n": "7", "time": 7, "owner": None, "text": "x"})
    assert places(document, ["text"]) == [Place("a.log")]
    assert places(parsed({"source": 7, "n": 1.5, "text": "x"}), ["text"]) == []


def test_a_place_may_have_lines_alone_or_a_source_alone() -> None:
    inner = {"first_line": 2, "last_line": 3, "text": "x"}
    assert places(parsed({"source": "a.log", "item": inner}), ["item", "text"]) == [Place("a.log", 2, 3)]
    assert places(parsed({"source": "a.log", "item": {"text": "x"}}), ["item", "text"]) == [Place("a.log")]
    assert places(parsed({"owner": "api", "item": {"source": "b"}}), ["item", "source"]) == [
        Place("b", owner="api")
    ]
    assert places(parsed(["x"]), ["0"]) == []


def test_an_object_that_says_nothing_keeps_the_inputs_of_what_holds_it() -> None:
    document = parsed({"inputs": [{"source": "b.log"}], "inner": {"count": 1}})
    assert places(document, ["inner", "count"]) == [Place("b.log")]
