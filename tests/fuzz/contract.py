"""The status codes that a contract names for each method, read from the comments of the `.proto` files."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import grpc

_PROTOS: Final = Path(__file__).resolve().parents[2] / "protos" / "assay"
# A run that is "stored as CANCELLED" is no call that ended so.
_CODES: Final = "|".join(code.name for code in grpc.StatusCode if code is not grpc.StatusCode.OK)
_CODE: Final = re.compile(rf"(?<!stored as )\b(?:{_CODES})\b")
_RPC: Final = re.compile(r"^  rpc (\w+)\(", re.MULTILINE)
_SERVICE: Final = re.compile(r"^service (\w+) \{", re.MULTILINE)
_COMMENT: Final = re.compile(r"(?:^ *//.*\n)+\Z", re.MULTILINE)
# Named for a defect, for a store that is damaged and for a caller who does not wait: no request makes them.
_NEVER: Final = frozenset({"INTERNAL", "UNKNOWN", "DATA_LOSS", "DEADLINE_EXCEEDED"})


def documented() -> Mapping[str, frozenset[grpc.StatusCode]]:
    """Return the codes that a request can lead to, OK included, by the name of its method.

    A comment that refers to another method ("as Diagnose says") means its codes too.
    """
    found: dict[str, frozenset[grpc.StatusCode]] = {}
    for file in sorted(_PROTOS.glob("*/v1/*.proto")):
        found |= _of_file(file.read_text(encoding="utf-8"))
    return found


def _of_file(text: str) -> dict[str, frozenset[grpc.StatusCode]]:
    service = _SERVICE.search(text)
    if service is None:
        return {}
    common = _comment(text, service.start())
    comments = {match[1]: _comment(text, match.start()) for match in _RPC.finditer(text)}
    return {
        f"{service[1]}.{name}": frozenset({grpc.StatusCode.OK, *_codes(common), *_said(comments, name)})
        for name in comments
    }


def _said(comments: Mapping[str, str], name: str) -> Iterator[grpc.StatusCode]:
    yield from _codes(comments[name])
    for other in comments.keys() - {name}:
        if re.search(rf"\bas (?:for )?{other}\b", comments[name]):
            yield from _codes(comments[other])


def _comment(text: str, end: int) -> str:
    match = _COMMENT.search(text[:end])
    return re.sub(r"\s*//\s?", " ", match.group()) if match else ""


def _codes(comment: str) -> Iterator[grpc.StatusCode]:
    for name in _CODE.findall(comment):
        if name not in _NEVER:
            yield grpc.StatusCode[name]
