#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that abi.sh detects incompatible changes. It records a small library that uses the project's headers,
# suppressions and visibility, then compares changed copies with the record: the same library and an added function
# pass; a removed function, a changed public struct and a changed signature fail, and the report names each of them.
# Usage: abi_detects.sh SOURCE CC...
set -u
source=$1
shift
{ command -v abidw && command -v abidiff; } >/dev/null || { echo "SKIPPED: no abigail-tools" >&2; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/include/pmon" "$folder/tests/library" "$folder/build" || exit 1
cp "$source"/include/pmon/*.h "$folder/include/pmon" && cp "$source/tests/library/abi.suppr" "$folder/tests/library" || exit 1
bad=0

cat >"$folder/small.c" <<'END'
#include <pmon/access.h>
int small_width(const struct pmon_address *a);
int small_width(const struct pmon_address *a) { return a->width_bits; }
#ifndef WITHOUT
int small_space(struct pmon_address *a, SPACE space);
int small_space(struct pmon_address *a, SPACE space) { a->space = (uint8_t)space; return 0; }
#endif
#ifdef ADDED
int small_added(void);
int small_added(void) { return 1; }
#endif
END

# Builds the small library with the given compiler options.
build() {
  "$@" -g -fPIC -shared -I"$folder/include" -o "$folder/build/libsmall.so" "$folder/small.c" ||
    { echo "abi_detects: the small library does not compile" >&2; exit 1; }
}

compare() {
  sh "$source/tests/library/abi.sh" "$folder" "$folder/build" small >"$folder/report" 2>&1
}

passes() {
  compare || { echo "abi.sh refuses $1:"; cat "$folder/report"; bad=1; }
}

# $1: the change, $2: an expression that the report must match.
fails() {
  compare
  status=$?
  if [ $status != 1 ] || ! grep -Eq "$2" "$folder/report"; then
    echo "abi.sh: $1: status $status, expected 1 and a report with \"$2\":"
    cat "$folder/report"
    bad=1
  fi
}

build "$@" -DSPACE=uint32_t
sh "$source/tests/library/abi.sh" --record "$folder" "$folder/build" small || exit 1
passes "the same library"
build "$@" -DSPACE=uint32_t -DADDED
passes "an added function"
build "$@" -DSPACE=uint32_t -DWITHOUT
fails "a removed function" "\\[D\\].*small_space"
build "$@" -DSPACE=uint64_t
fails "a changed signature" "parameter 2.*changed"
sed 's/uint16_t reserved;/uint64_t reserved;/' "$source/include/pmon/access.h" >"$folder/include/pmon/access.h"
cmp -s "$source/include/pmon/access.h" "$folder/include/pmon/access.h" && { echo "the struct was not changed"; exit 1; }
build "$@" -DSPACE=uint32_t
fails "a changed struct" "struct pmon_address"
exit $bad
