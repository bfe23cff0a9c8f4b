#!/bin/sh
# SPDX-License-Identifier: MIT
# A program's non-temporal stores arrive at the CHAs as such: 16,384 whole lines and a partial one, which is sent when
# its thread ends. The counts are the same when the reader finds the ring empty for a while. A program with an
# instruction that flushes a line is reported, because the machine does not see the flush; others are not.
# Usage: past.sh PMON GUEST FLUSHING...
set -u
pmon=$1 guest=$2 bad=0
shift 2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# counts PLATFORM EVENT EXPECTED
counts() {
  timeout -s KILL 600 "$pmon" -p "$1" stat --csv --set sockets=1 -e "$2" -- "$guest" >"$dir/csv" 2>"$dir/errors" ||
    { cat "$dir/errors"; bad=1; }
  is=$(awk -F, '$5 == 0 && $7 == "" { print $8 }' "$dir/csv")
  [ "$is" = "$3" ] || { echo "$1 $2: '$is', not $3"; bad=1; }
}
counts emr cha/TOR_INSERTS.IA_WCILF/ 16384
counts emr cha/TOR_INSERTS.IA_WCIL/ 1
counts emr cha/IMC_WRITES_COUNT.FULL/ 16384
counts snbep ha/IMC_WRITES.FULL/ 16384
counts snbep ha/IMC_WRITES.PARTIAL/ 1
for program in "$guest" "$@"; do
  n=$(timeout -s KILL 600 "$pmon" machine run -- "$program" 2>&1 >/dev/null | grep -c 'flush or write back .* had no effect')
  [ "$n" = "$([ "$program" = "$guest" ] && echo 0 || echo 1)" ] || { echo "$program: $n messages about flushes"; bad=1; }
done
exit $bad
