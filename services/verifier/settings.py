"""Settings of the verifier process."""

from pydantic_settings import SettingsConfigDict

from services.common.llm.settings import ReasonerSettings
from services.common.settings_report import print_report


class VerifierSettings(ReasonerSettings):
    """The shared settings and who judges."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_VERIFIER_")


if __name__ == "__main__":
    raise SystemExit(print_report(VerifierSettings))
