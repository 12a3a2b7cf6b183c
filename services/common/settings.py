"""Settings of a process: one model, read once, every problem named at once.

Three layers, the later over the earlier: the model's defaults, the configuration file, the environment. What
the command line's flags say, it passes on as variables. A field `drain_seconds` of a model with the prefix
`ASSAY_PLANNER_` is the variable `ASSAY_PLANNER_DRAIN_SECONDS` and the key `drain_seconds` of the file's table
`[planner]`; the text of a variable and the value of a key mean the same. A name that no field reads is
refused: a misspelt limit would otherwise silently not hold.

What several processes are to be told alike stands in the shared table `[model]` or in variables
`ASSAY_MODEL_…`: below whatever the file or the environment says for one process alone.
"""

import difflib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, Self, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from services.common.processes import COMMAND_LINE, MODEL
from services.common.settings_file import (
    CONFIG_VARIABLE,
    TABLES,
    ConfigFile,
    ConfigFileError,
    read_config,
)
from services.common.telemetry.endpoint import host_of, is_encrypted, legal_endpoint
from services.common.tls_settings import TlsSettings, is_loopback, none_if_empty

DEFAULT_MAX_MESSAGE_BYTES = 32 * 1024 * 1024
SHARED_PREFIX = f"ASSAY_{MODEL.upper()}_"

_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")
_MAX_SHOWN_CHARS = 100
_MAX_LISTED = 40
# Integers beyond have no setting, and some of them no text in this version of Python.
_MAX_INTEGER_BITS = 64


def _address(value: str) -> str:
    match = _ADDRESS.fullmatch(value)
    if match is None or int(match[2]) > 65535:
        raise ValueError("write it as host:port, such as 127.0.0.1:50051")
    return value


def _identities(value: object) -> object:
    return tuple(value.split()) if isinstance(value, str) else value


def _identity(value: str) -> str:
    if "://" not in value or not value.isascii() or not value.isprintable():
        raise ValueError("write them as URIs with spaces between them, such as spiffe://assay.local/user")
    return value


def _not_empty(value: object) -> object:
    if value == "":
        raise ValueError("it is empty, which would mean the current folder; write a path")
    return value


Address = Annotated[str, AfterValidator(_address)]
Identity = Annotated[str, AfterValidator(_identity)]
Endpoint = Annotated[str, AfterValidator(legal_endpoint)]
GivenPath = Annotated[Path, BeforeValidator(_not_empty)]


class SettingsError(Exception):
    """There are no legal settings. The problems name variables and places of the file, never values."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class Settings(BaseSettings):
    """The base of every settings model; `load` fills it."""

    model_config = SettingsConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False
    )

    # Fields that the shared table may set, by their keys there.
    shared_keys: ClassVar[Mapping[str, str]] = MappingProxyType({})

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - pydantic-settings passes all of them by name
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read only what is passed in: `load` lays the layers, and a test's settings are its own."""
        return (init_settings,)


