#!/bin/sh
# Runs all cases of the paper, draws its Figures 12 to 18 and prints its Tables 1 to 3. Takes about a minute of processor time.
#   sh study.sh [FOLDER]
set -e
cd "$(dirname "$0")"
out=${1:-study}
mkdir -p "$out" figures
count=0

# One case: its folder, what it is in words, and what it sets.
run() {
  folder=$1 words=$2
  shift 2
  count=$((count + 1))
  echo "Run $count of 12: $words"
  tieline run spindle.xml --quiet --out "$out/$folder" "$@"
}

for k in 1e10 1e9; do
  for c in 1 0.1 0.01; do
    run "tie-$k-$c" "in one piece, tie with k = $k N/m, c = $c" --set lines=0 --set k=$k --set c=$c
  done
done
# As the paper's Table 3, with the steps that lines of 2e-5 s allow.
run tie-1e9-0.1-2e-5 "in one piece, tie with k = 1e9 N/m, steps for T = 2e-5 s" --set lines=0 --set k=1e9 --set T=2e-5
# As many steps as keep k T h below 0.8 times the mass of the inner ring, and h at 5e-6 s or less.
for case in 1e10:0.5e-5:1 1e10:1e-5:2 1e10:2e-5:8 1e9:1e-5:1 1e9:2e-5:2; do
  k=${case%%:*} T=${case#*:}
  run "line-$k-${T%:*}" "on lines, k = $k N/m, T = ${T%:*} s" --set k=$k --set T=${T%:*} --set steps=${T#*:}
done

echo "All runs are done. Drawing Figures 12 to 18 into the folder figures."
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
echo "== Table 1: impedance and mass of lines of k = 1e10 N/m"
for T in 1e-5 0.5e-5 2e-5; do
  tieline info "$out/line-1e10-$T" | awk '/^inner +line/ { printf "T = %s s: Z_F = %s N s/m, m_p = %s kg\n", $5, $3, $6 }'
done

# Root of the mean square of what the runs $1 and $2 differ by in a variable: whole.$4 of the first, $3$4 of the second.
rms() {
  tieline compare "$1" "$2" --variables "whole.$4=$3$4" -o "$out/compare.svg" | awk 'NR == 2 { print $(NF-1) }'
}
echo "== Differences from the tie with c = 0.1: force of ball 1 [N], shaft across [m]"
for case in 1e10:1:tie 1e10:0.01:tie 1e10:0.5e-5:line 1e10:1e-5:line 1e10:2e-5:line 1e9:1e-5:line 1e9:2e-5:line; do
  kind=${case##*:} rest=${case%:*}
  k=${rest%%:*} value=${rest#*:}
  whole=whole.
  if [ "$kind" = line ]; then whole=; fi
  force=$(rms "$out/tie-$k-0.1" "$out/$kind-$k-$value" "$whole" bearing.dgbb.ball1.inner.force)
  shaft=$(rms "$out/tie-$k-0.1" "$out/$kind-$k-$value" "$whole" machine.shaft.position.y)
  echo "$kind-$k-$value: $force $shaft"
done

# The columns of the file are time, both tilts, loss.
echo "== Tilt of the rings against each other [rad], power lost in the bearing [W]: means from 0.1 s on"
for k in 1e10 1e9; do
  tieline export "$out/tie-$k-0.1" --csv "$out/means.csv" --variables 'whole.bearing.dgbb.tilt.*' --variables whole.bearing.dgbb.loss >"$out/export.log"
  awk -F, -v k=$k '$1 >= 0.1 { n++; tilt += sqrt($2 * $2 + $3 * $3); loss += $4 } END { print "k = " k " N/m:", tilt / n, loss / n }' "$out/means.csv"
done

for run in tie-1e10-0.1 line-1e10-1e-5 tie-1e9-0.1-2e-5 line-1e9-2e-5; do
  case $run in *1e10*) table=2 ;; *) table=3 ;; esac
  echo "== Table $table: $run"
  tieline info "$out/$run" | sed -n '/^Description/,/^Mean/p'
done
