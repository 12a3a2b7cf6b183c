"""Who sent a request and what for, as the line of a log states it; empty where it does not."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from services.executor.sources.log_envelopes import unwrapped
from services.executor.sources.log_line import LogLine
from services.executor.sources.log_requests import without_origin

# Before the time stand the client, its identity and its user; some servers put their own name before them.
_COMMON: Final = re.compile(r"(?:\S+ (?=[0-9a-fA-F.:]+ \S+ \S+ \[))?(\S+) \S+ \S+ \[[0-9]{2}/[A-Z][a-z]{2}/")
_HAPROXY: Final = re.compile(r"(?:.{0,256}\]: )?(\S+):[0-9]+ \[[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:")
_BALANCER: Final = re.compile(r"(?:https?|h2|grpcs|wss?) [0-9-]{10}T\S+Z \S+ (\S+):[0-9]+ ")
_IIS: Final = re.compile(
    r"[0-9-]{10} [0-9:]{8} [0-9a-fA-F.:]+ [A-Z]{3,16} \S+ \S+ [0-9]+ \S+ ([0-9a-fA-F.:]+) "
)
_CLOUDFRONT: Final = re.compile(r"[0-9-]{10}\t[0-9:]{8}\t[A-Z0-9-]+\t[0-9]+\t(\S+)\t[A-Z]{3,16}\t")
_FORMS: Final = (_CLOUDFRONT, _COMMON, _HAPROXY, _BALANCER, _IIS)
_CLIENT_KEYS: Final = (
    "remote_addr", "client_ip", "remote_ip", "clientip", "clientIp", "clientIP", "remoteAddr", "remoteIp",
    "ClientHost", "client_addr", "client",
)  # fmt: skip
_METHOD_KEYS: Final = ("method", "http_method", "request_method", "requestMethod", "RequestMethod", "verb")
_PATH_KEYS: Final = (
    "path", "uri", "request_uri", "requestUri", "url", "RequestPath", "request_path", "requestUrl",
)  # fmt: skip
# Some loggers keep what they say of a request in an object of its own.
_NESTED: Final = ("request", "req", "httpRequest", "http")
_METHOD: Final = r"GET|HEAD|POST|PUT|DELETE|PATCH|OPTIONS"
_REQUEST: Final = re.compile(rf'\b({_METHOD}) ([^\s"?]+)')
# What stands for itself, or behind the name of a field, and begins as a path does.
_PATH: Final = re.compile(r'(?<![^\s"\'=:,])/[^\s"\'?,]*')


def client_of(line: LogLine) -> str:
    """Return the address of the client that sent the request."""
    text = _inner(line.text)
    if text.startswith("{"):
        return _stated(_fields(text), _CLIENT_KEYS)
    return next((match.group(1) for form in _FORMS if (match := form.match(text))), "")


def method_of(line: LogLine) -> str:
    """Return the method of the request."""
    if match := _REQUEST.search(line.parsed.message):
        return match.group(1)
    return _stated(_fields(_inner(line.text)), _METHOD_KEYS).upper()


def path_of(line: LogLine) -> str:
    """Return the path of the request, without its query."""
    match = _REQUEST.search(line.parsed.message)
    path = match.group(2) if match else _stated(_fields(_inner(line.text)), _PATH_KEYS)
    return without_origin(path).partition("?")[0]


def is_to(line: LogLine, path: str) -> bool:
    """Tell whether a request is to a path, or to what is below it.

    Where the line does not state its path as such, it is any that the line holds.
    """
    stated = path_of(line)
    held = [stated] if stated else _PATH.findall(line.text)
    return any(each == path or each.startswith(f"{path.rstrip('/')}/") for each in held)


def _inner(text: str) -> str:
    inner = unwrapped(text)
    return inner.text if inner else text


def _fields(text: str) -> Mapping[str, Any]:
    if not text.startswith("{"):
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _stated(fields: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """Return the text of the first of some keys, at the top or in the object of the request."""
    inner = (fields[name] for name in _NESTED if isinstance(fields.get(name), dict))
    for level in (fields, *inner):
        for key in keys:
            found = level.get(key)
            if isinstance(found, str) and found:
                return found[:1024]
    return ""
