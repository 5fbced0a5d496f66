#!/usr/bin/env bash
# The main demonstration: a ball bounces on a floor that hangs on a spring, in four runs that go into one picture.
# TIELINE names the program, where it is not that of the release build.
set -euo pipefail
cd "$(dirname "$0")/.."

tieline=${TIELINE:-build/release/bin/tieline}
models=examples/bouncing-ball
out=build/demo
mkdir -p "$out"

demonstrate() {  # NAME LESSON MODEL [OPTION...]
  local name=$1 lesson=$2
  shift 2
  printf '%-12s %s\n' "$name" "$lesson"
  "$tieline" run "$models/$1" --quiet --out "$out/$name" "${@:2}" >/dev/null 2>&1
  [ "$name" = monolithic ] && return
  printf '%-12s %s; largest error %s m\n' '' "$("$tieline" info "$out/$name" | sed -n 's|^Verdict: \([a-z]*\).*|verdict \1|p')" \
    "$("$tieline" compare "$out/monolithic" "$out/$name" --variables both.ball.position=ball.ball.position -o "$out/compare.svg" |
      sed -n 's/^both.ball.position[^]]*\] *\([^ ]*\).*/\1/p')"
}

echo "A ball falls on a floor that hangs on a spring, four times:"
demonstrate monolithic "ball and floor in one component: the reference" monolithic.xml
demonstrate line "in two components, connected by a line at the plate that the ball hits" line.xml
demonstrate naive-0.2ms "each side extrapolates the other's position, exchanged every 0.2 ms" naive.xml
demonstrate naive-0.1ms "the same every 0.1 ms" naive.xml --set h=1e-4

plot() {  # FILE
  "$tieline" plot "$out/monolithic" --with "$out/line" --with "$out/naive-0.2ms" --with "$out/naive-0.1ms" \
    both.ball.position both.floor.position ball.ball.position floor.floor.position 'connections.*.momentum_residual' \
    --colour-by-run --title "A ball on a floor: in one piece, by a line, by naive exchange" -o "$1" >/dev/null
}
plot "$out/bouncing-ball.svg"
plot "$out/bouncing-ball.html"
printf 'Picture (positions, and the momentum that each coupling creates): %s\nWith zoom, for a browser: %s\nMore: %s\n' \
  "$PWD/$out/bouncing-ball.svg" "$PWD/$out/bouncing-ball.html" "$models/README.md"
