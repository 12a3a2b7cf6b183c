"""The one error of the command line: a message for a person and the exit code that goes with it."""

from collections.abc import Sequence

from orchestrator.cli.exit_codes import ExitCode


class CommandError(Exception):
    """Ends the command with one message on standard error, and a line for each detail below it.

    All of it is escaped when it is printed.
    """

    def __init__(self, message: str, exit_code: ExitCode, details: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code
        self.details = details


def wrong_input(message: str, details: Sequence[str] = ()) -> CommandError:
    """Return the error for something that the caller has to change."""
    return CommandError(message, ExitCode.USAGE, details)
