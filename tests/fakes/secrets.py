"""Secrets that exist once, in the formats that systems use, and a redactor that is switched off."""

import base64
import random
import string
from collections.abc import Sequence

from services.common.evidence.strict_json import Json
from services.common.redaction.redactor import Redacted, RedactedDocument, Redactor

_ALPHANUMERIC = string.ascii_letters + string.digits
_BASE64 = _ALPHANUMERIC + "+/"


def drawn(letters: str, length: int) -> str:
    """Return a random text that no other contains, with a letter of each case and a digit where it can."""
    found = "".join(random.choices(letters, k=length))  # noqa: S311 - unlikely is enough
    kinds = (str.islower, str.isupper, str.isdigit)
    if all(any(map(kind, found)) for kind in kinds if any(map(kind, letters))):
        return found
    return drawn(letters, length)


def pem_lines() -> list[str]:
    """Return the lines of a private key that opens nothing."""
    return [drawn(_BASE64, 64), drawn(_BASE64, 64), drawn(_BASE64, 41) + "="]


def secrets() -> dict[str, str]:
    """Return one secret of each format, as it must not appear anywhere."""
    return {
        "github": f"ghp_{drawn(_ALPHANUMERIC, 36)}",
        "gitlab": f"glpat-{drawn(_ALPHANUMERIC, 20)}",
        "slack": f"xoxb-{drawn(string.digits, 12)}-{drawn(string.digits, 12)}-{drawn(_ALPHANUMERIC, 24)}",
        "stripe": f"sk_live_{drawn(_ALPHANUMERIC, 24)}",
        "openai": f"sk-{drawn(_ALPHANUMERIC, 48)}",
        "aws-id": f"AKIA{drawn(string.ascii_uppercase + '234567', 16)}",
        "aws-secret": drawn(_BASE64, 40),
        "jwt": ".".join(
            base64.urlsafe_b64encode(part.encode()).decode().rstrip("=")
            for part in ('{"alg":"HS256"}', f'{{"sub":"{drawn(_ALPHANUMERIC, 12)}"}}', drawn(_BASE64, 32))
        ),
        "bearer": drawn(_ALPHANUMERIC, 32),
        "basic": base64.b64encode(f"app:{drawn(_ALPHANUMERIC, 14)}".encode()).decode(),
        "url": drawn(_ALPHANUMERIC, 16),
        "password": drawn(_ALPHANUMERIC, 12),
        "api-key": drawn("0123456789abcdef", 32),
        "uuid": "-".join(drawn("0123456789abcdef", size) for size in (8, 4, 4, 4, 12)),
    }


def said(name: str, secret: str) -> Sequence[str]:
    """Return texts in which a system would say a secret of `secrets`, each on one line."""
    forms = {
        "aws-secret": ["aws_secret_access_key = {}", '"SecretAccessKey": "{}"'],
        "bearer": ["> Authorization: Bearer {}", '{{"authorization": "Bearer {}"}}'],
        "basic": ["proxy-authorization: Basic {}"],
        "url": ["could not connect to postgres://app:{}@db:5432/app", "GET https://u:{}@host/ 401"],
        "password": [
            "login password={} failed",
            '{{"db_password": "{}"}}',
            "DB_PASSWORD: {}",
            "Pwd={};Server=x",
        ],
        "api-key": ["api_key={}", "X-Api-Key: {}", '{{\\"apiKey\\":\\"{}\\"}}'],
        "uuid": ["client_secret={}"],
    }
    return [form.format(secret) for form in forms.get(name, ["refused: {}", "token '{}' used", "a={}&b=1"])]


class NoRedaction(Redactor):
    """The control: the hook is there and finds nothing."""

    def text(self, text: str) -> Redacted:
        return Redacted(text, 0)

    def document(self, document: Json) -> RedactedDocument:
        return RedactedDocument(document, 0)
