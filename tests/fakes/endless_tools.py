"""Tools that do not end, in an executor that is otherwise real: `python -m tests.fakes.endless_tools`.

Their argument `source` is the port at which they say that they have begun.
"""

from dataclasses import replace
from typing import NoReturn

from services.common.redaction.redactor import Redactor
from services.common.rpc.service import Service, run
from services.executor.__main__ import compose
from services.executor.reasoner import OfflineReasoner
from services.executor.settings import ExecutorSettings
from services.executor.sources.bundle import Bundle
from services.executor.sources.stop import Stop
from services.executor.tools.arguments import OneSource
from services.executor.tools.registry import tools
from services.executor.tools.tool import Tool, ToolOutput
from tests.fakes.worker_desk import Notes


def searching(_bundle: Bundle, arguments: OneSource, _stop: Stop) -> ToolOutput:
    """Never ask, and hold the interpreter."""
    Notes().search(int(arguments.source))
    return ToolOutput({})


def asking(_bundle: Bundle, _arguments: OneSource, stop: Stop) -> NoReturn:
    """Ask whether to go on, again and again."""
    while True:
        stop.check()


def endless_tools(seconds: float) -> dict[str, Tool]:
    """Return the tools; `alerts_list` holds the interpreter, `metrics_list` asks, each for so long.

    The others end by themselves, and have more time than they need on any machine.
    """
    offered = tools(100_000, 600)
    return offered | {
        "alerts_list": replace(offered["alerts_list"], run=searching, deadline_seconds=seconds),
        "metrics_list": replace(offered["metrics_list"], run=asking, deadline_seconds=seconds),
    }


async def build(settings: ExecutorSettings) -> Service:
    offered = endless_tools(settings.tool_deadline_seconds)
    return compose(settings, offered, Redactor(), OfflineReasoner())


if __name__ == "__main__":
    raise SystemExit(run(ExecutorSettings, build))
