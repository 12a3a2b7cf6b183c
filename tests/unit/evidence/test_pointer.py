import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.common.evidence.pointer import PointerError, build, resolve, tokens
from services.common.evidence.strict_json import Json, NumberToken, loads

# The document and the pointers of RFC 6901, section 5.
RFC = loads(
    rb'{"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, '
    rb'"g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8}'
)


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/foo/0", "bar"),
        ("/", "0"),
        ("/a~1b", "1"),
        ("/c%d", "2"),
        ("/e^f", "3"),
        ("/g|h", "4"),
        ("/i\\j", "5"),
        ('/k"l', "6"),
        ("/ ", "7"),
        ("/m~0n", "8"),
    ],
)
def test_the_examples_of_the_rfc(pointer: str, value: str) -> None:
    assert resolve(RFC, pointer) == value


def test_the_containers_of_the_rfc() -> None:
    assert resolve(RFC, "") is RFC
    assert resolve(RFC, "/foo") == ["bar", "baz"]


def test_escapes_are_undone_in_order() -> None:
    assert tokens("/~01") == ["~1"]


@pytest.mark.parametrize(
    ("pointer", "message"),
    [(pointer, "a pointer is empty or starts with '/'") for pointer in ("foo", "#/foo", " /foo")]
    + [(pointer, "'~' is only allowed as '~0' or '~1'") for pointer in ("/m~n", "/m~2n", "/m~")],
)
def test_a_malformed_pointer_is_refused(pointer: str, message: str) -> None:
    with pytest.raises(PointerError) as caught:
        tokens(pointer)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "pointer",
    ["/foo/2", "/foo/-", "/foo/-1", "/foo/00", "/foo/01", "/foo/+1", "/foo/1e0", "/foo/ 1",
     "/foo/\N{ARABIC-INDIC DIGIT ONE}", "/foo/99999999999999999999", "/foo/0/0", "/Foo", "//",
     "/a/b", "/foo/"],
)  # fmt: skip
def test_a_pointer_that_names_nothing_is_refused(pointer: str) -> None:
    with pytest.raises(PointerError):
        resolve(RFC, pointer)


@pytest.mark.parametrize(
    ("pointer", "message"),
    [
        ("/nowhere", "no such member"),
        ("/foo/2", "no such element"),
        ("/foo/0/0", "the pointer goes on below a scalar"),
    ],
)
def test_an_error_says_which_step_failed(pointer: str, message: str) -> None:
    with pytest.raises(PointerError) as caught:
        resolve(RFC, pointer)
    assert str(caught.value) == message


def test_an_error_never_quotes_pointer_or_document() -> None:
    with pytest.raises(PointerError) as caught:
        resolve({"canary": "canary"}, "/canary/canary")
    assert "canary" not in str(caught.value)


@given(st.lists(st.text(max_size=8), max_size=6))
def test_what_is_built_splits_into_the_same_tokens(parts: list[str]) -> None:
    assert tokens(build(*parts)) == parts


@given(
    st.dictionaries(
        st.text(max_size=6), st.lists(st.integers().map(str).map(NumberToken), min_size=1), min_size=1
    )
)
def test_every_leaf_is_found_at_its_built_pointer(document: dict[str, Json]) -> None:
    for key, items in document.items():
        assert isinstance(items, list)
        for index, item in enumerate(items):
            assert resolve(document, build(key, index)) is item


def test_what_a_pointer_escapes() -> None:
    assert build("a/b", "m~n", 0, "~1") == "/a~1b/m~0n/0/~01"
