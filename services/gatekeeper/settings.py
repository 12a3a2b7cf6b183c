"""Settings of the gatekeeper process."""

from pydantic_settings import SettingsConfigDict

from services.common.settings import ServiceSettings
from services.common.settings_report import print_report


class GatekeeperSettings(ServiceSettings):
    """The shared settings suffice: the gate has nothing to be tuned."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_GATEKEEPER_")


if __name__ == "__main__":
    raise SystemExit(print_report(GatekeeperSettings))
