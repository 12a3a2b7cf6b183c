"""The command `assay`. A signal ends it as documented even while its own modules still load."""

import atexit

from orchestrator.cli.interrupts import end_at_once, let_it_exit


def main() -> None:
    """Run the command line."""
    end_at_once()
    atexit.register(let_it_exit)
    # Loading takes a quarter of a second, in which Ctrl-C would otherwise end in a traceback.
    from orchestrator.cli.app import run  # noqa: PLC0415

    run()


if __name__ == "__main__":
    main()
