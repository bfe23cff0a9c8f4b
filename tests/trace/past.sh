#!/bin/sh
# SPDX-License-Identifier: MIT
# A program's stores past the caches arrive at the CHAs as such: 16,384 whole lines and a part of one. A pause of the
# program, where the reader finds the ring empty for long, sends lines that are not complete: a few are allowed.
# Usage: past.sh PMON GUEST
set -u
pmon=$1 guest=$2 bad=0

# counts PLATFORM EVENT LEAST MOST
counts() {
  is=$(timeout -s KILL 60 "$pmon" -p "$1" stat --csv --set sockets=1 -e "$2" -- "$guest" 2>/dev/null |
    awk -F, '$5 == 0 && $7 == "" { print $8 }')
  [ -n "$is" ] && [ "$is" -ge "$3" ] && [ "$is" -le "$4" ] || { echo "$1 $2: '$is', not from $3 to $4"; bad=1; }
}
counts emr cha/TOR_INSERTS.IA_WCILF/ 16376 16384
counts emr cha/TOR_INSERTS.IA_WCIL/ 1 17
counts emr cha/IMC_WRITES_COUNT.FULL/ 16376 16384
counts snbep ha/IMC_WRITES.FULL/ 16376 16384
counts snbep ha/IMC_WRITES.PARTIAL/ 1 17
exit $bad
