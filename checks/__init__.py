"""Checks of the repository itself; `make check` runs each as `python -m checks.NAME`."""
