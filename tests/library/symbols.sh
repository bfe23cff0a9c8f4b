#!/bin/sh
# SPDX-License-Identifier: MIT
# The built libraries: a shared one exports what its map lists, with the map's version; a static one has no global
# symbol without the prefix; none needs a library that its callers do not use. Usage: symbols.sh SOURCE BUILD NAME...
set -u
source=$1 build=$2
shift 2
{ command -v nm && command -v readelf; } >/dev/null || { echo "SKIPPED: no binutils" >&2; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
bad=0
complain() { echo "symbols: $*" >&2; bad=1; }

for name; do
  awk '$2 == "{" { node = $1 } $1 ~ /^pmon_/ { sub(/;.*/, ""); print $1 "@@" node }' "$source/src/$name.map" |
    sort >"$folder/listed"
  nm -D --defined-only "$build/lib$name.so" | awk '$2 != "A" { print $3 }' | sort >"$folder/exported"
  [ -s "$folder/listed" ] || complain "$name.map lists nothing"
  cmp -s "$folder/listed" "$folder/exported" ||
    complain "lib$name.so and $name.map differ: $(diff "$folder/listed" "$folder/exported" | grep '^[<>]')"

  nm -g --defined-only "$build/lib$name.a" | awk 'NF == 3 { print $3 }' | sort >"$folder/global"
  sed 's/@@.*//' "$folder/listed" >"$folder/names"
  cmp -s "$folder/names" "$folder/global" ||
    complain "lib$name.a and $name.map differ: $(diff "$folder/names" "$folder/global" | grep '^[<>]')"

  needed=$(readelf -d "$build/lib$name.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
  case $name in
  pmon) allowed='libc.so.* libm.so.* libpthread.so.* ld-linux*' ;;
  pmon-record) allowed='libc.so.* libpthread.so.* ld-linux* libpmon.so.* libsqlite3.so.*' ;;
  pmon-machine) allowed='libc.so.* libm.so.* libpthread.so.* ld-linux* libpmon.so.* libzstd.so.*' ;;
  *) complain "lib$name.so: state here what it may need"; allowed= ;;
  esac
  for library in $needed; do
    known=no
    set -f
    for pattern in $allowed; do case $library in $pattern) known=yes ;; esac done
    set +f
    [ $known = yes ] || complain "lib$name.so needs $library"
  done
done
exit $bad
