"""What the executor offers for a scope, asked before a run begins so that a wrong scope begins none."""

from collections.abc import Mapping
from typing import Final

from assay.common.v1.context_pb2 import Scope
from assay.common.v1.tool_pb2 import ToolCatalog

from orchestrator.agents.executor import ExecutorAgent
from orchestrator.graph import CallFailedError, RunConfig
from services.common.errors import (
    AssayError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    ResourceExhaustedError,
    UnavailableError,
)

_REFUSALS: Final[Mapping[str, type[AssayError]]] = {
    "INVALID_ARGUMENT": InvalidArgumentError,
    "NOT_FOUND": NotFoundError,
    "FAILED_PRECONDITION": FailedPreconditionError,
}


class Catalogs:
    """Asks the executor. A refusal is the caller's; a failure is left to the run's planner attempt."""

    def __init__(self, executor: ExecutorAgent) -> None:
        self._executor = executor

    async def known(self, scope: Scope, config: RunConfig) -> ToolCatalog | None:
        """Return the catalog of a scope, None when the executor cannot say now; raises its refusal."""
        try:
            return await self._executor.list_tools(scope, config)
        except CallFailedError as error:
            refusal = _REFUSALS.get(error.code)
            if refusal is None:
                return None
            raise refusal(error.message, field="scope.bundle") from None

    async def listed(self, scope: Scope | None, seconds: float) -> ToolCatalog:
        """Return the tools and, of a scope, its sources, asked outside any run; raises why that cannot be."""
        try:
            return await self._executor.offered(scope, seconds)
        except CallFailedError as error:
            if error.code == "RESOURCE_EXHAUSTED":
                raise ResourceExhaustedError(f"the executor is at its limit: {error.message}") from None
            if refusal := _REFUSALS.get(error.code):
                raise refusal(error.message, field="scope.bundle") from None
            raise UnavailableError(f"the executor does not list its tools ({error.code})") from None
