#!/usr/bin/env bash
# The main demonstration: a ball bounces on a floor that hangs on a spring, four times. All four runs go into one
# picture. TIELINE names the program, where it is not that of the release build.
set -euo pipefail
cd "$(dirname "$0")/.."

tieline=${TIELINE:-build/release/bin/tieline}
models=examples/bouncing-ball
out=build/demo
mkdir -p "$out"

demonstrate() {  # NAME LESSON MODEL [OPTION...]
  local name=$1 lesson=$2
  shift 2
  printf '\n%s: %s\n' "$name" "$lesson"
  "$tieline" run "$models/$1" --quiet --out "$out/$name" "${@:2}"
}

demonstrate monolithic "ball and floor in one component: the reference." monolithic.xml
demonstrate line "in two components, joined by a line at the contact plate: the same bounces, every joule accounted for." line.xml
demonstrate sampled-1e-2 "the same two, each guessing where the other is, with coarse steps: plausible, and wrong. The audit says so:" sampled.xml --set tolerance=1e-2
demonstrate sampled-1e-6 "with steps that are accurate enough: right, and trusted." sampled.xml

plot() {  # FILE
  "$tieline" plot "$out/monolithic" --with "$out/line" --with "$out/sampled-1e-2" --with "$out/sampled-1e-6" \
    both.ball.position both.floor.position ball.ball.position floor.floor.position \
    'connections.*.momentum_residual' 'connections.*.energy_residual' \
    --colour-by-run --title "A ball on a floor: in one piece, by a line, by sampling" -o "$1" >/dev/null
}
plot "$out/bouncing-ball.svg"
plot "$out/bouncing-ball.html"
printf '\nPicture: %s\nWith zoom, for a browser: %s\nMore: %s\n' \
  "$PWD/$out/bouncing-ball.svg" "$PWD/$out/bouncing-ball.html" "$models/README.md"
