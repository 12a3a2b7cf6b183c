"""Fixtures that every test may use."""

import os
from pathlib import Path

import pytest
import structlog
from hypothesis import settings
from structlog.dev import ConsoleRenderer, plain_traceback

# Assertions in helpers, too, say what they compared; before any of them is imported.
pytest.register_assert_rewrite(*(f"tests.{path.name}" for path in Path(__file__).parent.iterdir()))

from tests.fakes.environment import forget_own  # noqa: E402

PROJECT = Path(__file__).resolve().parent.parent
SHARED_VARIABLE = "TEST_DATA"

forget_own(os.environ)

# On a busy machine the time of one example says nothing about the code. In CI every change is judged by the
# same examples; whoever runs the tests by hand tries others.
settings.register_profile("assay", deadline=None, derandomize=bool(os.environ.get("CI")))
# For `make mutants`, which runs the tests of a function once per mutant of it.
settings.register_profile("mutants", deadline=None, max_examples=20, derandomize=True, database=None)
settings.load_profile("assay")

# A service logs no variables. Drawn with them, a traceback holds up the event loop of a test for seconds.
for processor in structlog.get_config()["processors"]:
    if isinstance(processor, ConsoleRenderer):
        processor.exception_formatter = plain_traceback


@pytest.fixture(scope="session")
def project() -> Path:
    return PROJECT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public test data that is not part of the project."""
    folder = Path(os.environ.get(SHARED_VARIABLE, PROJECT.parent / "shared")).resolve()
    if folder.is_dir():
        return folder
    if os.environ.get("CI"):
        pytest.fail(f"no test data at {folder}: set {SHARED_VARIABLE}")
    pytest.skip(f"no test data: set {SHARED_VARIABLE} to its folder")
