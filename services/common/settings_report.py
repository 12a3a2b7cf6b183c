"""Every setting of a process, where it comes from and what it means, as one JSON object.

`python -m services.planner.settings` prints it, from the same layers that `python -m services.planner` reads.
A field whose type says that it is a secret, and a password in an address, is never shown.
"""

import json
import os
import re
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final, TypedDict, get_args, get_origin

from pydantic import BaseModel, Secret, SecretBytes, SecretStr
from pydantic.fields import FieldInfo

from services.common.rpc.exit_codes import EXIT_OK, EXIT_USAGE
from services.common.settings import Examined, Settings, examine, prefix_of, process_name, shared_variable

HIDDEN: Final = "********"
ORIGIN_DEFAULT: Final = "default"
ORIGIN_MISSING: Final = "not set"
_SECRETS: Final = (Secret, SecretStr, SecretBytes)
_USER_INFORMATION: Final = re.compile(r"(?<=://)[^/?#\s]*@")


class Setting(TypedDict):
    """One setting. `value` is JSON, null when it is not set or wrong; `origin` says who set it.

    `shared_variable` sets it in several processes at once; empty when it has none.
    """

    key: str
    variable: str
    shared_variable: str
    value: Any
    origin: str
    default: Any
    description: str
    secret: bool


class Report(TypedDict):
    """The settings of one process, what is wrong with them, and the file that was read ("" for none)."""

    process: str
    file: str
    settings: list[Setting]
    problems: list[str]


def report(settings_type: type[Settings], environ: Mapping[str, str], others: Collection[str] = ()) -> Report:
    """Examine the settings of a process. Works whatever is wrong with them; `others` as in `examine`."""
    examined = examine(settings_type, environ, others)
    return Report(
        process=process_name(settings_type),
        file=str(examined.file.path or ""),
        settings=[
            _setting(settings_type, name, field, examined)
            for name, field in settings_type.model_fields.items()
        ],
        problems=list(examined.problems),
    )


def print_report(settings_type: type[Settings]) -> int:
    """Print the report of this process's own environment; returns the exit code, 2 for wrong settings."""
    made = report(settings_type, os.environ)
    sys.stdout.write(json.dumps(made) + "\n")
    return EXIT_USAGE if made["problems"] else EXIT_OK


def _setting(settings_type: type[Settings], name: str, field: FieldInfo, examined: Examined[Any]) -> Setting:
    secret = _is_secret(field.annotation) or any(_is_secret(item) for item in field.metadata)
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    if name in examined.given:
        origin = examined.given[name].origin
        value = examined.given[name].value if examined.settings is None else getattr(examined.settings, name)
    else:
        origin, value = (ORIGIN_MISSING if field.is_required() else ORIGIN_DEFAULT), default
    return Setting(
        key=name,
        variable=prefix_of(settings_type) + name.upper(),
        shared_variable=shared_variable(settings_type, name),
        value=None if name in examined.wrong else _shown(value, secret),
        origin=origin,
        default=_shown(default, secret),
        description=field.description or "",
        secret=secret,
    )


def _is_secret(annotation: object) -> bool:
    plain = get_origin(annotation) or annotation
    if isinstance(plain, type) and issubclass(plain, _SECRETS):
        return True
    return any(_is_secret(argument) for argument in get_args(annotation))


def _shown(value: Any, secret: bool) -> Any:  # noqa: ANN401 - whatever a setting holds
    """Return a value as JSON, without what is secret in it."""
    match value:
        case None | bool() | int() | float():
            return HIDDEN if secret and value is not None else value
        case [] | ():
            # There is nothing to hide.
            return []
        case _ if secret or isinstance(value, _SECRETS):
            return HIDDEN
        case str():
            return _USER_INFORMATION.sub(f"{HIDDEN}@", value)
        case Path():
            return str(value)
        case Mapping():
            return {str(key): _shown(item, secret) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_shown(item, secret) for item in value]
        case BaseModel():
            return _shown(dict(value), secret)
        case _:
            return _shown(str(value), secret)
