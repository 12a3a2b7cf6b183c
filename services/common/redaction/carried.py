"""Secrets that are known by what carries them: an address, a header, a file of keys."""

from typing import Final

from services.common.redaction.rules import Rule, Shape

_QUOTES: Final = r"[\\\"']{0,4}"
_GAP: Final = r"[ \t]{0,3}"
_BARE: Final = r"[^\s\"'\x60,;&<>(){}\[\]\\]"
_SCHEME: Final = r"[A-Za-z][A-Za-z0-9+.-]{1,30}://"

CARRIED: Final = (
    Rule("url", ("://",), _SCHEME + r"[^\s/@:\"'<>\\]*:([^\s/\"'<>\\]+)@"),
    Rule("url", ("://",), _SCHEME + r"([^\s/@:\"'<>\\]{16,})@", 3.0, Shape.RANDOMISH),
    Rule(
        "authorization",
        ("authorization",),
        rf"(?i)authorization{_QUOTES}{_GAP}[:=]{_GAP}{_QUOTES}"
        rf"(?:basic|bearer|digest|token|negotiate|ntlm|hawk|api-?key)[ \t]+({_BARE}{{8,}})",
    ),
    Rule(
        "authorization",
        ("authorization",),
        rf"(?i)authorization{_QUOTES}{_GAP}[:=]{_GAP}{_QUOTES}({_BARE}{{8,}})",
        shape=Shape.RANDOMISH,
    ),
    Rule("authorization", ("bearer",), r"(?i)\bbearer[ \t]+([0-9A-Za-z._~+/=-]{16,})", 3.0, Shape.DIGIT),
    Rule("authorization", ("basic",), r"(?i)\bbasic[ \t]+([0-9A-Za-z+/]{12,}={0,2})", 3.0, Shape.RANDOMISH),
    Rule(
        "header",
        ("x-", "token:", "key:"),
        r"(?i)\b(?:x-[\w-]{0,32}|(?:private|job|deploy|api|auth)-)?(?:token|key|secret)"
        rf"{_QUOTES}:{_GAP}{_QUOTES}({_BARE}{{8,}})",
        shape=Shape.RANDOMISH,
    ),
    Rule(
        "cookie",
        ("cookie",),
        rf"(?i)\b(?:set-)?cookie{_QUOTES}[:=]{_GAP}{_QUOTES}([^\s=;\"'\\]{{1,64}}=[^\n\"'\\]{{8,}})",
    ),
    Rule(
        "signed-url",
        ("signature=", "sig=", "security-token="),
        r"(?i)[?&](?:[\w-]{0,24}signature|sig|[\w-]{0,16}security-token)=([^&\s\"'\\]{16,})",
    ),
    Rule("jwt", ("ey",), r"\b(ey[0-9A-Za-z_=-]{12,}\.ey[0-9A-Za-z_/\\=-]{8,}(?:\.[0-9A-Za-z_/\\=-]*)?)", 3.0),
    Rule("jwt", ("zxlk",), r"\b(ZXlK[0-9A-Za-z+/_\\-]{16,}={0,2})", 3.0),
    # A line of a key without the lines around it: of a width that such files have.
    Rule(
        "key-material",
        ("[0-9a-z+/]{64}",),
        r"(?m)(?:^|[\s\"'])([0-9A-Za-z+/]{64}|[0-9A-Za-z+/]{70}|[0-9A-Za-z+/]{76})(?:$|[\s\"']|\\n)",
        4.8,
        Shape.RANDOM,
    ),
    Rule("password-hash", (r"\$2",), r"\$2[abxy]\$[0-9]{2}\$[./0-9A-Za-z]{53}"),
    Rule("password-hash", (r"\$argon2",), r"\$argon2[a-z]{1,2}\$[^\s\"'\\]{20,}"),
    Rule("password-hash", (r"\$[156]\$",), r"\$[156]\$[./0-9A-Za-z]{1,16}\$[./0-9A-Za-z]{22,86}"),
)
