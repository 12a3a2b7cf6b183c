"""What holds for every document: true citations pass, altered ones never do, and the answer never varies."""

from hypothesis import assume, given
from hypothesis import strategies as st

from services.common.evidence.matching import MIN_SUBSTRING, hides
from services.common.evidence.places import is_reader_made
from services.common.evidence.pointer import build
from services.common.evidence.strict_json import Json, NumberToken, dumps
from services.gatekeeper.domain import check
from tests.fakes.documents import a_binding, a_claim, a_document
from tests.fakes.gate import a_request

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf"]), min_size=1, max_size=30)
SCALARS: st.SearchStrategy[Json] = st.one_of(
    st.none(), st.booleans(), TEXTS, st.integers().map(str).map(NumberToken)
)
DOCUMENTS: st.SearchStrategy[Json] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4), st.dictionaries(TEXTS, inner, min_size=1, max_size=4)
    ),
    max_leaves=12,
)


def leaves(value: Json, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Json]]:
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in leaves(item, (*path, key))]
    if isinstance(value, list):
        return [leaf for index, item in enumerate(value) for leaf in leaves(item, (*path, str(index)))]
    return [(path, value)]


def token(value: Json) -> str:
    return value if isinstance(value, str) else dumps(value).decode()


def passes(output: Json, path: tuple[str, ...], text: str) -> bool:
    claim = a_claim(evidence_bindings=[a_binding(raw_path=build(*path), matched_text=text)])
    return check(a_request(a_document(claim), outputs={"inv-1": dumps(output)})).verified_binding_count == 1


@given(DOCUMENTS, st.data())
def test_a_true_literal_at_any_place_passes(output: Json, data: st.DataObject) -> None:
    path, value = data.draw(st.sampled_from(leaves(output)))
    assume(not is_reader_made(path) and not hides(token(value)))
    assert passes(output, path, token(value))


@given(DOCUMENTS, st.data())
def test_a_literal_with_a_changed_character_never_passes(output: Json, data: st.DataObject) -> None:
    path, value = data.draw(st.sampled_from(leaves(output)))
    text = token(value)
    position = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters(exclude_categories=["Cs"]).filter(lambda char: char != text[position]))
    changed = text[:position] + other + text[position + 1 :]
    assert not passes(output, path, changed)


@given(DOCUMENTS, st.data())
def test_a_short_part_never_passes_for_the_whole(output: Json, data: st.DataObject) -> None:
    path, value = data.draw(st.sampled_from(leaves(output)))
    part = token(value)[: MIN_SUBSTRING - 1]
    assume(part != token(value))
    assert not passes(output, path, part)


@given(DOCUMENTS, TEXTS)
def test_a_place_that_is_not_there_never_passes(output: Json, text: str) -> None:
    path = max(leaves(output), key=lambda leaf: len(leaf[0]))[0]
    assert not passes(output, (*path, "0"), text)


@given(DOCUMENTS, st.lists(TEXTS, min_size=1, max_size=4))
def test_the_same_request_gives_the_same_bytes(output: Json, texts: list[str]) -> None:
    bindings = [
        a_binding(raw_path=build(*path), matched_text=text) for path, _ in leaves(output) for text in texts
    ]
    request = a_request(
        a_document(a_claim(evidence_bindings=bindings[:32])), outputs={"inv-1": dumps(output)}
    )
    assert check(request).SerializeToString() == check(request).SerializeToString()


@given(st.binary(max_size=200))
def test_any_bytes_get_an_answer(document: bytes) -> None:
    assert check(a_request(document)).verified_binding_count == 0
