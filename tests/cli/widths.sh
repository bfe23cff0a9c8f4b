#!/bin/sh
# SPDX-License-Identifier: MIT
# Lists on terminals: none of their lines is wider than the terminal, and the events' columns have names, which scripts do
# not see. Usage: widths.sh PMON
pmon=$1 work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset NO_COLOR COLUMNS
failed=0
command -v script >/dev/null || { echo 'SKIPPED: no script' >&2; exit 77; }
on_terminal() {
  columns=$1
  shift
  script -qec "stty cols $columns; '$pmon' --color never -p emr $*" /dev/null </dev/null | tr -d '\r' >"$work/out"
  [ -s "$work/out" ] || { echo "$*: nothing is printed"; failed=1; }
}

for list in 'list -u imc' 'machine describe' 'machine rules' 'metrics' 'units'; do
  on_terminal 80 "$list"
  awk -v list="$list" 'length > 80 { print list ": wider than the terminal: " $0; bad = 1 } END { exit bad }' "$work/out" || failed=1
done
for columns in 80 200; do
  on_terminal $columns list -u imc CAS
  # The names stand above what they name: code, umask, counters.
  awk 'NR == 1 { code = index($0, "code"); umask = index($0, "umask"); counters = index($0, "counters") }
       /^imc\/CAS_COUNT.RD\// { n++; good = substr($0, code, 4) == "0x05" && substr($0, umask, 4) == "0xcf" &&
                                substr($0, counters, 3) == "0-3" }
       END { exit !(n == 1 && good) }' "$work/out" || { echo "columns of a list, $columns:"; head -3 "$work/out"; failed=1; }
done
# So do those of a search, above its first event, whatever comes before.
for columns in 60 80 200; do
  on_terminal $columns search read cas
  awk -v columns=$columns '/^event / { code = index($0, "code"); umask = index($0, "umask"); counters = index($0, "counters"); heads++ }
       /^imc\/CAS_COUNT.RD\// { n++; good = substr($0, code, 4) == "0x05" && substr($0, umask, 4) == "0xcf" &&
                                substr($0, counters, 3) == "0-3" }
       /^imc/ && !heads { bad = 1 }
       !/^(event |imc)/ && length > columns { bad = 1 }
       END { exit !(n == 1 && good && heads == 1 && !bad) }' "$work/out" || { echo "columns of a search, $columns:"; cat "$work/out"; failed=1; }
done
"$pmon" -p emr search read cas | grep -q '^event ' && { echo 'a script sees the names of columns of a search'; failed=1; }
"$pmon" -p emr list -u imc CAS | head -n 1 | grep -q '^imc/' || { echo 'a script sees the names of columns'; failed=1; }
lines=$("$pmon" -p emr machine describe | wc -l)
names=$("$pmon" -p emr machine describe --json | wc -l)
[ "$lines" -eq "$names" ] || { echo "machine describe: $lines lines of $names parameters"; failed=1; }
# Each command's meaning begins in the same column.
"$pmon" --help | awk '/^  [a-z-]+ +[a-z]/ && !/^  unit/ { match($0, /^  [a-z-]+ +/); if (n++ && RLENGTH != at) bad = 1; at = RLENGTH }
                      END { exit bad || n < 20 }' || { echo '--help: commands are not aligned'; failed=1; }
exit $failed
