#!/bin/sh
# Install what opens pages in a browser: playwright, Debian's chromium and axe-core.
# Usage: install.sh PYTHON FOLDER. What cannot be had is told; look.py then does without, or says that it cannot.
set -u
python=$1
folder=$2

"$python" -m venv "$folder" || exit 1
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check playwright pypdf || echo "playwright could not be installed."

if ! command -v chromium > /dev/null && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    timeout 600 apt-get install -y -q chromium > "$folder/apt.log" 2>&1 || echo "chromium could not be installed."
fi

mkdir -p "$folder/axe"
if command -v npm > /dev/null; then
    (cd "$folder/axe" && npm pack --silent axe-core > /dev/null 2>&1 && tar -xzf axe-core-*.tgz) || echo "axe-core could not be installed."
fi
exit 0
