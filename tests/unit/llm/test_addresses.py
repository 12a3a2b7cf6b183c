"""What is shown of an endpoint's address, and where a key is safe."""

import pytest

from services.common.llm.addresses import host_and_port, is_open


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://host/v1", "host:80"),
        ("https://host/secret/path", "host:443"),
        ("https://HOST:8443/v1", "host:8443"),
        ("http://[::1]:8080/v1", "[::1]:8080"),
    ],
)
def test_only_host_and_port_are_shown(url: str, shown: str) -> None:
    assert host_and_port(url) == shown


@pytest.mark.parametrize(
    ("url", "is_seen"),
    [
        ("http://host/v1", True),
        ("http://10.0.0.1:8080/v1", True),
        ("https://host/v1", False),
        ("http://localhost:8080/v1", False),
        ("http://127.0.0.9:8080/v1", False),
        ("http://[::1]/v1", False),
    ],
)
def test_plain_http_is_open_unless_it_stays_on_this_machine(url: str, is_seen: bool) -> None:
    assert is_open(url) is is_seen
