"""What of a log line an outsider can write: who sends a request chooses its path, its headers, its body.

Of a line that records a request these are its quoted parts and the user's name; of others the values of
fields with the usual names, and what formats quote of a request. What is left is the system's own.

A quote that nothing closes ends with its line: who sends enough has the line cut behind his own words.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from services.executor.sources.log_envelopes import unwrapped

Part = tuple[int, int]

# What stands between quotes, read once: it never gives back what it took.
_INSIDE: Final = r"(?:[^\"\\]|\\.?)*+"
_METHOD: Final = r"(?:GET|HEAD|POST|PUT|DELETE|PATCH|OPTIONS|CONNECT|TRACE|PROPFIND)"
# Of requests: the common and combined formats, HAProxy behind syslog's head, balancers. The groups are names
# of users and what HAProxy captured of headers.
_ACCESS: Final = re.compile(
    r"\S+ ([^\[\"]{1,256}) \[[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:[0-9:]{8} [+-][0-9]{4}\] "
    rf"\"{_INSIDE}(?:\" [0-9]{{3}} |$)"
)
_HAPROXY: Final = re.compile(
    r"(?:.{0,256}\]: )?\S+:[0-9]+ \[[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:[0-9:.]{8,16}\] \S+ \S[^\s/]*+/\S++ "
    r"[^\"{]{0,256}(\{[^\"]{0,2048}\})?"
)
_BALANCER: Final = re.compile(r"(?:https?|h2|grpcs|wss?) [0-9-]{10}T\S+Z \S+ \S+:[0-9]+ ")
_IIS: Final = re.compile(
    r"[0-9-]{10} [0-9:]{8} [0-9a-fA-F.:]+ [A-Z]{3,16} (\S+ \S+) [0-9]+ (\S+) \S+ (\S+(?: \S+)?) "
    r"[1-5][0-9]{2}(?: [0-9]+)*$"
)
_CLOUDFRONT: Final = re.compile(
    r"[0-9-]{10}\t[0-9:]{8}\t[A-Z0-9-]+\t[0-9]+\t\S+\t[A-Z]{3,16}\t"
    r"([^\t]*\t[^\t]+)\t[0-9]{3}\t([^\t]*\t[^\t]*\t[^\t]*\t[^\t]*)\t[^\t]*\t[^\t]*\t([^\t]*)"
)
_REQUESTS: Final = (_ACCESS, _HAPROXY, _BALANCER)
_QUOTED: Final = re.compile(rf"\"({_INSIDE})\"?")

# Names of fields that hold what a request brought along, without signs between their words.
_NAMES: Final = (
    "path url uri requesturi requesturl requestpath requestline request originalurl query"
    " querystring rawquery params args parameters useragent httpuseragent ua referer referrer"
    " httpreferer xforwardedfor forwardedfor httphost body requestbody payload form input"
    " header headers requestheaders cookie cookies user username userlogin login email"
    " useremail search searchterm term comment subject"
)
_OF_REQUESTS: Final = frozenset(_NAMES.split())
_IN_JSON: Final = re.compile(rf'"({_INSIDE})"?|[{{}}\[\],:]|[^\s{{}}\[\],:"]+')
_FIELD: Final = re.compile(
    rf"(?<![\w.-])([A-Za-z_][\w.-]{{0,40}})(?:=|: )(?:\"({_INSIDE})\"|([^\s,;\"]+)|\"(?=(.*)))"
)
_REQUEST: Final = re.compile(rf"\b{_METHOD} ([^\s\"]+)")
# Of an upstream's address the path is the request's, the rest is not.
_UPSTREAM: Final = re.compile(r"\bupstream: \"[a-z]+://[^/\"]*(/[^\"]*)")
_OPENED: Final = re.compile(r"\bopen\(\) \"([^\"]*)")
_USER: Final = re.compile(
    r"(?i)\b(?:user|username|role|account|login|e-?mail|subscriber|customer)(?: name)?[ :=]{1,3}"
    r"(?:\\?\"((?:[^\"\\]|\\[^\"])*)|'([^']*))|\binvalid user (.{1,256}?) from "
)


def outsider_parts(text: str) -> list[Part]:
    """Return the parts of a log line, in characters, that an outsider can write; in order, apart."""
    inner = unwrapped(text)
    start = text.find(inner.text) if inner else 0
    if inner is not None and start < 0:
        return _merged(_escaped_parts(text, inner.text))
    return _merged((start + begin, start + end) for begin, end in _parts(text[start:]))


def _escaped_parts(text: str, inner: str) -> Iterator[Part]:
    """Yield the parts of a line that its envelope holds as a string of JSON, where they stand there."""
    done = 0
    for begin, end in _merged(_parts(inner)):
        written = (
            json.dumps(inner[begin:end], ensure_ascii=ascii_only)[1:-1] for ascii_only in (False, True)
        )
        found = next(((at, at + len(part)) for part in written if (at := text.find(part, done)) >= 0), None)
        if found is None:
            # Escaped in another way: nothing of it can be told apart.
            yield 0, len(text)
            return
        yield found
        done = found[1]


def _parts(text: str) -> Iterator[Part]:
    for form in _REQUESTS:
        if request := form.match(text):
            yield from _groups(request)
            yield from (quoted.span(1) for quoted in _QUOTED.finditer(text))
            return
    if text.startswith("{"):
        yield from _json_parts(text)
    yield from _field_parts(text)
    for pattern in (_IIS, _CLOUDFRONT, _REQUEST, _UPSTREAM, _OPENED, _USER):
        for match in pattern.finditer(text):
            yield from _groups(match)


def _groups(match: re.Match[str]) -> Iterator[Part]:
    return (match.span(group) for group in range(1, match.re.groups + 1) if match.group(group))


def _field_parts(text: str) -> Iterator[Part]:
    for match in _FIELD.finditer(text):
        if _is_outsiders(match.group(1)):
            yield from islice(_groups(match), 1, None)


def _json_parts(text: str) -> Iterator[Part]:
    """Yield the values of an object's fields that are outsiders', at any depth, with all that is in them."""
    key, named = "", [False]
    awaits_value = False
    for token in _IN_JSON.finditer(text):
        sign = token.group()
        if sign in "{[":
            named.append(named[-1] or (awaits_value and _is_outsiders(key)))
            awaits_value = False
        elif sign in "}]":
            del named[max(1, len(named) - 1) :]
        elif sign == ":":
            awaits_value = True
        elif sign == ",":
            awaits_value = False
        elif awaits_value or named[-1]:
            # A number has no words.
            if sign.startswith('"') and (named[-1] or _is_outsiders(key)):
                yield token.span(1)
            awaits_value = False
        else:
            key = sign.strip('"')


def _is_outsiders(name: str) -> bool:
    return re.sub(r"[^a-z]", "", name.rpartition(".")[2].lower()) in _OF_REQUESTS


def _merged(parts: Iterator[Part]) -> list[Part]:
    result: list[Part] = []
    for begin, end in sorted(parts):
        if result and begin <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        elif end > begin:
            result.append((begin, end))
    return result
