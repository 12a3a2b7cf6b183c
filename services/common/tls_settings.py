"""Settings of how a process proves who it is, and of whom it believes.

Three files or none. Without them nothing is encrypted and nobody is checked, which only this machine may
reach unless `plaintext` says that something else protects the network.
"""

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, model_validator

_DOMAIN: Final = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
_MAX_DOMAIN_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Where a process finds its certificate chain, its key, and the authorities that it trusts; all PEM."""

    certificate: Path
    key: Path
    authorities: Path


def is_loopback(address: str) -> bool:
    """Tell whether only this machine can reach an address, host:port."""
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def none_if_empty(value: object) -> object:
    """Return None for an empty text: in every layer, that sets a value back."""
    return None if value == "" else value


def _file(value: Path | None) -> Path | None:
    try:
        found = value is None or value.is_file()
    except OSError as error:
        raise ValueError(f"it cannot be looked at: {error.strerror}") from None
    if not found:
        raise ValueError("there is no such file")
    return value


def _domain(value: str) -> str:
    if len(value) > _MAX_DOMAIN_CHARS or not _DOMAIN.fullmatch(value):
        raise ValueError("write it as a DNS name in small letters, such as assay.local")
    return value


OptionalFile = Annotated[Path | None, BeforeValidator(none_if_empty), AfterValidator(_file)]


class TlsSettings(BaseModel):
    """What a process can be told of its own certificate and of those of others."""

    tls_certificate_file: OptionalFile = Field(
        None, description="own certificate chain, PEM; read again when it changes"
    )
    tls_key_file: OptionalFile = Field(None, description="key of the certificate, PEM")
    tls_ca_file: OptionalFile = Field(None, description="authorities whose certificates are believed, PEM")
    trust_domain: Annotated[str, AfterValidator(_domain)] = Field(
        "assay.local",
        description="domain of all services' identities: spiffe://DOMAIN/planner, DNS name planner.DOMAIN",
    )
    plaintext: bool = Field(
        False,
        description="without certificates: serve and reach other machines all the same",
    )

    @property
    def tls(self) -> TlsFiles | None:
        """The three files; None in plaintext."""
        if self.tls_certificate_file and self.tls_key_file and self.tls_ca_file:
            return TlsFiles(self.tls_certificate_file, self.tls_key_file, self.tls_ca_file)
        return None

    @model_validator(mode="after")
    def _all_or_none(self) -> Self:
        files = {
            "tls_certificate_file": self.tls_certificate_file,
            "tls_key_file": self.tls_key_file,
            "tls_ca_file": self.tls_ca_file,
        }
        missing = [name for name, value in files.items() if value is None]
        if missing and len(missing) < len(files):
            raise ValueError(f"{', '.join(files)} belong together; not set: {', '.join(missing)}")
        if self.plaintext and not missing:
            raise ValueError("plaintext is set beside certificates: choose one of them")
        return self

    def refuse_open(self, setting: str, address: str) -> None:
        """Raise ValueError for an address of other machines that nothing would protect."""
        if not (self.tls or self.plaintext or is_loopback(address)):
            raise ValueError(
                f"{setting} is not of this machine alone, and calls would be neither encrypted nor checked: "
                "set tls_certificate_file, tls_key_file and tls_ca_file, or plaintext where something else "
                "protects them"
            )
