"""Settings of the verifier process."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from services.common.llm.settings import ReasonerSettings
from services.common.settings_report import print_report


class VerifierSettings(ReasonerSettings):
    """The shared settings and who judges."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_VERIFIER_")

    model_context_tokens: int = Field(
        24_000,
        ge=512,
        le=10_000_000,
        description="largest request, in estimated tokens of four bytes; it shortens evidence to fit",
    )


if __name__ == "__main__":
    raise SystemExit(print_report(VerifierSettings))
