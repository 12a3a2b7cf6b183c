"""A certificate authority for development and tests. Its keys are not protected: trust it nowhere else."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

# Clocks differ: a certificate is good from a little before it was made.
_EARLIER: Final = timedelta(minutes=5)
_USAGES: Final = (ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH)


@dataclass(frozen=True)
class Issued:
    """One certificate with its key, both PEM."""

    certificate: bytes
    key: bytes


class Authority:
    """Signs what it is asked to."""

    def __init__(self, name: str = "Assay development", key: bytes | None = None) -> None:
        """Begin with a key of its own, or go on with one (PEM) under the same name."""
        loaded = serialization.load_pem_private_key(key, None) if key else None
        self._key = (
            loaded
            if isinstance(loaded, ec.EllipticCurvePrivateKey)
            else ec.generate_private_key(ec.SECP256R1())
        )
        self._name = _common_name(name)
        identifier = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        now = datetime.now(UTC)
        self._certificate = (
            _builder(self._name, self._name, self._key, now - _EARLIER, now + timedelta(days=365))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage(signs_certificates=True), critical=True)
            .add_extension(identifier, critical=False)
            .sign(self._key, hashes.SHA256())
        )

    @property
    def certificate(self) -> bytes:
        """The authority's own certificate, PEM."""
        return self._certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key(self) -> bytes:
        """The authority's own key, PEM."""
        return _pem(self._key)

    def issue(
        self,
        *,
        uris: Sequence[str] = (),
        dns: Sequence[str] = (),
        common_name: str = "",
        ends: timedelta = timedelta(days=30),
    ) -> Issued:
        """Sign a certificate for a new key, good for both ends of a connection; `ends` counts from now."""
        key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.now(UTC)
        begins = min(now, now + ends) - _EARLIER
        builder = (
            _builder(_common_name(common_name), self._name, key, begins, now + ends)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(_USAGES), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False
            )
        )
        names = [*map(x509.UniformResourceIdentifier, uris), *map(x509.DNSName, dns)]
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return Issued(
            builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM),
            _pem(key),
        )


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    written = path.with_name(f".{path.name}.new")
    written.unlink(missing_ok=True)
    with os.fdopen(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    written.replace(path)


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _common_name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)] if name else [])


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    begins: datetime,
    ends: datetime,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(ends)
    )


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )
