"""Logs: one JSON object per line on stderr, whoever wrote it.

An exception is logged as its classes and frames, without its message.
"""

import logging
import sys
from typing import Any

import structlog
from structlog.typing import EventDict, Processor

from services.common.exception_text import exception_text
from services.common.rpc.context import run_id
from services.common.telemetry.spans import tracer

# Every logger of this program is below this one.
OWN = "assay"


def configure(service: str, level: str) -> None:
    """Send every log line of the process, the libraries' included, to stderr.

    Below INFO only this program's own lines: what libraries say there quotes what they work on, such as every
    statement of the store with its values.
    """
    shared = _processors(service)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    root = logging.getLogger()
    root.handlers[:] = [_handler(shared)]
    logging.getLogger(OWN).setLevel(level.upper())
    root.setLevel(max(logging.INFO, logging.getLevelNamesMapping()[level.upper()]))


def flush() -> None:
    """Write out what the handlers still hold."""
    for handler in logging.getLogger().handlers:
        handler.flush()


def _processors(service: str) -> list[Processor]:
    """Return what every line passes, this program's own and the libraries'."""

    def add_service(_: object, __: str, event: EventDict) -> EventDict:
        event["service"] = service
        return event

    return [
        add_service,
        _add_run_id,
        _add_trace,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _describe_exception,
    ]


def _handler(of_libraries: list[Processor]) -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=of_libraries,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    return handler


def _add_run_id(_: object, __: str, event: EventDict) -> EventDict:
    if current := run_id():
        event.setdefault("run_id", current)
    return event


def _add_trace(_: object, __: str, event: EventDict) -> EventDict:
    if current := tracer().current():
        event["trace_id"], event["span_id"] = current
    return event


def _describe_exception(_: object, __: str, event: EventDict) -> EventDict:
    given: Any = event.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()
    error = given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        event["exception"] = exception_text(error)
    return event
