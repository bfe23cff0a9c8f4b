#!/bin/sh
# SPDX-License-Identifier: MIT
# The processors' own counters, in a guest of two sockets: pcm-raw, likwid-perfctr and pcm itself measure a part of a
# scenario each. Instructions and cycles of each core equal those of the machine's account, to the last digit that a
# tool prints; pcm's values for memory and links equal those of pmon stat. The kernel uses the uncore's counters, but
# not these. Needs a QEMU that vm/qemu/build.sh made: PMON_VM_QEMU or Meson's option vm_qemu names it.
# Usage: pcm.sh PMON SCENARIO QEMU
pmon=$1 scenario=$2 qemu=${PMON_VM_QEMU:-$3} what="pcm was not tried in a guest"
. "$(dirname "$0")/guest.sh"
need_qemu busybox perf xz pcm pcm-raw likwid-perfctr
"$qemu" -device help | grep -q '"pmon-counters"' ||
  skip "$qemu was built by an older vm/qemu/build.sh, without counters of the processor; remedy: build it anew"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
{ tool_step; cat <<'END'; } >"$work/script"
grep -q arch_perfmon /proc/cpuinfo && echo flagged
ls /sys/bus/event_source/devices | sed -n 's/^\(cpu\|uncore_imc_.\)$/driver \1/p'
export PCM_NO_PERF=1
pcm-raw 1000 -i=1 -e core/config=0x4300c0,name=GENERAL/ -e core/config=0x4302d4,name=OTHER/ \
  -e core/fixed,config=0x333/ -- sh /tmp/step 10000000 wake 2>&1 | sed 's/^/raw /'
G=INSTR_RETIRED_ANY:FIXC0,CPU_CLK_UNHALTED_CORE:FIXC1,CPU_CLK_UNHALTED_REF:FIXC2
likwid-perfctr -M 0 -f -O -c 0,1 -g $G sh /tmp/step 15000000 | sed 's/^/likwid /'
pcm 1000 -i=1 -csv=/tmp/csv -- sh /tmp/step "" wake >&2
sed 's/^/pcm /' /tmp/csv
END
"$pmon" vm --qemu "$qemu" --timeout 1800 --instruction-ns 4 --sockets 2 --scenario "$scenario" --with pcm \
  --with pcm-raw --with likwid-perfctr -- sh -c "$(cat "$work/script")" >"$work/out" 2>"$work/errors"
booted $? "$work/out" "$work/errors"
# The machine's account up to the end of each part: that of the scenario without the later parts.
for part in 1 2 3; do
  sed "/^# part $((part + 1))/,\$d" "$scenario" >"$work/part"
  "$pmon" machine run -p snbep --scenario "$work/part" | tr -d , | sed "s/^/account $part /" || exit 1
done >"$work/account"
"$pmon" stat -p snbep --csv --per-unit --scenario "$scenario" \
  -e imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/,qpi/RxL_FLITS_G1.DRS_DATA/,qpi/RxL_FLITS_G2.NCB_DATA/ >"$work/stat" || exit 1
sed 's/^/stat /' "$work/stat" | cat "$work/account" - "$work/out" | awk -f "$(dirname "$0")/pcm.awk" >"$work/beside"
compare <"$work/beside"
[ "$moved" -eq 45 ] || { echo "$moved of the numbers are more than nothing, and not 45"; failed=1; }
grep -q '^flagged$' "$work/out" || { echo "/proc/cpuinfo does not report the counters"; failed=1; }
[ "$(grep -c '^driver ' "$work/out")" -eq 4 ] && ! grep -q '^driver cpu' "$work/out" ||
  { echo "the kernel has not the uncore's PMUs alone"; failed=1; }
[ $failed -eq 0 ] || { echo "not all count the same"; cat "$work/out" "$work/errors" "$work/account" "$work/stat"; }
exit $failed
