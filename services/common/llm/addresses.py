"""What may be shown of an endpoint's address, and whether a key is safe on its way there: pure."""

import ipaddress
from typing import Final
from urllib.parse import urlsplit

_PORTS: Final = {"http": 80, "https": 443}


def host_and_port(base_url: str) -> str:
    """Return host:port of a legal base URL."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{parts.port or _PORTS[parts.scheme]}"


def is_open(base_url: str) -> bool:
    """Tell whether what is sent there can be read on the way: plain HTTP that leaves this machine."""
    parts = urlsplit(base_url)
    if parts.scheme != "http":
        return False
    try:
        return not ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return parts.hostname != "localhost"
