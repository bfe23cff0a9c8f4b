#!/bin/sh
# SPDX-License-Identifier: MIT
# A guest of two sockets of Emerald Rapids with two processors each, whose own accesses make the counters count: a
# program that reads so many megabytes so often, on the second processor of either socket, makes that one's memory be
# read so often and not the other's. pmon counts it through registers and through the kernel's driver. Needs a QEMU that
# vm/qemu/build.sh made: PMON_VM_QEMU or Meson's option vm_qemu names it. Usage: emr_traffic.sh PMON STREAM QEMU
pmon=$1 stream=$2 qemu=${PMON_VM_QEMU:-$3} mb=4 passes=4 what="no guest of Emerald Rapids was followed"
. "$(dirname "$0")/guest.sh"
need_qemu busybox xz
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# Caches of 1.4 MB in all, so that none of it stays in them; and no prefetcher that asks for more than is read. The
# guest's clock goes by its instructions, so that how often its timer ticks does not hang on the host.
"$pmon" -p emr vm --qemu "$qemu" --sockets 2 --processors 2 --traffic guest --instruction-ns 4 --set llc.size=20K \
  --set l2.size=128K --set prefetch=off --with "$stream" -- sh -c "
count() {    # backend, processor, passes
  pmon stat --backend \$1 --csv --per-socket -o /tmp/counts -e imc/CAS_COUNT.RD/,m2m/IMC_READS.ALL/ \\
    taskset -c \$2 vm_stream $mb \$3 2>/tmp/errors || cat /tmp/errors >&2
  sed \"s/^/\$1,\$2,\$3,/\" /tmp/counts
}
count direct 1 0 >/dev/null                # what programs bring from files is in the page cache afterwards
count perf 3 0 >/dev/null
for n in 0 $passes; do count direct 1 \$n; count perf 3 \$n; done" >"$work/out" 2>"$work/errors"
booted $? "$work/errors" "$work/out"
awk -F , -v lines=$((mb * passes * 16384)) -v written=$((mb * 16384)) -v passes=$passes '
function check(what, ok) { print what; if (!ok) { print "  which is not so"; failed = 1 } }
function near(a, b, part) { return a > b - b * part && a < b + b * part }
$7 ~ /^(imc|m2m)\// { n[$2, $3, $8, substr($7, 1, 3)] = $11; found++ }
END {
  if (found != 16) { print found + 0 " counts, not 16"; exit 1 }
  for (cpu = 1; cpu < 4; cpu += 2)
    for (socket = 0; socket < 2; socket++) {
      first = n[cpu, 0, socket, "imc"]
      more = n[cpu, passes, socket, "imc"] - first
      text = "on processor " cpu " the passes made socket " socket " read " more " lines of memory: "
      if (socket != int(cpu / 2)) {
        check(text "next to none", more < lines * 0.04 && more > -lines * 0.04)
        continue
      }
      check(text lines " within 4%", near(more, lines, 0.04))
      check("what was written there is read once first: " first " is no less than " written, first >= written)
      for (k = 0; k <= passes; k += passes)
        check("memory and mesh count the same reads within 1%: " n[cpu, k, socket, "imc"] " " n[cpu, k, socket, "m2m"],
              near(n[cpu, k, socket, "imc"], n[cpu, k, socket, "m2m"], 0.01))
    }
  exit failed
}' "$work/out" || { cat "$work/errors" "$work/out"; exit 1; }
