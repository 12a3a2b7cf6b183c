"""Settings of the orchestrator process."""

from typing import Self

from pydantic import Field, model_validator
from pydantic_settings import SettingsConfigDict

from services.common.processes import AGENTS
from services.common.redaction.settings import REDACT_PATTERNS, RedactPatterns
from services.common.settings import Address, GivenPath, ServiceSettings
from services.common.settings_report import print_report


class OrchestratorSettings(ServiceSettings):
    """Where the agents are, where runs are stored, and how long everything may take."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_ORCHESTRATOR_")

    planner_address: Address = Field(description="host:port of the planner")
    executor_address: Address = Field(description="host:port of the executor")
    gatekeeper_address: Address = Field(description="host:port of the gatekeeper")
    verifier_address: Address = Field(description="host:port of the verifier")
    composer_address: Address = Field(description="host:port of the composer")

    database: GivenPath = Field(
        description="SQLite file; it is created when it does not exist, its folder is not"
    )
    database_busy_seconds: float = Field(
        5.0,
        gt=0,
        le=60,
        description="wait for another process that uses the file, in seconds",
    )
    keep_runs: int = Field(1000, ge=1, description="ended runs that are kept; the oldest beyond go")
    max_runs: int = Field(
        16, ge=1, le=1024, description="runs under way at one time; more are refused, or wait"
    )
    max_waiting_runs: int = Field(
        256, ge=0, le=4096, description="submitted runs that may wait; more are refused"
    )
    max_concurrent_rpcs: int = Field(
        512, ge=1, le=1024, description="own calls at one time, those that follow runs too; more are refused"
    )

    # There is no other pod of it: it owns its database.
    handover_seconds: float = Field(
        0.0, ge=0, le=60, description="time in which new calls are still taken on shutdown, in seconds"
    )

    max_invocations: int = Field(256, ge=1, description="tool calls that one execution may record")
    max_output_bytes: int = Field(
        1 << 28, ge=1, description="tool output that one execution may record, in bytes"
    )
    max_verified_input_bytes: int = Field(
        8 << 20, ge=1, description="largest input of the verifier, in bytes; a run with more falls back"
    )

    redact_patterns: RedactPatterns = REDACT_PATTERNS

    run_seconds: float = Field(300.0, gt=0, description="longest run, in seconds")
    reserve_seconds: float = Field(
        0.5, ge=0, description="a run ends so long before its caller's deadline, in seconds"
    )
    # Longer than the executor's `inventory_deadline_seconds` and the start of a worker process together.
    list_tools_seconds: float = Field(45.0, gt=0, description="longest listing of a scope, in seconds")
    # A model's own bound, `model_timeout_seconds`, is shorter: who is slow then fails by that one.
    planner_seconds: float = Field(90.0, gt=0, description="longest planning, in seconds")
    executor_seconds: float = Field(180.0, gt=0, description="longest execution, in seconds")
    gatekeeper_seconds: float = Field(30.0, gt=0, description="longest check, in seconds")
    verifier_seconds: float = Field(90.0, gt=0, description="longest verification, in seconds")
    composer_seconds: float = Field(90.0, gt=0, description="longest composing, in seconds")

    @model_validator(mode="after")
    def _reaches_nobody_openly(self) -> Self:
        for agent in AGENTS:
            self.refuse_open(f"{agent}_address", getattr(self, f"{agent}_address"))
        return self


if __name__ == "__main__":
    raise SystemExit(print_report(OrchestratorSettings))
