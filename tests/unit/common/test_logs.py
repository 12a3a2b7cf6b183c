import logging

import pytest
import structlog

from services.common.exception_text import MAX_FRAMES, exception_text
from tests.fakes.process_log import logged

CANARY = "canary-c0de"


def fail(depth: int) -> None:
    if depth:
        fail(depth - 1)
    raise KeyError(CANARY)


def fail_with_a_cause() -> None:
    try:
        fail(0)
    except KeyError as error:
        raise ValueError(CANARY) from error


def fail_without_a_cause() -> None:
    try:
        fail(0)
    except KeyError:
        raise ValueError(CANARY) from None


def test_an_exception_is_its_classes_and_frames_without_a_message() -> None:
    with pytest.raises(ValueError, match=CANARY) as caught:
        fail_with_a_cause()
    lines = exception_text(caught.value)
    assert [line for line in lines if not line.startswith(" ")] == [
        "builtins.ValueError",
        "builtins.KeyError",
    ]
    assert any("test_logs.py" in line and "fail_with_a_cause" in line for line in lines)
    assert CANARY not in "".join(lines)


def test_a_cause_that_was_suppressed_stays_so() -> None:
    with pytest.raises(ValueError, match=CANARY) as caught:
        fail_without_a_cause()
    assert "builtins.KeyError" not in exception_text(caught.value)


def test_the_text_is_bounded() -> None:
    with pytest.raises(KeyError) as caught:
        fail(200)
    assert len(exception_text(caught.value)) == MAX_FRAMES


@pytest.mark.parametrize(
    ("level", "own", "foreign"),
    [
        ("debug", ["debug", "info", "error"], ["info", "error"]),
        ("info", ["info", "error"], ["info", "error"]),
        ("error", ["error"], ["error"]),
    ],
)
def test_what_libraries_say_below_info_is_not_written(level: str, own: list[str], foreign: list[str]) -> None:
    with logged(level) as written:
        for name in ("debug", "info", "error"):
            getattr(structlog.get_logger("assay.test"), name)(f"own {name}")
            getattr(logging.getLogger("library"), name)(f"foreign {name}")
    lines = written.getvalue()
    assert [name for name in ("debug", "info", "error") if f"own {name}" in lines] == own
    assert [name for name in ("debug", "info", "error") if f"foreign {name}" in lines] == foreign


def test_what_a_test_prints_of_an_exception_is_not_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        fail(1)
    except KeyError:
        structlog.get_logger().exception("it failed")
    printed = capsys.readouterr().out
    assert "\nKeyError: 'canary-c0de'\n" in f"{printed}\n"
    assert "│" not in printed
