"""Certificates for tests: one authority for a whole session, and settings that name its files."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from dev.authority import Authority, Issued, write_private
from services.common.rpc.callers import identity_of, server_name
from services.common.tls_settings import TlsFiles

DOMAIN = "assay.local"
USER = f"spiffe://{DOMAIN}/user/alice"


@dataclass
class Trust:
    """An authority, and a folder for what it issues."""

    folder: Path
    authority: Authority = field(default_factory=Authority)

    def service(self, name: str, ends: timedelta = timedelta(days=1)) -> Issued:
        """Issue the certificate of a service."""
        return self.authority.issue(
            uris=[identity_of(name, DOMAIN)], dns=[server_name(name, DOMAIN)], ends=ends
        )

    def files(self, name: str, issued: Issued | None = None) -> TlsFiles:
        """Write a certificate, by default that of the service of this name, and return where."""
        issued = issued or self.service(name)
        self.folder.mkdir(parents=True, exist_ok=True)
        files = TlsFiles(self.folder / f"{name}.crt", self.folder / f"{name}.key", self.folder / "ca.crt")
        write_private(files.certificate, issued.certificate)
        write_private(files.key, issued.key)
        if not files.authorities.exists():
            write_private(files.authorities, self.authority.certificate)
        return files

    def settings(self, name: str) -> dict[str, Any]:
        """Return the settings of a service with a certificate, which lets the user in."""
        return {**tls_settings(self.files(name)), "users": (USER,)}


def tls_settings(files: TlsFiles) -> dict[str, Any]:
    """Return the settings that name three files."""
    return {
        "tls_certificate_file": files.certificate,
        "tls_key_file": files.key,
        "tls_ca_file": files.authorities,
    }
