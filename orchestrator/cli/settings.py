"""Settings of the command line itself, and the flags that lie over those of every process.

The table `[cli]`; its variables have the bare prefix: `ASSAY_HOME` is `home`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_settings import SettingsConfigDict

from orchestrator.cli.errors import wrong_input
from services.common.processes import COMMAND_LINE, MODEL, SERVICES
from services.common.settings import Address, Settings, SettingsError, load, nearest
from services.common.settings_file import CONFIG_VARIABLE, TABLES, ConfigFileError, read_config
from services.common.tls_settings import TlsSettings, is_loopback, none_if_empty

PREFIX: Final = "ASSAY_"
WRONG: Final = "the settings are wrong"
_PREFIXES: Final = tuple(f"{PREFIX}{table.upper()}_" for table in (*SERVICES, MODEL))


def loopback(address: str) -> str:
    """Return an address that only this machine can reach; raises ValueError for any other."""
    if not is_loopback(address):
        raise ValueError(
            "calls are not encrypted and callers not checked, so that only this machine may reach the "
            "service: 127.0.0.1, [::1] or localhost"
        )
    return address


class CommandSettings(TlsSettings, Settings):
    """What the command `assay` can be told; most of it by its options, too."""

    model_config = SettingsConfigDict(env_prefix=PREFIX)

    home: Annotated[Path | None, BeforeValidator(none_if_empty)] = Field(
        None,
        description="folder of runs and logs; else $XDG_STATE_HOME/assay, else ~/.local/state/assay",
    )
    target: Annotated[Address | None, BeforeValidator(none_if_empty)] = Field(
        None, description="host:port of a running diagnosis service, instead of a local one"
    )
    timeout_seconds: float = Field(
        300.0, ge=1, le=3600, description="time until a diagnosis is cancelled, in seconds"
    )
    listen: Annotated[Address, AfterValidator(loopback)] = Field(
        "127.0.0.1:0", description="host:port where `assay up` serves; port 0 picks a free one"
    )
    color: Literal["auto", "never"] = Field(
        "auto", description="bold and moving text on a terminal; never is the same as NO_COLOR"
    )


def own_settings(environ: Mapping[str, str]) -> CommandSettings:
    """Return the command line's settings; raises CommandError with every problem that it knows of."""
    try:
        return load(CommandSettings, own_variables(environ))
    except SettingsError as error:
        raise wrong_input(WRONG, error.problems) from None


def own_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without what begins as the variables of services do."""
    return {name: value for name, value in environ.items() if not name.startswith(_PREFIXES)}


def is_given(environ: Mapping[str, str], process: str, key: str) -> bool:
    """Tell whether the environment or the file sets a setting of some process."""
    if variable(process, key) in environ:
        return True
    try:
        return key in read_config(environ).table(process)
    except ConfigFileError:
        return False


def variable(table: str, key: str) -> str:
    """Return the variable of a setting by its place in the file."""
    own = "" if table == COMMAND_LINE else f"{table.upper()}_"
    return f"{PREFIX}{own}{key.upper()}"


def flag_variables(config: str | None, assignments: Sequence[str]) -> dict[str, str]:
    """Return what `--config` and `--set` say as variables; raises CommandError."""
    variables = dict(_assigned(text) for text in assignments)
    if config == "":
        raise wrong_input(f"--config is empty; {CONFIG_VARIABLE}= reads no file at all")
    if config is not None:
        variables[CONFIG_VARIABLE] = config
    for name, value in variables.items():
        if "\0" in name + value:
            raise wrong_input(f"{name}: holds a NUL character")
    return variables


def _assigned(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    table, dot, key = name.partition(".")
    if not (equals and dot and key):
        raise wrong_input(f"--set: {text[:100]!r} is not table.key=value, such as executor.workers=4")
    if table not in TABLES:
        raise wrong_input(f"--set: {table[:100]!r}: no such table; {nearest(table, TABLES)}")
    return variable(table, key), value
