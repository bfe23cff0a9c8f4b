#!/bin/sh
# SPDX-License-Identifier: MIT
# What is installed has a read-only relocation table that is complete at the start, no executable stack, no writable code,
# and loads at any address; with -Dhardened=true it checks its stack and its buffers. Usage: hardening.sh yes|no FILE...
set -u
command -v readelf >/dev/null || { echo "SKIPPED: no readelf" >&2; exit 77; }
compiled=$1
shift
bad=0 n=0
lacks() { echo "$1: $2"; bad=1; }
for file; do
  n=$((n + 1))
  readelf -hldW "$file" >"$file.elf" || lacks "$file" "readelf"
  grep -q 'Type: *DYN' "$file.elf" || lacks "$file" "no position-independent code"
  grep -q 'GNU_RELRO' "$file.elf" || lacks "$file" "relocations stay writable"
  grep -Eq 'BIND_NOW|Flags:.* NOW' "$file.elf" || lacks "$file" "functions are bound late"
  grep -q 'GNU_STACK.* RW ' "$file.elf" || lacks "$file" "executable stack"
  grep -q 'LOAD.* RWE ' "$file.elf" && lacks "$file" "writable code"
  grep -q 'TEXTREL' "$file.elf" && lacks "$file" "relocations in code"
  rm -f "$file.elf"
  if [ "$compiled" = yes ]; then
    readelf -W --dyn-syms "$file" | grep -q '__stack_chk_fail' || lacks "$file" "no stack protector"
  fi
done
if [ "$compiled" = yes ]; then
  readelf -W --dyn-syms "$1" | grep -q '_chk@' || lacks "$1" "no FORTIFY"
  readelf -nW "$1" | grep -q 'IBT' || echo "$1: no CET: some object has none" >&2
fi
[ "$n" -ge 5 ] || { echo "$n files"; bad=1; }
exit $bad
