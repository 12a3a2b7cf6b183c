"""The exit codes of a service process. Apart from the rest, so that whoever starts one need not load gRPC."""

from typing import Final

EXIT_OK: Final = 0
EXIT_ERROR: Final = 1
# The settings are wrong: whoever set them can mend it.
EXIT_USAGE: Final = 2
