#!/bin/sh
# SPDX-License-Identifier: MIT
# Installed files have a read-only relocation table that is complete at the start, no executable stack, no writable
# code, and are position-independent. With -Dhardened=true they also have what those of the build's flags provide that
# the compiler supports: each file checks its stack and its buffers, and its functions begin where an indirect branch
# may land (CET). Usage: hardening.sh "FLAG ..." FILE... (no flags: -Dhardened=false)
set -u
command -v readelf >/dev/null && command -v objdump >/dev/null || { echo "no readelf or objdump (binutils)" >&2; exit 1; }
flags=" $1 "
shift
bad=0 n=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lacks() { echo "$1: $2"; bad=1; }
has() { case $flags in *" $1"*) true ;; *) false ;; esac; }

# The functions that the file exports. A program exports none: its table entries suffice.
count_landings() { objdump -d -j .text "$1" | grep -c 'endbr64'; }

for file; do
  n=$((n + 1))
  readelf -hldW "$file" >"$work/elf" || lacks "$file" "readelf"
  readelf -W --dyn-syms "$file" >"$work/symbols"
  grep -q 'Type: *DYN' "$work/elf" || lacks "$file" "no position-independent code"
  grep -q 'GNU_RELRO' "$work/elf" || lacks "$file" "relocations stay writable"
  grep -Eq 'BIND_NOW|Flags:.* NOW' "$work/elf" || lacks "$file" "functions are bound late"
  grep -q 'GNU_STACK.* RW ' "$work/elf" || lacks "$file" "executable stack"
  grep -q 'LOAD.* RWE ' "$work/elf" && lacks "$file" "writable code"
  grep -q 'TEXTREL' "$work/elf" && lacks "$file" "relocations in code"
  if has -fstack-protector; then
    grep -q '__stack_chk_fail' "$work/symbols" || lacks "$file" "no stack protector"
  fi
  if has -D_FORTIFY_SOURCE; then
    sed 's/__stack_chk//' "$work/symbols" | grep -q '_chk@' || lacks "$file" "no FORTIFY"
  fi
  if has -fcf-protection; then
    [ "$(count_landings "$file")" -ge 10 ] || lacks "$file" "no CET"
  fi
done
[ "$n" -ge 5 ] || { echo "$n files"; bad=1; }
exit $bad
