#!/bin/sh
# SPDX-License-Identifier: MIT
# A program's large pages (guest/pages.c): 65,536 lines in steps of 256 KB, each of which opens a row of its own where
# the pages are large, as with pages=2M; in pages of 4 KB, whose frames follow each other, three share a row.
# Usage: pages.sh PMON GUEST
set -u
pmon=$1 guest=$2 bad=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# counts [OPTIONS] -- COMMAND, or --trace FILE: sets $rows and $lines
counts() {
  timeout -s KILL 600 "$pmon" stat --csv --set sockets=1 --set prefetch=off -e imc/ACT_COUNT.RD/,imc/CAS_COUNT.RD/ "$@" \
    >"$dir/csv" 2>"$dir/errors"
  rows=$(awk -F, '$4 ~ /ACT/ && $5 == 0 && $7 == "" { print $8 }' "$dir/csv")
  lines=$(awk -F, '$4 ~ /CAS/ && $5 == 0 && $7 == "" { print $8 }' "$dir/csv")
  [ -n "$rows" ] && [ -n "$lines" ] || { cat "$dir/errors"; rows=0 lines=0; }
}
check() { awk "BEGIN { exit !($2) }" || { echo "WRONG: $1 ($2)"; bad=1; }; }

counts -- "$guest" small
small=$rows
check 'small pages share rows' "$lines > 65536 && $lines < 67000 && $small > 65536 / 3 && $small < 0.4 * $lines"
counts --set pages=2M -- "$guest" small
all=$rows
check 'with pages=2M each line opens a row' "$all > 65536 && $lines - $all < 300"
for how in advised moved child; do
  counts -- "$guest" $how
  check "$how: each line opens a row" "$rows > 65536 && $lines - $rows < 300 && ($rows - $all) ^ 2 < 300 ^ 2"
done
counts -- "$guest" again
first=$((rows - 65536)) # those of a pass through all pages of 4 KB
check 'again: each line of the second pass opens a row' "$lines > 131000 && $first > 0.25 * 65536 && $first < 0.36 * 65536"
counts -- "$guest" back
check 'back: the second pass shares rows' "$lines > 131000 && $rows < 0.4 * $lines"
for how in 2M 1G; do
  counts -- "$guest" $how
  grep -q 'exited with status 77' "$dir/errors" && { echo "mmap(MAP_HUGETLB) $how not tried: the host has no such pages (vm.nr_hugepages)"; continue; }
  check "$how: each line opens a row" "$rows > 65536 && $lines - $rows < 300"
done

# The same counts for a recording, and in a machine that maps 256 MB as one page.
"$pmon" machine record -o "$dir/pmt" -- "$guest" advised 2>"$dir/errors" || { cat "$dir/errors"; bad=1; }
counts --trace "$dir/pmt"
check 'a recording has the pages' "$rows > 65536 && $lines - $rows < 300"

# With large pages, walks end one level earlier.
walks() { "$pmon" machine run --set sockets=1 --set core.walks=on --trace "$1" | awk '/DRDPTE/ { gsub(",", ""); n += $NF } END { print n + 0 }'; }
large=$(walks "$dir/pmt")
"$pmon" machine record -o "$dir/small" -- "$guest" small 2>"$dir/errors" || { cat "$dir/errors"; bad=1; }
check 'large pages need few walks' "$large > 0 && $large * 10 < $(walks "$dir/small")"
exit $bad
