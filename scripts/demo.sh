#!/bin/sh
# SPDX-License-Identifier: MIT
# Generates a few MB of text, always the same, and measures `sort` on it on the emulated two-socket Emerald Rapids.
set -eu
cd "$(dirname "$0")/.."
input=build/demo.txt
awk 'BEGIN { x = 1; for (i = 0; i < 60000; i++) { x = (x * 16807) % 2147483647; printf "%010d record %d of the demonstration\n", x, i } }' >"$input"
rm -f build/demo.sorted # sort behaves differently if its output exists
echo "\$ pmon stat --set numa=interleave -- sort --parallel=1 --buffer-size=200M $input -o build/demo.sorted"
# Equal on each host: sort has a fixed number of threads and amount of memory, which it would otherwise take from the
# host. The size of the environment shifts the stack, and with it the DRAM page hits. LD_LIBRARY_PATH names the folder
# so that the loader does not map its cache, whose length depends on the host, with the same effect.
exec env -i PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu \
  build/pmon stat --set numa=interleave -- sort --parallel=1 --buffer-size=200M "$input" -o build/demo.sorted
