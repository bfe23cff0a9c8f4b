#!/bin/sh
# SPDX-License-Identifier: MIT
# Regions of programs in C++ and in Fortran, built from the installed sources and measured on the emulated machine.
# usage: languages.sh PMON SOURCE LIBPMON-REGION
set -u
pmon=$1 source=$2 library=$(readlink -f "$3")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
unset MALLOC_PERTURB_ # only the programs touch memory
command -v qemu-x86_64 >/dev/null || { echo "SKIPPED: no qemu-x86_64: no program was measured" >&2; exit 77; }
bad=0 tried=0

fail() {
  echo "FAIL: $*" >&2
  bad=1
}
measure() { # EVENT: prints each result of all threads and packages as REGION|CALLS|VALUE
  "$pmon" stat --backend machine --set prefetch=off --json -e "$1" -- "$dir/program" >"$dir/json" 2>"$dir/err" ||
    fail "$(cat "$dir/err")"
  grep '"thread":null' "$dir/json" |
    sed 's/.*"region":"\([^"]*\)".*"calls":\([0-9]*\),"missing_ends":0,"missing_begins":0.*"package":null[^}]*"value":\([0-9]*\).*/\1|\2|\3/' >"$dir/rows"
}
region() { # NAME CALLS LEAST MOST
  awk -F'|' -v name="$1" -v calls="$2" -v least="$3" -v most="$4" '
    $1 == name { n++; ok += $2 == calls && $3 >= least && $3 <= most } END { exit !(n == 1 && ok == 1) }' "$dir/rows" ||
    fail "$1: $2 calls and $3 to $4 lines: $(cat "$dir/rows")"
}

for compiler in g++ clang++; do
  command -v $compiler >/dev/null || { echo "SKIPPED: no $compiler"; continue; }
  for level in -O0 -O2; do
    tried=$((tried + 1))
    $compiler -std=c++17 $level -pedantic -Wall -Wextra -Wconversion -Wshadow -Wold-style-cast -Werror -I"$source/include" -o "$dir/program" \
      "$source/tests/regions/guard.cc" "$source/tests/regions/other.cc" 2>"$dir/err" || { fail "$compiler: $(cat "$dir/err")"; continue; }
    [ "$(nm -C "$dir/program" | grep -c ' pmon_region_link_$')" = 1 ] || fail "$compiler $level: the link is not there once"
    measure cha/TOR_INSERTS.IA_MISS_DRD/
    region returns 2 3000 3010
    region "throws 1" 1 2000 2500 # the search for the exception handler reads tables
    region scope 1 500 510
    region "macro, in C++" 1 300 310
    region whole 1 9800 10700
  done
done

if command -v gfortran >/dev/null; then
  tried=$((tried + 1))
  (cd "$dir" && gfortran -std=f2018 -O2 -Wall -Wextra -Werror -o program "$source/fortran/pmon_region.f90" "$source/examples/region.f90" "$library") 2>"$dir/err" ||
    fail "gfortran: $(cat "$dir/err")"
  # 2 MiB are 32768 lines: filling reads them for ownership, adding them up hits in the caches of both levels.
  measure cha/TOR_INSERTS.IA_MISS_RFO/
  region fill 1 32768 33500
  region sum 10 0 20
else
  echo "SKIPPED: no gfortran; the Fortran module was not tried"
fi
[ $tried -gt 0 ] || exit 77
exit $bad
