"""Secrets that go over several lines: private keys, and the data of a Kubernetes secret, in bytes."""

import re
from collections.abc import Iterator
from typing import Final

PRIVATE_KEY: Final = b"PRIVATE KEY"
_MAX_KEY_BYTES: Final = 16 * 1024
_BEGIN: Final = re.compile(rb"(?i)-----BEGIN[ 0-9A-Z_-]{0,100}PRIVATE KEY(?: BLOCK)?-----")
_END: Final = re.compile(rb"(?i)KEY(?: BLOCK)?-----")
# Without its end: what goes on as base64, between ends of lines in either form.
_BODY: Final = re.compile(rb"(?:(?:\\[nr]|[\s\"',])*[0-9A-Za-z+/=]{16,}){1,400}")
_SECRET_KIND: Final = re.compile(rb"(?i)\bkind[\\\"']{0,3}:[ \t]*[\\\"']{0,3}secret\b")
_DATA: Final = re.compile(
    rb"(?i)\bdata[\\\"']{0,3}:(?:[ \t]*+\{[^{}]{0,65536}\}|[^\S\n]*+(?:\n[ \t]+[^\n]{0,65536}){1,1000})"
)
_DATUM: Final = re.compile(
    rb"(?:\n[ \t]*|[{,][ \t\n]*)[\\\"']{0,3}[\w.-]{1,256}[\\\"']{0,3}:[ \t]*(?:[|>][+-]?\s+)?[\\\"']{0,3}"
    rb"([0-9A-Za-z+/]{4,65536}={0,3})"
)


def private_keys(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the places of private keys: to their end, or as far as they go on."""
    at = 0
    while begin := _BEGIN.search(data, at):
        end = _END.search(data, begin.end(), begin.end() + _MAX_KEY_BYTES)
        body = None if end else _BODY.match(data, begin.end())
        at = (end or body or begin).end()
        yield begin.start(), at


def secret_data(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the places of the values of a Kubernetes secret that is written out."""
    if _SECRET_KIND.search(data) is None:
        return
    for block in _DATA.finditer(data):
        for datum in _DATUM.finditer(data, block.start(), block.end()):
            yield datum.span(1)
