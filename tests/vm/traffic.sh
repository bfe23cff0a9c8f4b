#!/bin/sh
# SPDX-License-Identifier: MIT
# A guest whose own accesses make the counters count: a program reads a number of megabytes repeatedly, and perf's
# counts of memory, home agent and caching agents in the guest must match. Usage: traffic.sh PMON STREAM
pmon=$1 stream=$2 mb=4 passes=8
skip() { echo "SKIPPED: no guest was followed: $1"; exit 77; }
for tool in qemu-system-x86_64 busybox perf xz; do
  command -v $tool >/dev/null || skip "$tool is not here"
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# The first three are a group on one channel, started and stopped together; the others cover all boxes of their kind.
# The caching agents are measured separately: their registers are MSRs, and each access to one advances QEMU's clock a
# little.
M=uncore_imc/event=0x4,umask=0x3/
E='{uncore_imc_0/event=0x4,umask=0x3/,uncore_imc_0/event=0x4,umask=0xc/,uncore_imc_0/event=0x4,umask=0xf/}'
E=$E,$M,uncore_ha/event=0x1,umask=0x3/
C=uncore_cbox/event=0x35,umask=0xa/
# Caches of 1.5 MB in all, so that the program's data do not stay in them; and no prefetcher, so that only the data are
# read. The guest's clock advances with its instructions: the number of timer interrupts that are counted, too, does not
# depend on the host.
options="--traffic guest --instruction-ns 4 --set llc.size=160K --set prefetch=off --with $stream"
ended() {   # exit code of a guest
  if [ "$1" -eq 3 ]; then cat "$work/perf"; skip "no kernel, or no plugin"; fi
  [ "$1" -eq 0 ] || { cat "$work/perf"; exit 1; }
}
# A program that is started for the first time is read from the guest's files: the first iteration is ignored.
"$pmon" vm --timeout 900 $options -- sh -c "
for n in 0 0 $passes; do perf stat -x ' ' -a -e '$E' -- vm_stream $mb \$n || exit 1; done
perf stat -x ' ' -a -e '$C' -- vm_stream $mb 1 &&
perf stat -x ' ' -a -e uncore_cbox_0/event=0/ -- pmon-step 3000000" >"$work/out" 2>"$work/perf"
ended $?
awk -v lines=$((mb * passes * 16384)) -v written=$((mb * 16384)) '
function off(a, b) { return a > b ? (a - b) / b : (b - a) / b }
function check(what, ok) { print what; if (!ok) { print "  which is not so"; failed = 1 } }
/^[0-9]/ && ++all > 5 { n[++found] = $1 }
END {
  if (found != 12) { print found + 0 " counts, not 12"; exit 1 }
  for (i = 0; i < 10; i += 5) {
    check("a channel\047s CAS commands " n[i + 3] " = reads " n[i + 1] " + writes " n[i + 2],
          n[i + 1] > 0 && n[i + 3] == n[i + 1] + n[i + 2])
    check("reads of memory " n[i + 4] ", of the home agent " n[i + 5] ": the same within 1%",
          off(n[i + 4], n[i + 5]) < 0.01)
    check("a channel has a quarter of them", off(n[i + 1], n[i + 4] / 4) < 0.05)
  }
  check("memory that was written is read once first: " n[4] " is no less than " written, n[4] >= written)
  check("reads of the passes alone: " n[9] - n[4] " is " lines " within 2%", off(n[9] - n[4], lines) < 0.02)
  check("misses of the caching agents: " n[11] " is no less than what is written and read, nor ten times that",
        n[11] >= 2 * written && n[11] < 20 * written)
  check("3 ms are " n[12] " cycles of 2.7 GHz, and no second", n[12] >= 8100000 && n[12] < 2700000000)
  exit failed
}' "$work/perf" || { cat "$work/perf"; exit 1; }

# Two sockets of one processor each: a program on one causes reads of that socket's memory, and requests to its home
# agent.
"$pmon" vm --timeout 900 $options --sockets 2 -- sh -c "
for cpu in 0 1; do for n in 0 0 $passes; do
  taskset -c \$cpu perf stat --per-socket -x ' ' -a -e $M -- vm_stream $mb \$n || exit 1
done; done" >"$work/out" 2>"$work/perf"
ended $?
awk -v lines=$((mb * passes * 16384)) '
function least(a, b) { return a < b ? a : b }
/^S/ { n[++found] = $3 }
END {
  if (found != 12) { print found + 0 " counts, not 12"; exit 1 }
  for (cpu = 0; cpu < 2; cpu++) {
    # Without passes: the smaller of two runs, because other activity in the guest (it may still be booting) only adds.
    own = n[6 * cpu + 5 + cpu] - least(n[6 * cpu + 1 + cpu], n[6 * cpu + 3 + cpu])
    other = n[6 * cpu + 6 - cpu] - least(n[6 * cpu + 2 - cpu], n[6 * cpu + 4 - cpu])
    print "the passes on processor " cpu ": " own " reads of its memory, " other " of the other, for " lines " lines"
    if (own < lines * 0.98 || own > lines * 1.02 || other > lines * 0.02 || other < -lines * 0.02) failed = 1
  }
  exit failed
}' "$work/perf" || { cat "$work/perf"; exit 1; }
