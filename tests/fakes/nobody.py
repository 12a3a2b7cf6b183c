"""An address of this machine at which nobody listens, for as long as a test wants it so."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def kept_address() -> Iterator[str]:
    """Keep a port inside the block: only who names it may listen there, if they let others listen again.

    The port of a server that has ended is soon somebody else's.
    """
    with socket.socket() as kept:
        # As servers do, so that one may listen; who looks for any free port is given another.
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{kept.getsockname()[1]}"
