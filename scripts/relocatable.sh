#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes a static library of one object whose hidden symbols are local, so that a program which links it sees the
# exported names only. Usage: relocatable.sh OBJCOPY AR INPUT.a OUTPUT.a COMPILER...
set -eu
objcopy=$1 ar=$2 input=$3 output=$4
shift 4
object=$output.o
trap 'rm -f "$object"' EXIT
"$@" -r -nostdlib -o "$object" -Wl,--whole-archive "$input" -Wl,--no-whole-archive
"$objcopy" --localize-hidden --remove-section=.llvm_addrsig "$object"
rm -f "$output"
"$ar" rcs "$output" "$object"
