#!/bin/sh
# SPDX-License-Identifier: MIT
# Emerald Rapids with two sockets of two processors each: an unmodified kernel finds the discovery pages of both. perf,
# pmon through the kernel's driver and pmon through registers count 20 us of a scenario each, and the counts of every
# unit of each socket equal those of `pmon stat`, including the UBox and the CXL blocks. During the measurement, the
# processor through which the second socket is read goes offline, and its neighbour takes over. The pages in the output
# of `pmon capture` agree with the tables. Needs a QEMU that vm/qemu/build.sh made: PMON_VM_QEMU or Meson's option
# vm_qemu names it.
# Usage: emr_sockets.sh PMON SCENARIO QEMU
pmon=$1 scenario=$2 qemu=${PMON_VM_QEMU:-$3} what="no guest saw two sockets of Emerald Rapids"
. "$(dirname "$0")/guest.sh"
need_qemu busybox perf xz
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
emr_events
# Units to which the kernel refers by their number in the page; pmon reads the CXL units through registers.
cat >>"$work/events" <<'END'
ubox/M2U_MISC2.RxC_CYCLES_EMPTY_BL/ uncore_type_5/config=0x24e/
cxlcm/CLOCKTICKS.Clockticks/ uncore_type_12/config=0x101/
cxldp/CLOCKTICKS.Clockticks/ uncore_type_13/config=0x101/
END
ours=$ours,ubox/M2U_MISC2.RxC_CYCLES_EMPTY_BL/ cxl=cxlcm/CLOCKTICKS.Clockticks/,cxldp/CLOCKTICKS.Clockticks/
theirs=$(cut -d ' ' -f 2 "$work/events" | paste -sd , -)
"$pmon" stat -p emr -I 0.02 --csv --per-unit --scenario "$scenario" -e "$ours,$cxl" >"$work/pmon" || exit 1
cat >"$work/script" <<'END_OF_SCRIPT'
devices=/sys/bus/event_source/devices
echo pages $(for d in 67 e7; do cat /sys/bus/pci/devices/0000:$d:03.1/local_cpulist; done)
echo cpumask $(cat $devices/uncore_*/cpumask | sort -u)
cat >/tmp/command <<'COMMAND'
pmon-step 10000
echo 0 >/sys/devices/system/cpu/cpu2/online
pmon-step 10000
echo reads $(cat /sys/bus/event_source/devices/uncore_imc_0/cpumask)
echo 1 >/sys/devices/system/cpu/cpu2/online
until grep -q '^0-3$' /sys/devices/system/cpu/online; do :; done
COMMAND
perf stat -x ' ' -o /tmp/linux -a --per-socket --no-merge -e $theirs sh /tmp/command
pmon stat --backend perf --csv --per-unit -o /tmp/perf -e $ours sh /tmp/command
pmon stat --backend direct --csv --per-unit -o /tmp/registers -e $ours,$cxl sh /tmp/command
pmon capture -o /tmp/captured
for f in linux perf registers captured; do sed "s/^/$f /" /tmp/$f; done
END_OF_SCRIPT
"$pmon" -p emr vm --timeout 900 --qemu "$qemu" --sockets 2 --processors 2 --scenario "$scenario" --log "$work/log" \
  -- sh -c "theirs='$theirs' ours='$ours' cxl='$cxl'; $(cat "$work/script")" >"$work/out" 2>"$work/errors"
booted $? "$work/errors" "$work/out"
# Prints `NAME WANTED COUNT` of each unit: linux counts the scenario's first 20 us, the others the next two steps of 20
# us.
awk '
BEGIN { tool[0] = "linux"; tool[1] = "perf"; tool[2] = "registers" }
FILENAME ~ /events$/ { name[$2] = $1; next }
FILENAME ~ /pmon$/ {
  split($0, field, ",")
  if (field[4] ~ /\// && field[1] < 0.00005)
    want[tool[int(field[1] * 5e4 + 0.5)], field[4], field[5], field[7]] = field[8]
  next
}
/^(perf|registers) / { split($2, field, ","); if (field[4] ~ /\//) got[$1, field[4], field[5], field[7]] = field[8] }
/^linux S/ {
  pmu = of = $5
  sub(/\/.*/, "", pmu)
  sub(/[^\/]*/, "", of)
  number = 0
  if (!(pmu of in name)) {                 # the last number of several PMUs of a kind
    number = substr(pmu, match(pmu, /[0-9]+$/))
    sub(/_[0-9]+$/, "", pmu)
  }
  got[$1, name[pmu of], substr($2, 2), number] = $4
}
END {
  for (k in want) {
    split(k, part, SUBSEP)
    if (part[1] == "perf" && part[2] ~ /^cxl/)
      continue
    print part[1] ":" part[2] ":socket" part[3] ":" part[4], want[k], got[k]
  }
}' "$work/events" "$work/pmon" "$work/out" | sort >"$work/counts"
compare <"$work/counts" >"$work/beside"
lines=$(wc -l <"$work/counts")
echo "$lines counts, $moved of them more than nothing"
[ $failed -eq 0 ] || { echo "not what is wanted:"; awk '$2 != $4 ","' "$work/beside"; }
# 212 counts of each socket's units by each of the three, and 12 more of its CXL blocks by two of them.
[ "$lines" -eq $((2 * (3 * 212 + 2 * 12))) ] && [ $moved -ge 1200 ] || { echo "not as many as there are"; failed=1; }
grep -E "^(pages|cpumask|reads) " "$work/out" | sort | uniq -c | sed 's/^ *//' >"$work/reads"
printf '1 cpumask 0,2\n1 pages 0-1 2-3\n3 reads 0,3\n' | cmp -s - "$work/reads" ||
  { echo "read otherwise:"; cat "$work/reads"; failed=1; }
sed -n 's/^captured //p' "$work/out" >"$work/captured"
"$pmon" discover --replay "$work/captured" >"$work/discovered" || failed=1
grep -q "^package 1" "$work/discovered" && grep -q "^no differences between the page and the tables" "$work/discovered" ||
  { cat "$work/discovered"; failed=1; }
"$pmon" machine replay -p emr --scenario "$scenario" "$work/log" || failed=1
[ $failed -eq 0 ] || cat "$work/errors"
exit $failed
