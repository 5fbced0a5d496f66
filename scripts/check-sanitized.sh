#!/usr/bin/env bash
# check-sanitized.sh PRESET JOBS: builds a sanitizer preset and runs its tests.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
jobs=$2

cmake --preset "$preset"
cmake --build --preset "$preset" -j "$jobs"

# gcc 12's thread sanitizer cannot place its shadow memory under the address randomisation of recent kernels.
run=()
if [[ "$preset" == tsan ]] && setarch --addr-no-randomize true 2>/dev/null; then
  run=(setarch --addr-no-randomize)
fi
"${run[@]}" ctest --preset "$preset" -j "$jobs"
