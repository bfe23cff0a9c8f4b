#!/bin/sh
# SPDX-License-Identifier: MIT
# The work of `pmon import` grows linearly with the rows of a file, not quadratically, if all rows are umasks of one
# event: eight times the rows need at most twelve times the comparisons of names. Equal names are still detected. Usage:
# many_umasks.sh PMON COUNT-COMPARISONS
set -u
pmon=$1 preload=$(realpath "$2") bad=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# comparisons ROWS: imports this number of umasks, of which the last has the name of the first in another case.
comparisons() {
  awk -v n="$1" 'BEGIN {
    printf "["
    for (i = 1; i < n; i++)
      printf "{\"Unit\":\"CHA\",\"EventCode\":\"0x35\",\"UMask\":\"1\",\"EventName\":\"UNC_CHA_X.Y%d\"},", i
    print "{\"Unit\":\"CHA\",\"EventCode\":\"0x35\",\"UMask\":\"2\",\"EventName\":\"UNC_CHA_X.y1\"}]" }' >"$work/many.json"
  LD_PRELOAD=$preload COMPARISONS=$work/number "$pmon" import "$work/many.json" --as none -o "$work/many.platform" \
    >"$work/out" 2>"$work/err" </dev/null || { echo "import of $1 umasks: $(head -n 3 "$work/err")" >&2; echo 0; return; }
  grep -q 'object 1 has the same name' "$work/err" "$work/out" || echo "$1 umasks: no namesake: $(head -n 3 "$work/err")" >&2
  grep -c '^  umask ' "$work/many.evt" >"$work/umasks"
  cat "$work/number"
}
few=$(comparisons 500)
many=$(comparisons 4000)
[ "$(cat "$work/umasks")" = 3999 ] || { echo "$(cat "$work/umasks") umasks, not 3999"; bad=1; }
grep -q 'object 1 has the same name' "$work/err" "$work/out" || bad=1
echo "$few comparisons of 500 umasks, $many of 4000"
[ "$few" -gt 500 ] && [ "$many" -le $((few * 12)) ] || { echo "more than twelve times as many"; bad=1; }
exit $bad
