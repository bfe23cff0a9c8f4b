#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/analyze.sh finds mistakes that are planted, accepts what a line of its list accepts, and reports a file that does
# not compile. Usage: planted.sh SOURCE-ROOT
set -u
root=$1 bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/planted.c" <<'END'
#include <stdlib.h>
int planted(int n);
int planted(int n)
{
  int *p = malloc(sizeof *p), x;
  if (!p)
    return 0;
  free(p);
  if (n == 2)
    return x;
  return *p;
}
END
"$root/scripts/analyze.sh" "$work/planted.c" >"$work/out" 2>"$work/err" && { echo 'planted mistakes: accepted'; bad=1; }
grep -q SKIPPED "$work/err" && { cat "$work/err" >&2; exit 77; }
for check in 'clang	unix.Malloc' 'clang	core.uninitialized.UndefReturn' 'gcc	analyzer-use-after-free' 'cppcheck	uninitvar'; do
  grep -q "^$check" "$work/out" || { echo "not found: $check"; cat "$work/out"; bad=1; }
done
echo 'int f(void) { return unknown; }' >"$work/planted.c"
"$root/scripts/analyze.sh" "$work/planted.c" >"$work/out" 2>&1 && { echo 'a file that does not compile: accepted'; bad=1; }
printf 'int f(int n);\nint f(int n)\n{\n  return n + 1;\n}\n' >"$work/planted.c"
"$root/scripts/analyze.sh" "$work/planted.c" >"$work/out" 2>&1 || { echo 'a file without mistakes'; cat "$work/out"; bad=1; }
# Each accepted finding has its five columns.
awk -F'\t' '!/^#/ && (NF != 5 || $5 == "") { print FILENAME ": " FNR ": " $0; bad = 1 } END { exit bad }' \
  "$root/tests/analysis/accepted.tsv" || bad=1
exit $bad
