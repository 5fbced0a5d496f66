#!/usr/bin/env bash
# The main demonstration: a ball bounces on a floor that hangs on a spring, in four runs and one picture.
# TIELINE names the program, where it is not that of the release build.
set -euo pipefail
cd "$(dirname "$0")/.."

tieline=${TIELINE:-build/release/bin/tieline}
models=examples/bouncing-ball
out=build/demo
mkdir -p "$out"

error_of() {  # NAME: largest difference from the reference
  "$tieline" compare "$out/monolithic" "$out/$1" --variables both.ball.position=ball.ball.position -o "$out/compare.svg" |
    sed -n 's/^both.ball.position[^]]*\] *\([^ ]*\).*/\1/p'
}
verdict_of() { "$tieline" info "$out/$1" | sed -n 's/^Verdict: \([a-z]*\).*/\1/p'; }

demonstrate() {  # NAME COUPLING MODEL [OPTION...]
  local name=$1 coupling=$2
  shift 2
  printf '  %-12s %s\n' "$name" "$coupling"
  "$tieline" run "$models/$1" --quiet --out "$out/$name" "${@:2}" >/dev/null 2>&1
  [ "$name" = monolithic ] || printf '  %-12s largest error %s m, verdict of the audit: %s\n' '' "$(error_of "$name")" "$(verdict_of "$name")"
}

echo "A ball bounces on a floor, in four runs of 4 s each:"
demonstrate monolithic "ball and floor in one component: the reference" monolithic.xml
demonstrate line "two components, joined by a line at the plate that the ball hits" line.xml
demonstrate naive-0.2ms "two components that exchange positions every 0.2 ms, and extrapolate" naive.xml
demonstrate naive-0.1ms "the same, every 0.1 ms" naive.xml --set h=1e-4

plot() {  # FILE
  "$tieline" plot "$out/monolithic" both.ball.position=ball.ball.position 'connections.*.momentum_residual' --with "$out/line" \
    --with "$out/naive-0.2ms" --colour-by-run --title "A ball bounces on a floor: in one piece, by a line, by naive exchange" -o "$1" >/dev/null
}
plot "$out/bouncing-ball.svg"
plot "$out/bouncing-ball.html"
cat <<END
The picture shows the height of the ball (the line agrees with the reference, the exchange does not)
and the momentum residual, by which the audit finds the error of the exchange:
  $PWD/$out/bouncing-ball.svg
  $PWD/$out/bouncing-ball.html (zooms in a browser)
Read more in $models/README.md.
END