class ServiceSettings(TlsSettings, Settings):
    """What every service process can be told. A service adds its own fields and its prefix in a subclass."""

    listen: Address = Field("127.0.0.1:0", description="host:port to serve on; port 0 picks a free one")
    health_listen: Annotated[Address | None, BeforeValidator(none_if_empty)] = Field(
        None, description="host:port where plaintext probes may ask for health, and for nothing else"
    )
    metrics_listen: Annotated[Address | None, BeforeValidator(none_if_empty)] = Field(
        None, description="host:port where metrics may be scraped in plain HTTP, and nothing else"
    )
    users: Annotated[tuple[Identity, ...], BeforeValidator(_identities)] = Field(
        (), max_length=1000, description="identities of people and programs that may call as users"
    )
    max_calls_per_second: float = Field(
        500.0, gt=0, le=1e6, description="calls of one caller that has an identity; twice as many in a burst"
    )
    max_calls_of_one_caller: int = Field(
        256, ge=1, le=1024, description="calls at one time of one caller with an identity; more are refused"
    )
    max_connection_age_seconds: float = Field(
        600.0, ge=1, le=86400, description="age at which a connection is to be made anew, in seconds"
    )
    max_concurrent_rpcs: int = Field(48, ge=1, le=1024, description="own calls at one time; more are refused")
    max_message_bytes: int = Field(
        DEFAULT_MAX_MESSAGE_BYTES, ge=4096, le=1 << 30, description="largest message, either way, in bytes"
    )
    drain_seconds: float = Field(
        10.0, ge=0, le=600, description="time for running calls to end on shutdown, in seconds"
    )
    handover_seconds: float = Field(
        1.0,
        ge=0,
        le=60,
        description="time on shutdown in which new calls are still taken, so that callers can go elsewhere, "
        "in seconds; never more than drain_seconds",
    )
    reflection: bool = Field(True, description="serve gRPC reflection")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="least level logged")
    otlp_endpoint: Endpoint = Field(
        "", description="collector of traces by OTLP/gRPC, such as http://127.0.0.1:4317; empty sends none"
    )
    stop_with_parent: bool = Field(
        False,
        description="stop when standard input ends, so that no process outlives the one that started it",
    )

    @model_validator(mode="after")
    def _not_open(self) -> Self:
        self.refuse_open("listen", self.listen)
        return self

    @model_validator(mode="after")
    def _sends_nothing_openly(self) -> Self:
        endpoint = self.otlp_endpoint
        if endpoint and not (is_encrypted(endpoint) or is_loopback(host_of(endpoint)) or self.plaintext):
            raise ValueError(
                "otlp_endpoint is not of this machine, and what is sent there would not be encrypted: write "
                "https://, or set plaintext where something else protects it"
            )
        return self


SettingsT = TypeVar("SettingsT", bound=Settings)


@dataclass(frozen=True, slots=True)
class Given:
    """A value that a layer gives to a field: where it stands, and how a message names it."""

    value: Any
    origin: str
    label: str


@dataclass(frozen=True, slots=True)
class Examined(Generic[SettingsT]):
    """The settings of a process with their origins; None, with every problem, when they are not legal.

    `given` holds the fields that a layer sets, `wrong` those whose value is not legal or is missing.
    """

    settings: SettingsT | None
    given: Mapping[str, Given]
    wrong: frozenset[str]
    problems: Sequence[str]
    file: ConfigFile


class _Names(NamedTuple):
    """One place for settings: the prefix of its variables, its table, and the fields by their keys there."""

    prefix: str
    table: str
    fields: Mapping[str, str]


def load(settings_type: type[SettingsT], environ: Mapping[str, str]) -> SettingsT:
    """Read the settings of a process from file and environment; raises SettingsError with every problem."""
    examined = examine(settings_type, environ)
    if examined.settings is None:
        raise SettingsError(examined.problems)
    return examined.settings


def examine(
    settings_type: type[SettingsT], environ: Mapping[str, str], others: Collection[str] = ()
) -> Examined[SettingsT]:
    """Read the settings of a process and tell where each comes from, and whatever is wrong with them.

    `others` are variables of other processes, which a misspelt one may have been meant for.
    """
    file, problems = _file(environ)
    given: dict[str, Given] = {}
    for names in _layers(settings_type):
        given |= _from_file(names, file, problems)
        given |= _from_environment(names, environ, others, problems)
    settings, wrong = None, frozenset[str]()
    try:
        settings = settings_type.model_validate({name: item.value for name, item in given.items()})
    except ValidationError as error:
        wrong = frozenset(str(item["loc"][0]) for item in error.errors() if item["loc"])
        problems += [_invalid(settings_type, given, item["loc"], item["msg"]) for item in error.errors()]
    return Examined(None if problems else settings, given, wrong, problems, file)


def prefix_of(settings_type: type[Settings]) -> str:
    """Return what the variables of a process begin with."""
    return settings_type.model_config.get("env_prefix", "")


