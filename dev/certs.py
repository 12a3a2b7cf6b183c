"""Makes certificates for every service and a user: `python -m dev.certs [FOLDER]`, build/certs by default.

Called again it renews them all under the same authority: processes that use them go on without a break.
"""

import sys
from pathlib import Path
from typing import Final

from dev.authority import Authority, Issued, write_private
from services.common.processes import COMMAND_LINE, ORCHESTRATOR, SERVICES
from services.common.rpc.callers import identity_of, server_name

DOMAIN: Final = "assay.local"
USER: Final = f"spiffe://{DOMAIN}/user"
_FOLDER: Final = Path("build/certs")
_AUTHORITY: Final = "ca"


def make(folder: Path) -> list[str]:
    """Write the files and a configuration file that names them; returns a line for each identity."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    key_file = folder / f"{_AUTHORITY}.key"
    authority = Authority(key=key_file.read_bytes() if key_file.exists() else None)
    if not key_file.exists():
        write_private(key_file, authority.key)
    write_private(folder / f"{_AUTHORITY}.crt", authority.certificate)
    told = []
    for service in SERVICES:
        identity = identity_of(service, DOMAIN)
        _write(folder, service, authority.issue(uris=[identity], dns=[server_name(service, DOMAIN)]))
        told.append(f"{folder}/{service}.crt  {identity}")
    _write(folder, "user", authority.issue(uris=[USER]))
    write_private(folder / "assay.toml", _configuration(folder.resolve()).encode())
    return [*told, f"{folder}/user.crt  {USER}", f"{folder}/assay.toml  settings that name them"]


def _write(folder: Path, name: str, issued: Issued) -> None:
    write_private(folder / f"{name}.crt", issued.certificate)
    write_private(folder / f"{name}.key", issued.key)


def _configuration(folder: Path) -> str:
    tables = []
    for table in (*SERVICES, COMMAND_LINE):
        name = "user" if table == COMMAND_LINE else table
        tables.append(
            f"[{table}]\n"
            f'tls_certificate_file = "{folder / name}.crt"\n'
            f'tls_key_file = "{folder / name}.key"\n'
            f'tls_ca_file = "{folder / _AUTHORITY}.crt"\n'
            + (f'users = "{USER}"\n' if table == ORCHESTRATOR else "")
        )
    return "\n".join(tables)


if __name__ == "__main__":
    lines = make(Path(sys.argv[1]) if len(sys.argv) > 1 else _FOLDER)
    sys.stdout.writelines(f"{line}\n" for line in lines)
