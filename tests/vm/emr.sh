#!/bin/sh
# SPDX-License-Identifier: MIT
# An unmodified kernel finds Emerald Rapids' units by the machine's discovery page, and perf counts on all ten kinds of them
# what pmon stat counts: a scenario's events, and clocks. Needs a QEMU that vm/qemu/build.sh made: PMON_VM_QEMU or Meson's
# option vm_qemu names it. Usage: emr.sh PMON SCENARIO QEMU
pmon=$1 scenario=$2 qemu=${PMON_VM_QEMU:-$3} what="no guest saw Emerald Rapids"
. "$(dirname "$0")/guest.sh"
[ -n "$qemu" ] || skip "neither PMON_VM_QEMU nor the option vm_qemu names a QEMU that vm/qemu/build.sh made"
need "$qemu" busybox perf xz
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
events="cha/TOR_INSERTS.IA_MISS/ imc/CAS_COUNT.RD/ m2m/IMC_READS.ALL/ upi/TxL_FLITS.ALL_DATA/
  iio/DATA_REQ_OF_CPU.MEM_WRITE.PART0/ cha/CLOCKTICKS/ m2m/CLOCKTICKS/ upi/CLOCKTICKS/ iio/CLOCKTICKS/
  irp/CLOCKTICKS/ m2pcie/CLOCKTICKS/ m3upi/CLOCKTICKS/ mdf/Clockticks/ pcu/CLOCKTICKS/"
for event in $events; do               # the kernel's event is the control register as pmon encodes it
  code=$("$pmon" -p emr encode "$event" | sed -n 's/.*_CTL0 .*= \(0x[0-9a-f]*\).*/\1/p' | head -n 1)
  echo "$event uncore_${event%%/*}/config=$code/"
done >"$work/events"
ours=$(cut -d ' ' -f 1 "$work/events" | paste -sd , -) theirs=$(cut -d ' ' -f 2 "$work/events" | paste -sd , -)
"$pmon" stat -p emr --csv --per-socket --scenario "$scenario" -e "$ours" >"$work/pmon" || exit 1
"$pmon" -p emr vm --qemu "$qemu" --scenario "$scenario" --log "$work/log" -- sh -c "
  ls -1 /sys/bus/event_source/devices >&2; perf stat -x ' ' -a -e '$theirs' pmon-step 2>/tmp/counts; cat /tmp/counts" \
  >"$work/perf" 2>"$work/pmus"
booted $? "$work/pmus" "$work/perf"
join_counts "$work/pmon" "$work/perf" <"$work/events" >"$work/counts"
compare <"$work/counts"
while read -r unit many; do
  found=$(grep -cE "^uncore_${unit}(_[0-9]+)?$" "$work/pmus")
  [ "$found" -eq "$many" ] || { echo "the kernel has $found PMUs of $unit, not $many"; failed=1; }
done <<END
cha 64
imc 8
m2m 4
upi 4
m3upi 4
iio 10
irp 10
m2pcie 10
mdf 14
pcu 1
END
[ $failed -eq 0 ] || { echo "perf or the kernel sees it otherwise"; cat "$work/pmus" "$work/perf"; }
[ $moved -eq 14 ] || { echo "only $moved of the events happened"; failed=1; }
"$pmon" machine replay -p emr --scenario "$scenario" "$work/log" || failed=1
exit $failed
