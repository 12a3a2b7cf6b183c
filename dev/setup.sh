#!/bin/sh
# Install a locked set of packages and the project into .venv, then touch the stamp.
# Usage: dev/setup.sh LOCKFILE STAMP, from the project's folder.
set -eu
lock=$1
stamp=$2

find_python() {
    for candidate in python3 python3.11 python3.12 python3.13 python3.14; do
        if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "Assay needs Python 3.11 or newer with its venv module, and found none (tried python3, python3.11 to python3.14)." >&2
    exit 1
}

if ! .venv/bin/python -c '' 2>/dev/null; then
    python=$(find_python)
    echo "Making .venv with $("$python" --version) ..."
    "$python" -m venv --clear .venv
fi

install() {
    .venv/bin/python -m pip install --quiet --quiet --disable-pip-version-check --no-input "$@"
}

echo "Installing $lock ..."
install --require-hashes --requirement "$lock"
# The build tools are pinned in the lock file: nothing else is downloaded.
install --no-deps --no-build-isolation --editable .
touch "$stamp"
