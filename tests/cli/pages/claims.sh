# Functions for the claims of pages (claim.hpp): each prints the numbers that a page states. RUN is a result folder.

# rows RUN VARIABLE: time and value, a row each
rows() {
  rows_file=$(mktemp)
  tieline export "$1" --csv "$rows_file" --variables "$2" >/dev/null && tail -n +2 "$rows_file" | tr -d '"' | tr , ' '
  rm -f "$rows_file"
}
last() { rows "$1" "$2" | awk 'END { print $2 }'; }
first() { rows "$1" "$2" | awk 'NR == 1 { print $2; exit }'; }
# largest, smallest: of all values; amplitude: the largest absolute value; each optionally between two times
between() { awk -v from="${1:--1e300}" -v to="${2:-1e300}" '$1 >= from && $1 <= to'; }
largest() { rows "$1" "$2" | between "$3" "$4" | awk 'NR == 1 || $2 > m { m = $2 } END { print m }'; }
smallest() { rows "$1" "$2" | between "$3" "$4" | awk 'NR == 1 || $2 < m { m = $2 } END { print m }'; }
amplitude() { rows "$1" "$2" | between "$3" "$4" | awk '{ a = $2 < 0 ? -$2 : $2 } a > m { m = a } END { print m + 0 }'; }
# at RUN VARIABLE TIME: interpolated between two rows
at() {
  rows "$1" "$2" | awk -v t="$3" '$1 >= t { print NR == 1 || $1 == t ? $2 : y + ($2 - y) * (t - x) / ($1 - x); exit } { x = $1; y = $2 }'
}
# peaks RUN VARIABLE N: the first N maxima
peaks() {
  rows "$1" "$2" | awk -v n="$3" 'NR > 2 && b > a && b >= $2 { print b; if (++k == n) exit } { a = b; b = $2 }'
}
# crossing RUN VARIABLE VALUE [N]: when a variable passes a value for the Nth time, in either direction
crossing() {
  rows "$1" "$2" | awk -v v="$3" -v n="${4:-1}" \
    'NR > 1 && (y < v) != ($2 < v) && ++k == n { print x + (v - y) * ($1 - x) / ($2 - y); exit } { x = $1; y = $2 }'
}
# difference RUN VARIABLE OTHER [VARIABLE]: the largest between two runs
difference() {
  difference_plot=$(mktemp --suffix=.svg)
  tieline compare "$1" "$3" --variables "$2=${4:-$2}" -o "$difference_plot" | awk 'NR > 1 && /\]/ { sub(/.*\] */, ""); print $1; exit }'
  rm -f "$difference_plot"
}
# report RUN FILTER: what a filter of jq finds in the run's report
report() { jq -r "$2" "$1/report.json"; }
verdict() { tieline info "$1" | sed -n 's/^Verdict: \([a-z]*\).*/\1/p'; }
# calc EXPRESSION: of awk
calc() { awk "BEGIN { pi = atan2(0, -1); printf \"%.12g\n\", $1 }"; }
# scaled FACTOR: multiplies each number that comes in (`times` is a builtin of the shell)
scaled() { awk -v f="$1" '{ for (i = 1; i <= NF; ++i) printf "%.12g ", $i * f; print "" }'; }
# column TABLE NAME [ROW]: of a sweep's table; all rows without one
column() {
  awk -F, -v name="$2" -v row="${3:-0}" \
    'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) c = i; next } c && (!row || NR - 1 == row) { print $c }' "$1"
}
