#!/bin/sh
# SPDX-License-Identifier: MIT
# turbostat (Debian: linux-cpupower) in a guest: joules of package and memory equal pmon's counts of the same scenario,
# and the time in which the energy counter wraps follows from the processor's thermal design power. Usage: turbostat.sh
# PMON
pmon=$1 what="turbostat did not run in a guest"
. "$(dirname "$0")/guest.sh"
PATH=$PATH:/usr/sbin
need qemu-system-x86_64 busybox xz turbostat
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf '%s\n' 'thread 0 on core 0: random modify 64M count 60k shared all' 'thread 0 on core 0: sleep 100ms' >"$work/scenario"
"$pmon" stat -p snbep --csv --per-socket --scenario "$work/scenario" -e rapl/PKG_ENERGY/,rapl/DRAM_ENERGY/ >"$work/pmon" || exit 1
"$pmon" vm --timeout 900 --instruction-ns 4 --scenario "$work/scenario" --with "$(command -v turbostat)" -- sh -c '
turbostat --quiet -J --show Pkg_J,RAM_J pmon-step
turbostat --num_iterations 1 --interval 0.1 2>&1 | grep RAPL:' >"$work/out" 2>"$work/err"
booted $? "$work/err"
cat "$work/out" "$work/err"
# turbostat prints two decimals.
awk -F , '$5 == 0 && $4 ~ /^rapl/ { printf "%s%.2f", n++ ? "\t" : "", $8 } END { print "" }' "$work/pmon" >"$work/joules"
cat "$work/joules"
[ "$(wc -c <"$work/joules")" -gt 5 ] || { echo "pmon counts no energy"; exit 1; }
grep -q "^$(cat "$work/joules")" "$work/err" "$work/out" || { echo "turbostat has other joules than pmon"; exit 1; }
grep -q 'RAPL: 504 sec. Joule Counter Range, at 130 Watts' "$work/out" || { echo "the counter's range is not that of 130 W"; exit 1; }
