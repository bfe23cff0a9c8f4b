#!/bin/sh
# SPDX-License-Identifier: MIT
# A guest of two sockets of Emerald Rapids with two processors each, whose own accesses make the counters count: a
# program that reads a number of megabytes repeatedly, on the second processor of either socket, causes that many reads
# of the socket's memory, and none of the other's. pmon counts through registers and through the kernel's driver. Needs
# a QEMU that vm/qemu/build.sh made: PMON_VM_QEMU or Meson's option vm_qemu names it. Usage: emr_traffic.sh PMON STREAM
# QEMU
pmon=$1 stream=$2 qemu=${PMON_VM_QEMU:-$3} mb=4 passes=32 what="no guest of Emerald Rapids was followed"
. "$(dirname "$0")/guest.sh"
need_qemu busybox xz
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# Caches of 1.4 MB in all, so that the program's data do not stay in them; and no prefetcher, so that only the data are
# read. The guest's clock advances with its instructions, so that the number of its timer ticks does not depend on the
# host. Passes are cheap compared with the start of pmon in the guest, and numerous enough that the guest's other reads
# (30,000 to 50,000 lines for starting the programs, its timer and its kernel's threads) are a small part.
"$pmon" -p emr vm --timeout 900 --qemu "$qemu" --sockets 2 --processors 2 --traffic guest --instruction-ns 4 --set llc.size=20K \
  --set l2.size=128K --set prefetch=off --with "$stream" -- sh -c "
count() {    # backend, processor
  pmon stat --backend \$1 --csv --per-socket -o /tmp/counts -e imc/CAS_COUNT.RD/,m2m/IMC_READS.ALL/ \\
    taskset -c \$2 vm_stream $mb $passes 2>/tmp/errors || cat /tmp/errors >&2
  sed \"s/^/\$1,\$2,/\" /tmp/counts
}
count direct 1; count perf 3" >"$work/out" 2>"$work/errors"
booted $? "$work/errors" "$work/out"
# Lines are read before they are first written, hence one more pass.
awk -F , -v lines=$(((passes + 1) * mb * 16384)) '
function check(what, ok) { print what; if (!ok) { print "  which is not so"; failed = 1 } }
$6 ~ /^(imc|m2m)\// { n[$2, $7, substr($6, 1, 3)] = $10; found++ }
END {
  if (found != 8) { print found + 0 " counts, not 8"; exit 1 }
  for (cpu = 1; cpu < 4; cpu += 2)
    for (socket = 0; socket < 2; socket++) {
      got = n[cpu, socket, "imc"]
      text = "with the program on processor " cpu " socket " socket " read " got " lines of memory: "
      if (socket != int(cpu / 2)) {
        check(text "less than 2% of " lines, got < lines * 0.02)
        continue
      }
      check(text lines " and less than 4% more", got >= lines && got < lines * 1.04)
      mesh = n[cpu, socket, "m2m"]
      check("the mesh counts the same reads within 1%: " mesh, mesh > got * 0.99 && mesh < got * 1.01)
    }
  exit failed
}' "$work/out" || { cat "$work/errors" "$work/out"; exit 1; }
cat "$work/out"
