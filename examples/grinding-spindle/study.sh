#!/bin/sh
# Runs all cases of the paper and draws its Figures 12 to 18. Takes about a minute of processor time.
#   sh study.sh [FOLDER]
set -e
cd "$(dirname "$0")"
out=${1:-study}
mkdir -p "$out" figures
count=0

# One case: its folder, and what it sets.
run() {
  folder=$1
  shift
  count=$((count + 1))
  echo "[$count/12] $folder"
  tieline run spindle.xml --quiet --out "$out/$folder" "$@"
}

for k in 1e10 1e9; do
  for c in 1 0.1 0.01; do
    run "tie-$k-$c" --set lines=0 --set k=$k --set c=$c
  done
done
# As the paper's Table 3, with the steps that lines of 2e-5 s allow.
run tie-1e9-0.1-2e-5 --set lines=0 --set k=1e9 --set T=2e-5
# As many steps as keep k T h below 0.8 times the mass of the inner ring, and h at 5e-6 s or less.
for case in 1e10:0.5e-5:1 1e10:1e-5:2 1e10:2e-5:8 1e9:1e-5:1 1e9:2e-5:2; do
  k=${case%%:*} T=${case#*:}
  run "line-$k-${T%:*}" --set k=$k --set T=${T%:*} --set steps=${T#*:}
done

# Figures 12 to 14: the force between a ball and the inner ring, with lines and without.
number=12
for T in 1e-5 0.5e-5 2e-5; do
  tieline plot "$out/tie-1e10-0.1" whole.bearing.dgbb.ball1.inner.force=bearing.dgbb.ball1.inner.force --with "$out/line-1e10-$T" --colour-by-run --title "Figure $number: normal force of ball 1 on the inner ring, T = $T s" -o "figures/figure$number.svg"
  number=$((number + 1))
done
# Figures 15 to 18: the shaft across and the cage upwards, for three dampings and on lines.
for case in 1e9:1e-5 1e10:1e-5 1e9:2e-5 1e10:2e-5; do
  k=${case%:*} T=${case#*:}
  ties="--with $out/tie-$k-1 --with $out/tie-$k-0.1 --with $out/tie-$k-0.01"
  tieline plot "$out/line-$k-$T" machine.shaft.position.y=whole.machine.shaft.position.y $ties --colour-by-run --title "Figure $number, above: shaft across, k = $k N/m, T = $T s" -o "figures/figure$number-shaft.svg"
  tieline plot "$out/line-$k-$T" bearing.dgbb.cage.position.z=whole.bearing.dgbb.cage.position.z $ties --colour-by-run --title "Figure $number, below: cage upwards, k = $k N/m, T = $T s" -o "figures/figure$number-cage.svg"
  number=$((number + 1))
done
# Tables 2 and 3.
for run in tie-1e10-0.1 line-1e10-1e-5 tie-1e9-0.1-2e-5 line-1e9-2e-5; do
  echo "== $run"
  tieline info "$out/$run" | sed -n '/^Description/,/^Mean/p'
done
