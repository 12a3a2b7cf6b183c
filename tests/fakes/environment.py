"""The environment that tests run in, whatever whoever runs them has set for work of their own."""

from collections.abc import MutableMapping


def forget_own(environ: MutableMapping[str, str]) -> None:
    """Take out what would change the settings of a process under test, or lead its calls through a proxy."""
    for name in list(environ):
        if name.startswith(("ASSAY_", "OTEL_")) or name.lower().endswith("_proxy"):
            del environ[name]
    # Nor is the configuration file of whoever runs the tests read.
    environ["ASSAY_CONFIG"] = ""
