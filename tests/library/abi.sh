#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the built libraries with the recorded ABI (libNAME.abi): no function is removed, no struct, enum or signature
# changes. New functions pass. After an intended change, record the ABI again: abi.sh --record SOURCE BUILD NAME...
# Usage: abi.sh [--record] SOURCE BUILD NAME...
set -u
record=no
[ "$1" = --record ] && { record=yes; shift; }
source=$1 build=$2
shift 2
here=$source/tests/library
{ command -v abidw && command -v abidiff; } >/dev/null || { echo "SKIPPED: no abigail-tools" >&2; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
bad=0

for name; do
  abidw --headers-dir "$source/include" --drop-private-types --exported-interfaces-only --suppressions "$here/abi.suppr" \
    --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-parameter-names --type-id-style hash \
    --out-file "$folder/$name.abi" "$build/lib$name.so" || { echo "abi: abidw failed on lib$name.so" >&2; exit 1; }
  if [ $record = yes ]; then
    cp "$folder/$name.abi" "$here/lib$name.abi"
    continue
  fi
  grep -q "function-decl" "$folder/$name.abi" || { echo "SKIPPED: lib$name.so has no debug information" >&2; exit 77; }
  abidiff --no-added-syms --suppressions "$here/abi.suppr" "$here/lib$name.abi" "$folder/$name.abi" >"$folder/report" || {
    cat "$folder/report"
    echo "abi: lib$name.so differs from tests/library/lib$name.abi; docs/stability.md says what to do" >&2
    bad=1
  }
done
exit $bad
