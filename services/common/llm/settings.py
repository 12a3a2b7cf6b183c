"""Settings of the processes that may ask a language model."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, ValidationInfo, field_validator

from services.common.redaction.settings import REDACT_PATTERNS, RedactPatterns
from services.common.settings import ServiceSettings

_MAX_URL_CHARS = 2000
_MAX_KEY_CHARS = 4096


def _base_url(value: str) -> str:
    """Return a legal base URL without its last slash, empty when none is set; no message quotes it."""
    if not value:
        return value
    if any(character in value for character in " @?#"):
        raise ValueError("write it without spaces, a user, a password, a query or a fragment")
    if not (_is_http(value) and len(value) <= _MAX_URL_CHARS and value.isascii() and value.isprintable()):
        raise ValueError("write it as http://host:port/v1 or https://host/v1")
    if value.rstrip("/").endswith("/chat/completions"):
        raise ValueError("write it without /chat/completions at its end")
    return value.rstrip("/")


def _is_http(value: str) -> bool:
    try:
        parts = urlsplit(value)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _key(value: SecretStr | None) -> SecretStr | None:
    key = value.get_secret_value() if value else ""
    if len(key) > _MAX_KEY_CHARS or not all("!" <= character <= "~" for character in key):
        raise ValueError("holds a character that no key has, such as a space or the end of a line")
    return value if key else None


BaseUrl = Annotated[str, AfterValidator(_base_url)]
Key = Annotated[SecretStr | None, AfterValidator(_key)]
Name = Annotated[str, Field(max_length=200, pattern=r"^[!-~]*$")]


class ReasonerSettings(ServiceSettings):
    """What an agent is told of its reasoner, and of the model that the reasoner `openai` asks.

    Each of these may stand in the shared table, too: `model_name` is `[model] name` and ASSAY_MODEL_NAME,
    `reasoner` is `[model] reasoner` and ASSAY_MODEL_REASONER.
    """

    shared_keys: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "reasoner": "reasoner",
            "fallback_reasoner": "fallback_reasoner",
            "base_url": "model_base_url",
            "api_key": "model_api_key",
            "name": "model_name",
            "timeout_seconds": "model_timeout_seconds",
            "context_tokens": "model_context_tokens",
            "max_output_tokens": "model_max_output_tokens",
            "max_concurrent": "model_max_concurrent",
            "requests_per_minute": "model_requests_per_minute",
            "max_answer_bytes": "model_max_answer_bytes",
            "redact_patterns": "redact_patterns",
        }
    )

    reasoner: Literal["offline", "openai"] = Field(
        "offline", description="who thinks: code alone, or a model behind an OpenAI-compatible endpoint"
    )
    fallback_reasoner: Literal["none", "offline"] = Field(
        "none", description="who thinks while the model's endpoint cannot be used"
    )
    model_base_url: BaseUrl = Field(
        "", description="base URL of the endpoint, such as http://127.0.0.1:8080/v1", validate_default=True
    )
    model_api_key: Key = Field(None, description="key of the endpoint; a local one often needs none")
    model_name: Name = Field(
        "", description="the model's name, as the endpoint knows it", validate_default=True
    )
    model_timeout_seconds: float = Field(
        60.0, gt=0, le=600, description="longest call of the model, in seconds"
    )
    model_context_tokens: int = Field(
        32_000, ge=512, le=10_000_000, description="largest request, in estimated tokens of four bytes"
    )
    model_max_output_tokens: int = Field(
        4096, ge=16, le=1_000_000, description="largest answer of the model, in tokens"
    )
    model_max_concurrent: int = Field(4, ge=1, le=1024, description="calls of the model at one time")
    model_requests_per_minute: int = Field(
        120, ge=1, le=1_000_000, description="calls of the model that begin in any 60 seconds"
    )
    model_max_answer_bytes: int = Field(
        1 << 20, ge=1024, le=1 << 24, description="largest answer of the endpoint, in bytes"
    )

    redact_patterns: RedactPatterns = REDACT_PATTERNS

    @field_validator("model_base_url", "model_name")
    @classmethod
    def _needed(cls, value: str, info: ValidationInfo) -> str:
        if info.data.get("reasoner") == "openai" and not value:
            raise ValueError("the reasoner openai needs it")
        return value
