"""Settings of the composer process."""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from services.common.llm.settings import ReasonerSettings
from services.common.settings_report import print_report


class ComposerSettings(ReasonerSettings):
    """What the composer can be told beside what every process can."""

    model_config = SettingsConfigDict(env_prefix="ASSAY_COMPOSER_")

    model_context_tokens: int = Field(
        12_000,
        ge=512,
        le=10_000_000,
        description="largest request, in estimated tokens of four bytes; it leaves out claims to fit",
    )


if __name__ == "__main__":
    raise SystemExit(print_report(ComposerSettings))
