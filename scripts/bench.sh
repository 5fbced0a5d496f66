#!/usr/bin/env bash
# Runs every benchmark of the release build, with what a number needs beside it: commit, compiler, machine, load.
set -euo pipefail
cd "$(dirname "$0")/.."

commit=$(git describe --always --dirty 2>/dev/null || echo unknown)
echo "commit   $commit"
echo "compiler $(c++ --version | head -n 1)"
echo "machine  $(nproc) x $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
echo "load     $(cut -d ' ' -f 1-3 /proc/loadavg)"
for program in build/release/bench/*; do
  [[ -f "$program" && -x "$program" ]] || continue
  echo
  echo "== $(basename "$program")"
  "$program"
done
