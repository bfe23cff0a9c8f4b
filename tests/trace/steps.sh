#!/bin/sh
# SPDX-License-Identifier: MIT
# Chains of instructions take the sum of their latencies, within 2 %; six chains are limited by the core's issue width;
# a locked instruction and a fence wait; a branch on random numbers is mispredicted half the time. All of the core's
# time has a cause. The machine's own figures are the reference; each kind is also run with another value of its
# parameter.
# usage: steps.sh PMON STEPS DEPENDENCES
set -u
pmon=$1 steps=$2 dependences=$3
command -v qemu-x86_64 >/dev/null || { echo "SKIPPED: no qemu-x86_64" >&2; exit 77; }
[ "$dependences" = yes ] || { echo "SKIPPED: the plugin is built without Zydis" >&2; exit 77; }
bad=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# prints rows of a run's account, in its order; a run that fails leaves a file, since it is in a shell of its own
rows() {
  names=$1
  shift
  timeout -s KILL 600 "$pmon" machine run "$@" </dev/null >"$dir/account" 2>"$dir/errors" ||
    echo "$*: $(cat "$dir/errors")" >>"$dir/failed"
  awk -v names=" $names " 'index(names, " " $1 " ") { gsub(",", "", $2); print $2 }' "$dir/account" | paste -s -d ' '
}
# prints the cycles of 3 GHz that a step takes, from the difference of 2,000 and 202,000 steps
cycles() {
  kind=$1
  shift
  a=$(rows simulated_fs "$@" -- "$steps" "$kind" 2000)
  b=$(rows simulated_fs "$@" -- "$steps" "$kind" 202000)
  awk -v a="$a" -v b="$b" 'BEGIN { printf "%.3f", (b - a) / 200000 / 1e9 * 3000 }'
}
# arguments: description, minimum, maximum, actual value
between() {
  awk -v what="$1" -v least="$2" -v most="$3" -v is="$4" 'BEGIN {
    good = is != "" && is >= least && is <= most
    printf "%s: %s, to be from %s to %s%s\n", what, is, least, most, good ? "" : "  WRONG"
    exit !good }' || bad=1
}
chain() {
  between "$1" "$(awk -v c="$2" 'BEGIN { print c * 0.98 }')" "$(awk -v c="$2" 'BEGIN { print c * 1.02 }')" "$3"
}

chain '32 additions' 32 "$(cycles add)"
chain '8 multiplications' 24 "$(cycles mul)"
chain '8 multiplications of 5 cycles' 40 "$(cycles mul --set latency.mul=5)"
chain '8 floating-point additions' 24 "$(cycles fadd)"
chain '8 floating-point multiplications' 32 "$(cycles fmul)"
chain '2 floating-point divisions' 26 "$(cycles fdiv)"
chain '2 multiplications and 2 additions' 8 "$(cycles mixed)"
# more than a block's summary counts of a kind: the block has several records
chain '40 multiplications' 120 "$(cycles muls)"
chain '20 floating-point divisions' 260 "$(cycles fdivs)"
chain '40 dependent loads' 200 "$(cycles loads)"
between '20 locked additions' 360 380 "$(cycles lockeds)"
between 'a string of 64 bytes' 10 20 "$(cycles stores)"
between '36 additions in 6 chains' 6 7 "$(cycles wide)"
between 'the same, 4 a cycle' 9 10 "$(cycles wide --set core.width=4)"
between 'a locked addition' 18 24 "$(cycles locked)"
between 'a fence' 30 36 "$(cycles fence)"
between 'a random branch, 20 cycles more' 8 12 \
  "$(awk -v a="$(cycles branch)" -v b="$(cycles branch --set core.mispredict=37)" 'BEGIN { print b - a }')"
# The causes of the core's time add up to all of it; a misprediction that costs 20 cycles more adds them to the waits
# for branches, and to nothing else.
causes='branches branch_misses issue_fs fetch_stall_fs walk_stall_fs load_stall_fs store_stall_fs branch_stall_fs fence_stall_fs cycles'
{
  rows "$causes" -- "$steps" branch 22000
  rows "$causes" --set core.mispredict=37 -- "$steps" branch 22000
} | awk '
  { all = 0; for (i = 3; i <= 9; i++) all += $i }
  { printf "causes %.0f fs, %d cycles, issue %.0f, branches %.0f of %d wrong\n", all, $10, $3, $8, $2 }
  !(all / 1e9 * 3000 > $10 - 2 && all / 1e9 * 3000 < $10 + 2 && $10 > 100000 && $3 > 0 && $3 < all) { bad = 1 }
  NR == 2 {
    more = ($8 - branches) / 1e9 * 3000
    good = $2 == wrong && more > 19.99 * wrong && more < 20.01 * wrong && $3 > 0.99 * issue && $3 < 1.01 * issue
    printf "20 cycles more for each of %d: %.0f cycles%s\n", wrong, more, good ? "" : "  WRONG"
    bad += !good
  }
  { wrong = $2; issue = $3; branches = $8 }
  END { exit bad || NR != 2 }' || bad=1
[ ! -e "$dir/failed" ] || { cat "$dir/failed"; bad=1; }
exit $bad
