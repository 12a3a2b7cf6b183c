"""Settings of the planner process."""

from typing import Literal

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from services.common.settings import ServiceSettings


class PlannerSettings(ServiceSettings):
    """What the planner can be told beside what every process can."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_PLANNER_")

    reasoner: Literal["offline"] = Field("offline", description="what makes the plans")
