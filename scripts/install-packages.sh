#!/usr/bin/env bash
# install-packages.sh [program] [page] [test]: installs the Debian 12 packages that building the program, making its
# animation page and testing need; all of them where none is named. Does nothing, quickly, where all are present.
set -euo pipefail

parts=" ${*:-program page test} "
packages=()
if [[ $parts == *" program "* ]]; then
  packages+=(
    g++ cmake ninja-build pkg-config
    libfmt-dev libeigen3-dev libsundials-dev libsuitesparse-dev libpugixml-dev libmuparser-dev
    libcli11-dev libhdf5-dev libmatio-dev nlohmann-json3-dev libcairo2-dev libzip-dev libssl-dev
  )
fi
# Debian's npm does not go with a Node from elsewhere: it is installed only where there is none. The same for the
# browser that tests drive.
if [[ $parts == *" page "* ]]; then
  command -v npm >/dev/null || packages+=(nodejs npm)
fi
if [[ $parts == *" test "* ]]; then
  packages+=(libgtest-dev librapidcheck-dev libxml2-utils jq)
  command -v chromium >/dev/null || packages+=(chromium)
fi

# dpkg-query knows purged packages too: only "installed" counts.
missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ "$status" == installed* ]] || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  exit 0
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "These packages are missing, and neither root nor sudo is at hand: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
