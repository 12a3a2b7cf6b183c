#!/bin/sh
# Install the programs that `make k8s-check` runs into an environment of their own, then touch the stamp.
# Usage: dev/k8s_tools.sh LOCKFILE STAMP, from the project's folder.
set -eu
lock=$1
stamp=$2
python=.venv/bin/python
folder=${stamp%/*}

install() {
    "$folder/bin/python" -m pip install --quiet --quiet --disable-pip-version-check --no-input --no-deps \
        --no-build-isolation --require-hashes --requirement "$1"
}

echo "Installing $lock into $folder ..."
"$python" -m venv --clear "$folder"
# One package comes as a source archive; what builds it is pinned beside it and must be there first.
sed -n '/^setuptools==/,/[^\\]$/p' "$lock" >"$folder/first.lock"
install "$folder/first.lock"
install "$lock"
"$python" -m checks.k8s.tools
touch "$stamp"
