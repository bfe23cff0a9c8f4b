#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes a few MB of text, always the same, and measures `sort` on it on the emulated two-socket Emerald Rapids.
set -eu
cd "$(dirname "$0")/.."
input=build/demo.txt
awk 'BEGIN { x = 1; for (i = 0; i < 60000; i++) { x = (x * 16807) % 2147483647; printf "%010d record %d of the demonstration\n", x, i } }' >"$input"
echo "\$ pmon stat --set numa=interleave -- sort $input -o build/demo.sorted"
# The folder is named so that the loader does not map its cache, whose length on each host shifts all that comes behind
# it by some pages: how often a row of DRAM is open then depends on what else is installed (37 % or 53 % on socket 0).
LC_ALL=C LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu exec build/pmon stat --set numa=interleave -- sort "$input" -o build/demo.sorted
