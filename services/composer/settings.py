"""Settings of the composer process."""

from typing import Literal

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from services.common.settings import ServiceSettings
from services.common.settings_report import print_report


class ComposerSettings(ServiceSettings):
    """What the composer can be told beside what every process can."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_COMPOSER_")

    reasoner: Literal["offline"] = Field("offline", description="what writes the answers")


if __name__ == "__main__":
    raise SystemExit(print_report(ComposerSettings))
