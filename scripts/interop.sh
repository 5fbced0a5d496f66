#!/usr/bin/env bash
# interop.sh [BUILD]: the FMUs of the tests in other hands. FMPy, installed into a folder of its own in the build,
# validates each of them and runs it, and so does Tieline; what comes out is compared with closed forms. Needs the
# network once.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build/release}
environment=$build/interop/python
fmpy_version=0.3.32

cmake --build "$build" --target test_fmus tieline_cli >/dev/null
if [[ ! -x "$environment/bin/fmpy" ]]; then
  { /usr/bin/python3 -m venv "$environment" && "$environment/bin/pip" install --quiet "fmpy==$fmpy_version"; } || {
    echo "FMPy $fmpy_version cannot be installed: are the network and the package python3-venv there?" >&2
    rm -rf "$environment"
    exit 1
  }
fi
exec "$environment/bin/python" scripts/interop.py "$build/fmus" "$build/bin/tieline"
