"""Settings of the verifier process."""

from typing import Literal

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from services.common.settings import ServiceSettings
from services.common.settings_report import print_report


class VerifierSettings(ServiceSettings):
    """The shared settings and who judges."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_VERIFIER_")

    reasoner: Literal["offline"] = Field("offline", description="what judges the claims")


if __name__ == "__main__":
    raise SystemExit(print_report(VerifierSettings))
