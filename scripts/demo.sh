#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes a few MB of text, always the same, and measures `sort` on it on the emulated two-socket Emerald Rapids.
set -eu
cd "$(dirname "$0")/.."
input=build/demo.txt
awk 'BEGIN { x = 1; for (i = 0; i < 60000; i++) { x = (x * 16807) % 2147483647; printf "%010d record %d of the demonstration\n", x, i } }' >"$input"
echo "\$ pmon stat --set numa=interleave -- sort $input -o build/demo.sorted"
LC_ALL=C exec build/pmon stat --set numa=interleave -- sort "$input" -o build/demo.sorted
