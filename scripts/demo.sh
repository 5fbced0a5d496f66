#!/usr/bin/env bash
# The main demonstration: runs an example and says where its plot is.
set -euo pipefail
cd "$(dirname "$0")/.."

tieline=build/release/bin/tieline
out=run/bouncing-ball
"$tieline" run examples/bouncing-ball/bouncing-ball.xml --out "$out"
