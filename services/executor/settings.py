"""Settings of the executor. Prefix: ASSAY_EXECUTOR_."""

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_settings import SettingsConfigDict

from services.common.llm.settings import ReasonerSettings
from services.common.settings import GivenPath
from services.common.settings_report import print_report


def _folder(value: Path) -> Path:
    try:
        found = value.is_dir()
    except OSError as error:
        # A name that no system can look up is a wrong value, not a failure.
        raise ValueError(f"it cannot be looked at: {error.strerror}") from None
    if not found:
        raise ValueError("it is no folder")
    return value


class ExecutorSettings(ReasonerSettings):
    """What the executor can be told."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_EXECUTOR_")

    bundle_root: Annotated[GivenPath, AfterValidator(_folder)] = Field(
        description="folder that bundles are named relative to"
    )
    workers: int = Field(
        2,
        ge=1,
        le=16,
        description="executions at one time, each in a process; one more lists sources while all are busy",
    )
    tool_deadline_seconds: float = Field(
        120.0, gt=0, le=600, description="time for one tool call, in seconds"
    )
    inventory_deadline_seconds: float = Field(
        30.0, gt=0, le=600, description="time to look through a bundle, in seconds"
    )
    analysis_deadline_seconds: float = Field(
        60.0, gt=0, le=600, description="time for one step of the analysis, in seconds"
    )
    max_output_bytes: int = Field(
        512 * 1024, ge=1024, le=1 << 20, description="largest tool output, in bytes; at most 1 MiB"
    )
    max_structured_bytes: int = Field(
        8 * 1024 * 1024, ge=1024, le=1 << 28, description="largest JSON or CSV source that is read, in bytes"
    )
    max_log_bytes: int = Field(
        256 * 1024 * 1024, ge=1024, le=1 << 34, description="how much of one log is read, in bytes"
    )


if __name__ == "__main__":
    raise SystemExit(print_report(ExecutorSettings))
