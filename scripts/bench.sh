#!/usr/bin/env bash
# bench.sh [--keep] [NAME...]: runs the benchmarks of the release build, all or those named, and ends with one table:
# time, floor (what the hardware or the bare model needs), their ratio, spread of the repeats, and the ratio that was
# kept last for this processor. --keep adds the table to bench/history.tsv, with commit, date and machine.
set -euo pipefail
cd "$(dirname "$0")/.."

history=bench/history.tsv
keep=no
if [[ "${1:-}" == --keep ]]; then
  keep=yes
  shift
fi
programs=()
for name in "$@"; do programs+=("build/release/bench/$name"); done
[[ $# -gt 0 ]] || programs=(build/release/bench/*)

commit=$(git describe --always --dirty 2>/dev/null || echo unknown)
machine="$(nproc) x $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
echo "commit   $commit"
echo "compiler $(c++ --version | head -n 1)"
echo "machine  $machine"
echo "load     $(cut -d ' ' -f 1-3 /proc/loadavg)"

TIELINE_BENCH_ROWS=$(mktemp)
export TIELINE_BENCH_ROWS
trap 'rm -f "$TIELINE_BENCH_ROWS"' EXIT
for program in "${programs[@]}"; do
  if [[ ! -f "$program" || ! -x "$program" ]]; then
    [[ $# -eq 0 ]] && continue
    echo "bench.sh: there is no benchmark '$(basename "$program")'" >&2
    exit 3
  fi
  echo
  echo "== $(basename "$program")"
  "$program"
done

echo
touch "$history"
awk -F '\t' -v machine="$machine" '
  FILENAME == ARGV[1] { if ($3 == machine) { before[$4] = $7; from[$4] = $1 } next }
  FNR == 1 { printf "%-58s %12s %12s %8s %8s %8s  %s\n", "benchmark", "ns", "floor ns", "ratio", "spread", "before", "kept at" }
  { printf "%-58s %12s %12s %8.2f %7.0f%% %8s  %s\n", $1, $2, $3, $4, 100 * $5, ($1 in before) ? sprintf("%.2f", before[$1]) : "-", from[$1] }
' "$history" "$TIELINE_BENCH_ROWS"

if [[ $keep == yes ]]; then
  awk -F '\t' -v OFS='\t' -v commit="$commit" -v day="$(date -u +%Y-%m-%d)" -v machine="$machine" \
    '{ print commit, day, machine, $1, $2, $3, $4, $5 }' "$TIELINE_BENCH_ROWS" >>"$history"
  echo "kept in $history"
fi
