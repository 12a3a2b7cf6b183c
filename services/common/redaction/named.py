"""Secrets that are known by the name that they are assigned to."""

from typing import Final

from services.common.redaction.rules import Rule, Shape

_QUOTES: Final = r"[\\\"'\x60]{0,4}"
_GAP: Final = r"[ \t]{0,3}"
_BARE: Final = r"[^\s\"'\x60,;&<>(){}\[\]\\]"
_PASSWORDS: Final = r"(?:password|passwd|passphrase|passcode|passwort|pwd|[_.-]pass)[0-9]?"
_OF_PASSWORDS: Final = ("pass", "pwd")
_SECRETS: Final = (
    r"(?P<name>(?:secret|token|credentials?|creds|password"
    r"|(?:api|access|account|admin|app|application|auth|client|consumer|deploy|encrypt|encryption|license"
    r"|master|private|secret|service|shared|signing|storage|webhook)[_. -]?key)[\w.-]{0,20})"
)
_OF_SECRETS: Final = ("secret", "token", "cred", "key", "password")
_WEAK: Final = (
    "key auth access api session sid sig signature salt nonce creds cred passwd passwrd password secret token"
)

NAMED: Final = (
    Rule(
        "password",
        _OF_PASSWORDS,
        rf"(?i){_PASSWORDS}{_QUOTES}{_GAP}(?:=>|:?=){_GAP}"
        rf"(?:\\{{0,3}}\"([^\"\\]+)|'([^'\n]+)'|({_BARE}{{3,}}))",
    ),
    Rule(
        "password",
        _OF_PASSWORDS,
        rf"(?i){_PASSWORDS}\\{{0,3}}[\"']?{_GAP}:{_GAP}\\{{0,3}}(?:\"([^\"\\\n]+)|'([^'\n]+))",
    ),
    Rule("password", _OF_PASSWORDS, rf"(?i){_PASSWORDS}{_QUOTES}:{_GAP}({_BARE}{{4,}})", shape=Shape.DIGIT),
    # A line of YAML, whose value may be a plain word.
    Rule("password", _OF_PASSWORDS, rf"(?im)^[ \t-]*[\w.-]*{_PASSWORDS}[\"']?:[ \t]+({_BARE}{{3,}})[ \t]*$"),
    Rule(
        "password",
        _OF_PASSWORDS,
        rf"(?i)<add[^>]{{0,64}}key={_QUOTES}[\w.]{{0,32}}{_PASSWORDS}{_QUOTES}[^>]{{0,16}}"
        r"value=\\?\"([^\"\\]+)",
    ),
    Rule(
        "sql-password",
        ("password", "identified"),
        r"(?i)\b(?:password|identified[ \t]+by)[ \t]+'([^'\n]+)'",
    ),
    Rule(
        "argument",
        ("--",),
        r"(?i)--[\w-]{0,32}(?:password|passwd|secret|token|api-?key)[ \t]+[\"']?([^\s\"'-][^\s\"']{5,})",
        shape=Shape.DIGIT,
    ),
    Rule(
        "argument",
        ("curl", "wget"),
        r"(?:curl|wget)\b(?s:.){0,512}?[ \t\n](?:-u|--user)[= \t][ \t]{0,4}"
        r"(?:\"[^\":\n]{0,128}:([^\"\n]+)\"|'[^':\n]{0,128}:([^'\n]+)'|[\w$@.-]{1,128}:([^\s\"']+))",
    ),
    Rule(
        "named-secret",
        _OF_SECRETS,
        rf"(?i){_SECRETS}{_QUOTES}{_GAP}(?:=>|::?=|\?=|=|:){_GAP}"
        rf"(?:\\{{0,3}}\"([^\"\\\n]{{8,}})|'([^'\n]{{8,}})'|{_QUOTES}({_BARE}{{8,}}))",
        2.5,
        Shape.RANDOMISH,
    ),
    Rule(
        "named-secret",
        tuple(_WEAK.split()),
        rf"(?i)(?P<name>(?:{_WEAK.replace(' ', '|')})[ \t\w.-]{{0,20}})[\s\"'\\]{{0,3}}"
        r"(?:=>|:{1,3}=|\?=|=|:|\|\||>|,)[\x60\"'\s=\\]{0,5}([\w.=+/~-]{10,})",
        3.3,
        Shape.RANDOM,
    ),
    Rule(
        "assigned",
        ("[0-9a-z+/]{32}",),
        r"(?P<name>[A-Za-z_][\w.-]{1,64})[\"']?[ \t]{0,2}(?:=[ \t]{0,2}\\?[\"']?|:[ \t]{0,2}\\?[\"'])"
        r"([0-9A-Za-z+/]{32,}={0,2})",
        4.4,
        Shape.RANDOM,
    ),
    Rule("binary-value", ("!!binary",), r"!!binary[ \t]+([0-9A-Za-z+/]{16,}={0,2})"),
)
