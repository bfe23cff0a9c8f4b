#!/bin/sh
# SPDX-License-Identifier: MIT
# Decodes what binutils encodes: instructions of each row of the tables are assembled with random operands and
# completers, and the decoder's text must equal objdump's, line by line. Usage: decode.sh LISTING-PROGRAM
set -u
listing=$1
want=60000
command -v ia64-linux-gnu-as >/dev/null && command -v ia64-linux-gnu-objdump >/dev/null ||
  { echo "skipped: no binutils-ia64-linux-gnu (make setup installs it)"; echo "0 passed, 0 failed"; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0
check() { # what, condition's status
  if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi
}
"$listing" generate 20 $want >"$dir/cases.s"
check "operands for every row" $?
ia64-linux-gnu-as -xnone -mhint.b=ok "$dir/cases.s" -o "$dir/cases.o" >"$dir/as.txt" 2>&1
check "the assembler takes the text" $?
grep 'Error' "$dir/as.txt" | head -n 5
ia64-linux-gnu-objcopy -O binary -j .text "$dir/cases.o" "$dir/cases.bin"
# Removes addresses, bytes, the template's name and the second line of a long instruction.
ia64-linux-gnu-objdump -b binary -m ia64 -D "$dir/cases.bin" | sed '1,7d' | grep -v '^ *[0-9a-f]*:	[0-9a-f ]*$' |
  sed 's/^[^	]*	[^	]*	//; s/^\[[A-Z]*\]//; s/^ *//; s/ *$//' >"$dir/theirs.txt"
"$listing" disassemble "$dir/cases.bin" >"$dir/ours.txt"
check "the file is read" $?
lines=$(wc -l <"$dir/theirs.txt")
[ "$lines" -ge $((want * 2)) ]
check "$lines lines for $want instructions" $?
diff "$dir/theirs.txt" "$dir/ours.txt" >"$dir/diff.txt"
check "our text is objdump's" $?
head -n 20 "$dir/diff.txt"
echo "$lines instructions compared"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
