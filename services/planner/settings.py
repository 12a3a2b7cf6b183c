"""Settings of the planner process."""

from typing import Literal

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from services.common.settings import ServiceSettings
from services.common.settings_report import print_report


class PlannerSettings(ServiceSettings):
    """What the planner can be told beside what every process can."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_PLANNER_")

    reasoner: Literal["offline"] = Field("offline", description="what makes the plans")


if __name__ == "__main__":
    raise SystemExit(print_report(PlannerSettings))
