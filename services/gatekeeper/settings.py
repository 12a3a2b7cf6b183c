"""Settings of the gatekeeper process."""

from pydantic_settings import SettingsConfigDict

from services.common.settings import ServiceSettings


class GatekeeperSettings(ServiceSettings):
    """The shared settings suffice: the gate has nothing to be tuned."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_GATEKEEPER_")
