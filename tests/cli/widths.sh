#!/bin/sh
# SPDX-License-Identifier: MIT
# Lists on terminals: no line is wider than the terminal, and the columns of events have headings, which scripts do not
# get. Usage: widths.sh PMON
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

# An account with values of 17 digits and signs in each column, and names of 25 and more.
printf 'set sockets=2 numa=interleave\nthread 0 on core 0: chase 8M\nthread 1 on core 64: chase 8M\n' >"$work/run.scn"
run="machine run --scenario $work/run.scn 2>/dev/null"
for list in 'list -u imc' 'list -u cha RxC' 'list -u iio DATA_REQ' 'list -p snbep AnyDataC' 'show cha' 'machine describe' \
  'show cha/TOR_INSERTS.IA_MISS_DRD/' 'encode cha/TOR_INSERTS.IA_MISS_DRD/' 'decode 0x2002=0x00C817FE00000135' \
  'explain cha/TOR_INSERTS.IA_MISS_DRD,thresh=4/' 'discover --machine' 'machine mount --help' 'search pcie' \
  'sample -p montecito --generate mixed:2000 --source addresses -c 500' \
  'bench-driver --list' 'machine rules' 'stat --dry-run' 'stat --dry-run -e imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/,imc/ACT_COUNT.ALL/,imc/PRE_COUNT.ALL/,imc/CLOCKTICKS/' 'metrics' 'units' 'machine coverage' 'machine coverage --totals' \
  "$run"; do
  on_terminal 80 "$list"
  awk -v list="$list" 'length > 80 { print list ": wider than the terminal: " $0; bad = 1 } END { exit bad }' "$work/out" || failed=1
done
# The account's columns end where their headings end, on a terminal and in a file, whose columns are those of wide
# terminals.
for columns in 80 200; do
  on_terminal $columns "$run"
  awk '/ total$/ { width = length; heads++ } heads && length != width { print "an account, not aligned: " $0; bad = 1 }
       END { exit bad || !heads }' "$work/out" || failed=1
done
"$pmon" --color never -p emr machine run --scenario "$work/run.scn" 2>/dev/null | cmp - "$work/out" || failed=1
for columns in 80 200; do
  on_terminal $columns list -u imc CAS
  # The headings stand above their columns: code, umask, counters.
  awk 'NR == 1 { code = index($0, "code"); umask = index($0, "umask"); counters = index($0, "counters") }
       /^imc\/CAS_COUNT.RD\// { n++; good = substr($0, code, 4) == "0x05" && substr($0, umask, 4) == "0xcf" &&
                                substr($0, counters, 3) == "0-3" }
       END { exit !(n == 1 && good) }' "$work/out" || { echo "columns of a list, $columns:"; head -3 "$work/out"; failed=1; }
done
# A name that is too long has a line of its own, and the fields that a row sets precede the meaning: both leave the
# columns where they are. The meanings begin in the same column, whatever counters a row has.
on_terminal 80 list -p snbep qpi/DRS
awk 'NR == 1 { code = index($0, "code"); counters = index($0, "counters") }
     /^[^ ]/ && NR > 1 && substr($0, code, 4) == "0x38" { n++; if (substr($0, counters) != "0-3") bad = 1 }
     END { exit bad || n < 3 }' "$work/out" || { echo 'columns with fields:'; head -9 "$work/out"; failed=1; }
on_terminal 60 list -u cha TOR_INSERTS.IA_MISS_LLCPREFDATA
awk 'NR == 1 { code = index($0, "code") } /^cha/ { long = length; next } /^ +0x35/ { n++; bad = match($0, /0x/) != code }
     END { exit bad || !n || long < code }' "$work/out" || { echo 'a long name:'; head -9 "$work/out"; failed=1; }
on_terminal 200 list -u cha RxC_OCCUPANCY
awk '/^cha/ { at = index($0, "Entries"); if (n++ && at != first) bad = 1; first = at } END { exit bad || n < 2 }' "$work/out" ||
  { echo 'meanings, not aligned:'; head -9 "$work/out"; failed=1; }
# A search has the same headings above its first event, whatever precedes it.
for columns in 60 80 200; do
  on_terminal $columns search read cas
  awk -v columns=$columns '/^event / { code = index($0, "code"); umask = index($0, "umask"); counters = index($0, "counters"); heads++ }
       /^imc\/CAS_COUNT.RD\// { n++; good = substr($0, code, 4) == "0x05" && substr($0, umask, 4) == "0xcf" &&
                                substr($0, counters, 3) == "0-3" }
       /^imc/ && !heads { bad = 1 }
       !/^(event |imc)/ && length > columns { bad = 1 }
       END { exit !(n == 1 && good && heads == 1 && !bad) }' "$work/out" || { echo "columns of a search, $columns:"; cat "$work/out"; failed=1; }
done
"$pmon" -p emr search read cas | head -n 1 | grep -q '^imc/' || { echo 'a script sees the names of columns of a search'; failed=1; }
"$pmon" -p emr list -u imc CAS | head -n 1 | grep -q '^imc/' || { echo 'a script sees the names of columns'; failed=1; }
# Below the events of a unit, readers see where those of its mesh stop are.
on_terminal 80 list -u cha CLOCK
[ "$(tail -n 1 "$work/out")" = '1 more row is in cms, whose events cha counts, too: pmon list -u cms' ] ||
  { echo "no hint of the mesh stop's events: $(tail -n 2 "$work/out")"; failed=1; }
on_terminal 80 list -u imc CAS
grep -q 'pmon list' "$work/out" && { echo "a hint of other units' events"; failed=1; }
lines=$("$pmon" -p emr machine describe | wc -l)
names=$("$pmon" -p emr machine describe --json | wc -l)
[ "$lines" -eq "$names" ] || { echo "machine describe: $lines lines of $names parameters"; failed=1; }
# Parameters without effect on a processor are not among its own: those of a mesh, of a link's lanes, of what fills the LLC.
for form in '' --json; do
  "$pmon" -p snbep machine describe $form | grep -E '(mesh\.columns|upi\.lanes|llc\.policy)\>' &&
    { echo "machine describe $form: parameters that have no effect on the E5-2600"; failed=1; }
done
# The descriptions of all commands begin in the same column.
"$pmon" --help | awk '/^  [a-z-]+ +[a-z]/ && !/^  unit/ { match($0, /^  [a-z-]+ +/); if (n++ && RLENGTH != at) bad = 1; at = RLENGTH }
                      END { exit bad || n < 20 }' || { echo '--help: commands are not aligned'; failed=1; }
exit $failed
