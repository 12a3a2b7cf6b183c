"""Tests see nothing of what whoever runs them has set."""

import os

from tests.fakes.environment import forget_own


def test_settings_and_proxies_are_taken_out_and_all_else_stays() -> None:
    environ = {
        "ASSAY_EXECUTOR_WORKERS": "1",
        "ASSAY_CONFIG": "/home/a/assay.toml",
        "OTEL_EXPORTER_OTLP_HEADERS": "x=y",
        "http_proxy": "http://127.0.0.1:9",
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "HOME": "/home/a",
        "TEST_DATA": "/data",
    }
    forget_own(environ)
    assert environ == {"ASSAY_CONFIG": "", "HOME": "/home/a", "TEST_DATA": "/data"}


def test_it_was_done_before_any_test() -> None:
    own = {name for name in os.environ if name.startswith("ASSAY_") or name.lower().endswith("_proxy")}
    assert own == {"ASSAY_CONFIG"}
