"""The certificate files of a process: checked at the start, read again whenever they have changed.

Whoever renews them may write one after the other. What does not fit together is not used; what was read
before stays until all three do.
"""

import ssl
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import structlog

from services.common.errors import AssayError
from services.common.rpc.callers import identity_of, server_name
from services.common.settings import ServiceSettings, process_name
from services.common.tls_settings import TlsFiles

_MAX_FILE_BYTES: Final = 1 << 20
# A handshake in memory takes three turns of each side; more means that it goes nowhere.
_MAX_TURNS: Final = 10
# Who renews certificates writes three files and is done.
_MAX_READINGS: Final = 10

# Of each file what changes when it does.
_Signature: TypeAlias = tuple[tuple[int, int, int, int], ...]

_log = structlog.get_logger("assay.certificates")


class CertificateError(AssayError):
    """The certificate files cannot be used; the message names the file."""


@dataclass(frozen=True, slots=True)
class Material:
    """What the three files hold, PEM."""

    certificate: bytes
    key: bytes
    authorities: bytes


@dataclass(frozen=True, slots=True)
class Names:
    """What a certificate says of its owner."""

    uris: tuple[str, ...]
    dns: tuple[str, ...]
    ends: str


class Watched:
    """Three files and what they held when they last fitted together. Safe to use from any thread."""

    def __init__(self, files: TlsFiles) -> None:
        """Read the files; raises CertificateError."""
        self._files = files
        self._lock = threading.Lock()
        self._seen, self._material = _whole(files)

    @property
    def material(self) -> Material:
        """What was read last."""
        return self._material

    def renewed(self) -> Material | None:
        """Return what the files hold when that is new and fits together; None while there is nothing new."""
        with self._lock:
            try:
                if _signature(self._files) == self._seen:
                    return None
                seen, material = _whole(self._files)
            except CertificateError as error:
                _log.warning("the renewed certificate is not used yet", problem=error.message)
                return None
            self._seen = seen
            if material == self._material:
                return None
            self._material = material
        _log.info("the certificate was renewed", file=str(self._files.certificate))
        return material


def own_certificates(settings: ServiceSettings) -> Watched | None:
    """Return the certificates that a service shows, checked; None where its settings name none.

    Raises CertificateError for one that its callers would not believe or that is another service's.
    """
    if settings.tls is None:
        if settings.plaintext:
            _log.warning("plaintext: calls are not encrypted and callers not checked", listen=settings.listen)
        return None
    name, domain = process_name(type(settings)), settings.trust_domain
    watched, names = Watched(settings.tls), own_names(settings.tls)
    identity, dns = identity_of(name, domain), server_name(name, domain)
    if names.uris != (identity,) or dns not in names.dns:
        raise CertificateError(
            f"{settings.tls.certificate}: must hold the one URI name {identity} and the DNS name {dns}; "
            f"it holds {', '.join((*names.uris, *names.dns)) or 'no names'}"
        )
    _log.info("certificate", identity=identity, ends=names.ends)
    return watched


def own_names(files: TlsFiles) -> Names:
    """Return what the own certificate says; raises CertificateError for one that no peer would believe.

    The standard library decodes only a certificate that a peer has shown: so one is shown, in memory.
    """
    server, client = _contexts(files)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    shows = server.wrap_bio(to_server, to_client, server_side=True)
    looks = client.wrap_bio(to_client, to_server)
    try:
        _shake_hands(shows, looks)
    except ssl.SSLCertVerificationError as error:
        raise CertificateError(
            f"{files.certificate}: nobody who trusts {files.authorities} believes it: {error.verify_message}"
        ) from None
    except ssl.SSLError as error:
        raise CertificateError(f"{files.certificate}: cannot be used: {error.reason}") from None
    shown: Any = looks.getpeercert() or {}
    names = shown.get("subjectAltName", ())
    return Names(
        uris=tuple(value for kind, value in names if kind == "URI"),
        dns=tuple(value for kind, value in names if kind == "DNS"),
        ends=str(shown.get("notAfter", "")),
    )


def _shake_hands(*sides: ssl.SSLObject) -> None:
    for _ in range(_MAX_TURNS):
        waiting = False
        for side in sides:
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                waiting = True
        if not waiting:
            return
    raise ssl.SSLError(1, "the handshake does not end")


def _contexts(files: TlsFiles) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Return one that shows the certificate and one that trusts the authorities; raises CertificateError."""
    shows, trusts = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # The name is compared with what the settings say, by the caller.
    trusts.check_hostname = False
    try:
        # Without a password to give, a protected key must fail and not ask at the terminal.
        shows.load_cert_chain(files.certificate, files.key, password=lambda: b"")
    except (OSError, ValueError) as error:
        raise CertificateError(
            f"{files.certificate} and {files.key} are no certificate in PEM with its key: {_reason(error)}"
        ) from None
    try:
        trusts.load_verify_locations(files.authorities)
    except (OSError, ValueError) as error:
        raise CertificateError(
            f"{files.authorities}: holds no certificate of an authority in PEM: {_reason(error)}"
        ) from None
    return shows, trusts


def _whole(files: TlsFiles) -> tuple[_Signature, Material]:
    """Return what the files hold, and what tells that from what they hold later; raises CertificateError."""
    for _ in range(_MAX_READINGS):
        seen = _signature(files)
        material = _material(files)
        # Somebody may be writing: what was checked may not be what was read.
        if _signature(files) == seen:
            return seen, material
    raise CertificateError(f"{files.certificate}: it, its key or its authorities are written again and again")


def _material(files: TlsFiles) -> Material:
    _contexts(files)
    return Material(_read(files.certificate), _read(files.key), _read(files.authorities))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_FILE_BYTES + 1)
    except OSError as error:
        raise CertificateError(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) > _MAX_FILE_BYTES:
        raise CertificateError(f"{path}: is larger than {_MAX_FILE_BYTES >> 20} MiB, the most that is read")
    return data


def _signature(files: TlsFiles) -> _Signature:
    try:
        stats = [path.stat() for path in (files.certificate, files.key, files.authorities)]
    except OSError as error:
        raise CertificateError(f"{error.filename}: cannot be looked at: {error.strerror}") from None
    return tuple((stat.st_dev, stat.st_ino, stat.st_mtime_ns, stat.st_size) for stat in stats)


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or "not understood").lower().replace("_", " ")
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
