"""Every row of the table of bad input: one clear line, the right code, nothing stored that should not be."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.bad_input.rows import ROWS, place_of, shared_stack
from tests.bad_input.table import NOTHING, CannotHappenError, Place, Result, Row, Seen, Shared, result_of


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_by_rows(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Shared]:
    async with shared_stack(tmp_path_factory.mktemp("shared stack")) as shared:
        yield shared


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.bad)
async def test_a_row(row: Row, shared_by_rows: Shared) -> None:
    with place_of(shared_by_rows) as place:
        try:
            result = await result_of(row, place)
        except CannotHappenError as error:
            pytest.skip(str(error))
    faults = result.faults()
    assert not faults, "\n".join(faults)


def test_each_row_is_one_of_its_own() -> None:
    names = [row.bad for row in ROWS]
    assert len(set(names)) == len(names)


async def nobody(_: Place) -> Seen:
    raise AssertionError


@pytest.mark.parametrize(
    ("seen", "fault"),
    [
        (Seen("sorry", "2", ""), "says"),
        (Seen("wrong input", "1", ""), "ends with 1"),
        (Seen("wrong input \x1b[2J", "2", ""), "control characters"),
        (Seen("wrong input", "2", "Traceback (most recent call last)"), "Traceback"),
        (Seen("wrong input", "2", '{"event": "unexpected error"}'), "unexpected error"),
    ],
)
def test_what_is_not_as_a_row_states_it_is_a_fault(seen: Seen, fault: str) -> None:
    row = Row("x", nobody, "wrong input", "2")
    assert Result(row, Seen("wrong input", "2", "wrong input"), NOTHING).faults() == []
    (found,) = Result(row, seen, NOTHING).faults()
    assert fault in found


def test_a_run_that_should_not_be_stored_is_a_fault() -> None:
    row = Row("x", nobody, "", "2", stored="FAILED")
    (found,) = Result(row, Seen("", "2", ""), NOTHING).faults()
    assert "stores nothing, not FAILED" in found
