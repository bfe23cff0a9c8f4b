#!/bin/sh
# SPDX-License-Identifier: MIT
# An unmodified kernel finds Emerald Rapids' units by the machine's discovery page. For all ten kinds of units, perf,
# pmon through the kernel's driver and pmon through registers count 20 us of a scenario each; the counts equal those of
# pmon stat: the kinds' own events and clocks. pmon is killed while it counts, and `pmon restore` restores the
# registers; the output of `pmon capture` before and after shows this. Needs a QEMU that vm/qemu/build.sh made:
# PMON_VM_QEMU or Meson's option vm_qemu names it. Usage: emr.sh PMON SCENARIO QEMU
pmon=$1 scenario=$2 qemu=${PMON_VM_QEMU:-$3} what="no guest saw Emerald Rapids"
. "$(dirname "$0")/guest.sh"
need_qemu busybox perf xz rdmsr
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
emr_events
"$pmon" stat -p emr -I 0.02 --csv --per-socket --scenario "$scenario" -e "$ours" >"$work/pmon" || exit 1
cat >"$work/script" <<'END'
ls -1 /sys/bus/event_source/devices >&2
perf stat -x ' ' -o /tmp/linux -a -e $theirs pmon-step 20000
pmon stat --backend perf --csv --per-socket -o /tmp/perf -e $ours pmon-step 20000
pmon stat --backend direct --csv --per-socket -o /tmp/registers -e $ours pmon-step 20000
for f in linux perf registers; do sed "s/^/$f /" /tmp/$f; done
state() { rdmsr 0x2000; rdmsr 0x2002; rdmsr 0x2fde; rdmsr 0x2008; }
echo before $(state)
pmon stat --backend direct -e $ours -- sh -c 'pmon-step 1000; kill -9 $PPID'
echo killed $?
echo between $(state)
pmon capture -o /tmp/captured
echo captured $?
sed 's/^/captured /' /tmp/captured
pmon restore
echo restored $? $(ls /run | grep -c journal)
echo after $(state)
END
"$pmon" -p emr vm --timeout 900 --qemu "$qemu" --scenario "$scenario" --log "$work/log" \
  -- sh -c "theirs=$theirs ours=$ours; $(cat "$work/script")" >"$work/out" 2>"$work/pmus"
booted $? "$work/pmus" "$work/out"
while read -r event perf; do
  of() { awk -F , -v e="$event" -v begin="$1" '$4 == e && $5 == 0 && $1 == begin { print $8 }' "$work/pmon"; }
  pmon_on() { sed -n "s/^$1 //p" "$work/out" | awk -F , -v e="$event" '$4 == e && $5 == 0 { print $8 }'; }
  echo "linux:$event $(of 0.000000000) $(awk -v e="$perf" '$1 == "linux" && $3 == e { print $2 }' "$work/out")"
  echo "perf:$event $(of 0.000020000) $(pmon_on perf)"
  echo "registers:$event $(of 0.000040000) $(pmon_on registers)"
done <"$work/events" >"$work/counts"
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
state() { sed -n "s/^$1 //p" "$work/out"; }
[ -n "$(state before)" ] && [ "$(state before)" = "$(state after)" ] || { echo "not what it was"; failed=1; }
[ "$(state before)" != "$(state between)" ] || { echo "nothing was programmed"; failed=1; }
[ "$(state killed)" = 137 ] && [ "$(state restored)" = "0 0" ] || { echo "pmon was not killed or not restored"; failed=1; }
[ $failed -eq 0 ] || { echo "perf, pmon or the kernel sees it otherwise"; cat "$work/pmus" "$work/out"; }
[ $moved -eq 42 ] || { echo "only $moved of the counts are more than nothing"; failed=1; }
# The capture that the guest printed while the counters were frozen, examined here: the whole page, and the reasons why
# counters do not count.
sed -n 's/^captured \([^0]\)/\1/p' "$work/out" >"$work/captured"
"$pmon" discover --replay "$work/captured" >"$work/discovered" || failed=1
grep -q "^no differences between the page and the tables" "$work/discovered" || { tail -n 3 "$work/discovered"; failed=1; }
"$pmon" doctor --replay "$work/captured" >"$work/doctor" && { echo "the capture shows no frozen counter"; failed=1; }
grep -q "is programmed by another program" "$work/doctor" || { cat "$work/doctor"; failed=1; }
"$pmon" machine replay -p emr --scenario "$scenario" "$work/log" || failed=1
exit $failed
