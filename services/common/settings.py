"""Settings of a process: one model, read once, every problem named at once.

A field `drain_seconds` of a model with the prefix `ASSAY_PLANNER_` is the variable
`ASSAY_PLANNER_DRAIN_SECONDS`. A variable with the prefix that no field reads is refused: a misspelt limit
would otherwise silently not hold.
"""

import difflib
import re
from collections.abc import Mapping
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

DEFAULT_MAX_MESSAGE_BYTES = 32 * 1024 * 1024

_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")


def _address(value: str) -> str:
    match = _ADDRESS.fullmatch(value)
    if match is None or int(match[2]) > 65535:
        raise ValueError("write it as host:port, such as 127.0.0.1:50051")
    return value


Address = Annotated[str, AfterValidator(_address)]


class SettingsError(Exception):
    """The environment does not hold legal settings. The problems name variables, never their values."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class ServiceSettings(BaseSettings):
    """What every process can be told. A service adds its own fields and its prefix in a subclass."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    listen: Address = Field("127.0.0.1:0", description="host:port to serve on; port 0 picks a free one")
    max_concurrent_rpcs: int = Field(48, ge=1, le=1024, description="own calls at one time; more are refused")
    max_message_bytes: int = Field(
        DEFAULT_MAX_MESSAGE_BYTES, ge=4096, le=1 << 30, description="largest message, either way, in bytes"
    )
    drain_seconds: float = Field(
        10.0, ge=0, le=600, description="time for running calls to end on shutdown, in seconds"
    )
    reflection: bool = Field(True, description="serve gRPC reflection")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="least level logged")
    stop_with_parent: bool = Field(
        False,
        description="stop when standard input ends, so that no process outlives the one that started it",
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - pydantic-settings passes all of them by name
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read only what is passed in: `load` maps the environment, and a test's settings are its own."""
        return (init_settings,)


SettingsT = TypeVar("SettingsT", bound=ServiceSettings)


def load(settings_type: type[SettingsT], environ: Mapping[str, str]) -> SettingsT:
    """Read the settings of a process from its environment; raises SettingsError with every problem."""
    prefix = settings_type.model_config.get("env_prefix", "")
    names = {prefix + field.upper(): field for field in settings_type.model_fields}
    given = {name: value for name, value in environ.items() if name.startswith(prefix)}
    problems = [_unknown(name, names) for name in sorted(given) if name not in names]
    values = {names[name]: value for name, value in given.items() if name in names}
    try:
        settings = settings_type.model_validate(values)
    except ValidationError as error:
        problems += [_invalid(prefix, item["loc"], item["msg"]) for item in error.errors()]
        raise SettingsError(problems) from None
    if problems:
        raise SettingsError(problems)
    return settings


def process_name(settings_type: type[ServiceSettings]) -> str:
    """Return the short name of the process that a settings model is for: `planner` for `ASSAY_PLANNER_`."""
    prefix = settings_type.model_config.get("env_prefix", "")
    return prefix.removeprefix("ASSAY_").removesuffix("_").lower()


def _unknown(name: str, names: Mapping[str, str]) -> str:
    nearest = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {nearest[0]}?" if nearest else f"known are {', '.join(sorted(names))}"
    return f"{name}: no such setting; {hint}"


def _invalid(prefix: str, location: tuple[int | str, ...], message: str) -> str:
    message = message.removeprefix("Value error, ")
    if not location:
        return message
    return f"{prefix}{str(location[0]).upper()}: {message}"
