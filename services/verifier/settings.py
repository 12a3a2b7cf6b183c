"""Settings of the verifier process."""

from typing import Literal

from pydantic_settings import SettingsConfigDict

from services.common.settings import ServiceSettings


class VerifierSettings(ServiceSettings):
    """The shared settings and who judges."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_VERIFIER_")

    reasoner: Literal["offline"] = "offline"
