"""The address of a collector, as a setting writes it: pure."""

from typing import Final
from urllib.parse import urlsplit

_MAX_CHARS: Final = 300
_ADVICE: Final = "write it as http://host:4317 or https://host:4317, without a path"


def legal_endpoint(value: str) -> str:
    """Return an endpoint as it is given, without its last slash; empty for none. Raises ValueError."""
    endpoint = value.rstrip("/")
    if not endpoint:
        return endpoint
    if len(endpoint) > _MAX_CHARS or not endpoint.isascii() or not endpoint.isprintable() or " " in endpoint:
        raise ValueError(_ADVICE)
    parts = urlsplit(endpoint)
    try:
        port = parts.port
    except ValueError:
        raise ValueError(_ADVICE) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not port:
        raise ValueError(_ADVICE)
    if endpoint != f"{parts.scheme}://{parts.netloc}" or "@" in parts.netloc:
        raise ValueError(_ADVICE)
    return endpoint


def host_of(endpoint: str) -> str:
    """Return host:port of an endpoint."""
    return urlsplit(endpoint).netloc


def is_encrypted(endpoint: str) -> bool:
    """Tell whether what is sent there is encrypted."""
    return urlsplit(endpoint).scheme == "https"
