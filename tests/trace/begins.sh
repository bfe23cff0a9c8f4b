#!/bin/sh
# SPDX-License-Identifier: MIT
# A process begins when its parent has started it, and the parent continues from wait() when it has ended; so do threads
# and pthread_join(). Five more of them, one after the other (guest/begins.c), therefore take five times as long as
# one process, and a region around them contains all their reads, also in a recording. The same holds for two threads
# that read alternately, of which one waits for the other's byte in a pipe.
# usage: begins.sh PMON GUEST
set -u
pmon=$1 guest=$2 bad=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
command -v qemu-x86_64 >/dev/null || { echo "SKIPPED: no qemu-x86_64" >&2; exit 77; }

# arguments: how a run is given; sets $us, the time of the region, and $reads, its reads of memory
region() {
  timeout -s KILL 600 "$pmon" stat --json --set prefetch=off -e imc/CAS_COUNT.RD/ "$@" >"$dir/json" 2>"$dir/errors" ||
    { cat "$dir/errors"; bad=1; }
  us=$(sed -n 's/.*"seconds":\([0-9.e-]*\),.*"region":"all","thread":null.*/\1/p' "$dir/json" |
    awk '{ printf "%.3f", $1 * 1e6 }')
  reads=$(sed -n '/"region":"all","thread":null/s/.*"package":null,[^}]*"value":\([0-9]*\),.*/\1/p' "$dir/json")
}
# arguments: description, least, most, what it is
between() {
  awk -v what="$1" -v least="$2" -v most="$3" -v is="$4" 'BEGIN {
    good = is != "" && is + 0 >= least && is + 0 <= most
    printf "%s: %s, to be from %s to %s%s\n", what, is, least, most, good ? "" : "  WRONG"
    exit !good }' || bad=1
}

for kind in process thread turn; do
  region -- "$guest" $kind 1
  one=$us each=${each:-$us}
  between "reads of one $kind" 16384 17000 "$reads"
  region -- "$guest" $kind 6
  between "reads of six, $kind" 98304 101000 "$reads"
  between "time of five more by that of one process, $kind" 4.2 5.5 \
    "$(awk -v a="$us" -v b="$one" -v c="$each" 'BEGIN { printf "%.3f", (a - b) / c }')"
done
"$pmon" machine record -o "$dir/trace" -- "$guest" process 6 2>/dev/null || bad=1
region --trace "$dir/trace"
between 'reads of six in a recording' 98304 101000 "$reads"
exit $bad