def shared_variable(settings_type: type[Settings], field: str) -> str:
    """Return the variable that sets a field in several processes at once; empty when there is none."""
    keys = [key for key, shared in settings_type.shared_keys.items() if shared == field]
    return SHARED_PREFIX + keys[0].upper() if keys else ""


def process_name(settings_type: type[Settings]) -> str:
    """Return the short name of the process that a settings model is for: `planner` for `ASSAY_PLANNER_`.

    The bare prefix `ASSAY_` is the command line's.
    """
    return prefix_of(settings_type).removeprefix("ASSAY_").removesuffix("_").lower() or COMMAND_LINE


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the advice for a name that is not known: the nearest one that is, or all of them."""
    names = sorted(known)
    close = difflib.get_close_matches(name[:_MAX_SHOWN_CHARS], names, n=1)
    if close:
        return f"did you mean {close[0]}?"
    return f"known are {', '.join(names)}" if len(names) <= _MAX_LISTED else "`assay config show` lists all"


def _file(environ: Mapping[str, str]) -> tuple[ConfigFile, list[str]]:
    try:
        file = read_config(environ)
    except ConfigFileError as error:
        return ConfigFile(), [error.message]
    problems = []
    for name, value in file.values.items():
        if name not in TABLES:
            what = "no such table" if isinstance(value, dict) else "stands in no table"
            problems.append(f"{file.place(name)}: {_shown(name)}: {what}; {nearest(name, TABLES)}")
        elif not isinstance(value, dict):
            problems.append(f"{file.place(name)}: {name}: is not a table; write [{name}] and its keys below")
    return file, problems


def _layers(settings_type: type[Settings]) -> list[_Names]:
    """Return where the fields of a process may be set, the weakest first."""
    own = {field: field for field in settings_type.model_fields}
    layers = [_Names(prefix_of(settings_type), process_name(settings_type), own)]
    if settings_type.shared_keys:
        layers.insert(0, _Names(SHARED_PREFIX, MODEL, settings_type.shared_keys))
    return layers


def _from_file(names: _Names, file: ConfigFile, problems: list[str]) -> dict[str, Given]:
    given: dict[str, Given] = {}
    for key, value in file.table(names.table).items():
        place = file.place(names.table, key)
        if key in names.fields:
            label = f"{place}: [{names.table}] {key}"
            given[names.fields[key]] = Given(_as_variable(value), place, label)
        else:
            advice = nearest(key, names.fields)
            problems.append(f"{place}: [{names.table}] {_shown(key)}: no such setting; {advice}")
    return given


def _from_environment(
    names: _Names, environ: Mapping[str, str], others: Collection[str], problems: list[str]
) -> dict[str, Given]:
    fields = {names.prefix + key.upper(): field for key, field in names.fields.items()}
    given = {name for name in environ if name.startswith(names.prefix) and name != CONFIG_VARIABLE}
    known = [*fields, *others]
    problems += [f"{name}: no such setting; {nearest(name, known)}" for name in sorted(given - fields.keys())]
    return {fields[name]: Given(environ[name], name, name) for name in given & fields.keys()}


def _as_variable(value: object) -> object:
    """Return a value of the file as the text that a variable would hold, so that both are read alike."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) or (isinstance(value, int) and value.bit_length() <= _MAX_INTEGER_BITS):
        return str(value)
    return value


def _invalid(
    settings_type: type[Settings],
    given: Mapping[str, Given],
    location: tuple[int | str, ...],
    message: str,
) -> str:
    message = message.removeprefix("Value error, ")
    if not location:
        return message
    field = str(location[0])
    missing = shared_variable(settings_type, field) or prefix_of(settings_type) + field.upper()
    return f"{given[field].label if field in given else missing}: {message}"


def _shown(name: str) -> str:
    """Return a key that somebody wrote, on one line and not too long."""
    shown = name if name.isprintable() else ascii(name)
    return shown if len(shown) <= _MAX_SHOWN_CHARS else f"{shown[:_MAX_SHOWN_CHARS]}…"
