"""The command `assay`. A signal ends it as documented even while its own modules still load."""

from orchestrator.cli.interrupts import end_at_once


def main() -> None:
    """Run the command line."""
    end_at_once()
    # Loading takes a quarter of a second, in which Ctrl-C would otherwise end in a traceback.
    from orchestrator.cli.app import run  # noqa: PLC0415

    run()


if __name__ == "__main__":
    main()
