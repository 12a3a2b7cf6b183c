"""Lists of runs: sizes, filters and tokens."""

import pytest
from assay.common.v1.context_pb2 import TimeWindow
from assay.orchestrator.v1 import run_pb2
from assay.orchestrator.v1.diagnosis_pb2 import ListRunsRequest
from assay.orchestrator.v1.run_pb2 import RunSummary
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.listing import cursor_of, page_size_of, selection_of, token_after
from orchestrator.store.port import Selection
from services.common.errors import InvalidArgumentError

STATUSES = run_pb2.RunStatus.values()[1:]
TIMES = st.builds(
    Timestamp,
    seconds=st.integers(-62_135_596_800, 253_402_300_799),
    nanos=st.integers(0, 999_999_999),
)
SELECTIONS = st.builds(
    lambda statuses, start: Selection(statuses, TimeWindow(start=start)),
    st.frozensets(st.sampled_from(STATUSES)),
    TIMES,
)


@pytest.mark.parametrize(("asked", "size"), [(0, 50), (1, 1), (100, 100), (101, 100), (2**31 - 1, 100)])
def test_the_size_of_a_page(asked: int, size: int) -> None:
    assert page_size_of(ListRunsRequest(page_size=asked)) == size


def test_a_status_that_is_named_twice_counts_once() -> None:
    request = ListRunsRequest(statuses=[run_pb2.RUN_STATUS_FAILED, run_pb2.RUN_STATUS_FAILED])
    assert selection_of(request).statuses == {run_pb2.RUN_STATUS_FAILED}


@given(TIMES, st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60), SELECTIONS)
def test_a_token_leads_back_to_its_place(time: Timestamp, run_id: str, selection: Selection) -> None:
    token = token_after(RunSummary(run_id=run_id, create_time=time), selection)
    request = ListRunsRequest(
        page_token=token, statuses=sorted(selection.statuses), create_time=selection.create_time
    )
    cursor = cursor_of(request)
    assert cursor is not None
    assert (cursor.create_time, cursor.run_id) == (time, run_id)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=2000))
def test_any_other_text_is_refused(token: str) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        cursor_of(ListRunsRequest(page_token=token))
    assert error.value.field == "page_token"


@given(st.data(), TIMES)
def test_a_token_that_was_changed_is_refused_or_names_a_place(data: st.DataObject, time: Timestamp) -> None:
    whole = token_after(RunSummary(run_id="run-1", create_time=time), Selection(frozenset(), TimeWindow()))
    index = data.draw(st.integers(0, len(whole) - 1))
    character = data.draw(st.characters(max_codepoint=127))
    request = ListRunsRequest(page_token=whole[:index] + character + whole[index + 1 :])
    try:
        cursor = cursor_of(request)
    except InvalidArgumentError:
        return
    assert cursor is not None
    assert cursor.create_time.ToJsonString()


@given(SELECTIONS, SELECTIONS)
def test_a_token_of_other_filters_is_refused(mine: Selection, other: Selection) -> None:
    token = token_after(RunSummary(run_id="run-1"), other)
    request = ListRunsRequest(page_token=token, statuses=sorted(mine.statuses), create_time=mine.create_time)
    if mine == other:
        assert cursor_of(request)
    else:
        with pytest.raises(InvalidArgumentError):
            cursor_of(request)
