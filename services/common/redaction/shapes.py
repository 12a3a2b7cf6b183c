"""Whether a captured text looks like a secret, and a name like that of one."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from services.common.redaction.rules import Shape

_PLACEHOLDER: Final = re.compile(
    r"(?i)(?:true|false|null|none|nil|undefined|empty|unset|unknown|yes|no|on|off|\?+|(.)\1*"
    r"|[$%#@]?\{.*|\$\(?\w+\)?|<.*|%[a-z]\W?|%\w+%|@\w+@|\[redacted.*|.*\[redacted:[a-z0-9-]+\]|redacted)"
)
_DIGIT_OR_SIGN: Final = re.compile(r"[0-9!#$%^*+=~]")
_RUN: Final = re.compile(r"[0-9A-Za-z]+")
_MIXED_RUN: Final = 12
_WORD_RUN: Final = 20
_UUID: Final = re.compile(r"(?i)\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_HEXADECIMAL: Final = re.compile(r"(?i)[0-9a-f_:.-]+")

# A name that ends so says something about a secret, or names something else.
_ABOUT: Final = re.compile(
    r"(?i)(?:name|ids?|count|type|refs?|arn|path|file|dir|ttl|expir\w*|expires?[_-]?(?:in|at)|version|ur[li]"
    r"|length|len|size|limit|used|usage|total|status|state|kind|class|scope|issuer|endpoint|bucket|hash|digest|sha"
    r"|sha[0-9]{1,3}|md5|etag|checksum|cursor|trace\w*|span\w*|request\w*|commit|revision|rev|seq|offset|index|uid|guid|uuid"
    r"|image|tag|build|block|tx|address)[ \t]*"
)
# What names a value of its own in a document: the first kind whatever the value, the second if it looks so.
_OF_PASSWORD: Final = re.compile(
    r"(?i)(?:(?:password|passwd|passphrase|passcode|pwd)[0-9]?|[_.-]pass|\Apgpass)\Z"
)
_OF_SECRET: Final = re.compile(
    r"(?i).*(?:secret|token|credentials?|authorization|cookie|(?:api|access|account|auth|encryption|master|private|secret"
    r"|shared|signing|storage)[_. -]?key|connection[_-]?string)[0-9]?"
)
# The variable of every shell, which no other word makes a password's.
_WORKING_FOLDER: Final = re.compile(r"(?i)(?:old)?pwd")
_ASSIGNED_WORKING_FOLDER: Final = re.compile(r"(?i)(?:^|[^0-9a-z_.-])(?:old)?pwd[\s\"'\x60\\:=>]{1,8}$")
# Folders as people name them; a password that begins with a slash is not of words, or goes on with signs.
_FOLDER: Final = re.compile(
    r"[/~]|(?:~|[A-Za-z]:)?(?:[/\\]{1,2}[A-Za-z._-]+|(?:[/\\]{1,2}[\w.@+-]+){2,})[/\\]?"
)
_FLAG: Final = re.compile(r"(?i)--?[\w-]*(?:password|passwd|secret|token|api-?key)")


def entropy(text: str) -> float:
    """Return Shannon's entropy of a text's characters, in bits per character."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts)


def is_placeholder(text: str) -> bool:
    """Tell whether a text stands for a secret, or for none."""
    return _PLACEHOLDER.fullmatch(text) is not None


def has(shape: Shape, text: str) -> bool:
    """Tell whether a text that is no placeholder has a shape."""
    return _TESTS[shape](text)


def is_about(name: str) -> bool:
    """Tell whether a name ends like that of something about a secret: `token_count`, `secretName`."""
    return _ABOUT.fullmatch(_last_word(name)) is not None


@lru_cache(maxsize=4096)
def shape_of_named(name: str) -> Shape | None:
    """Return the shape that a value with this name must have to be a secret; None when it is none."""
    if _WORKING_FOLDER.fullmatch(name):
        return Shape.NO_FOLDER
    if _OF_PASSWORD.search(name):
        return Shape.ANY
    return Shape.RANDOMISH if _OF_SECRET.fullmatch(name) else None


def is_working_folder(before: str, text: str) -> bool:
    """Tell whether a text is the folder that `PWD`, at the end of what stands before it, is set to."""
    return _ASSIGNED_WORKING_FOLDER.search(before) is not None and _is_folder(text)


def is_flag(text: str) -> bool:
    """Tell whether a text is an argument of a command that the secret follows."""
    return _FLAG.fullmatch(text) is not None


def _last_word(name: str) -> str:
    """Return the last word of a name in any of the usual spellings."""
    return re.split(r"[_.\s-]|(?<=[a-z])(?=[A-Z])", name.strip())[-1]


def _is_folder(text: str) -> bool:
    return _FOLDER.fullmatch(text) is not None and not _is_randomish(text)


def _is_randomish(text: str) -> bool:
    runs = _RUN.findall(text)
    return _UUID.search(text) is not None or any(
        (len(run) >= _MIXED_RUN and not run.isalpha() and not (run.isdigit() and len(run) < _MIXED_RUN + 4))
        or len(run) >= _WORD_RUN
        or (len(run) >= _MIXED_RUN // 2 and _has_both_cases(run) and not run.isalpha())
        for run in runs
    )


def _is_random(text: str) -> bool:
    both = _has_both_cases(text) and any(map(str.isdigit, text))
    return both and _HEXADECIMAL.fullmatch(text) is None and _UUID.search(text) is None


def _has_both_cases(text: str) -> bool:
    return any(map(str.islower, text)) and any(map(str.isupper, text))


_TESTS: Final[Mapping[Shape, Callable[[str], bool]]] = {
    Shape.ANY: lambda _: True,
    Shape.NO_FOLDER: lambda text: not _is_folder(text),
    Shape.DIGIT: lambda text: _DIGIT_OR_SIGN.search(text) is not None,
    Shape.RANDOMISH: _is_randomish,
    Shape.RANDOM: _is_random,
}
