#!/bin/sh
# SPDX-License-Identifier: MIT
# One scenario measured twice, by `pmon stat` and by perf in a guest: the same counts to the last one. And the log of the
# guest's accesses, made again on a fresh machine without a guest, gets the same answers. Usage: scenario.sh PMON SCENARIO
pmon=$1 scenario=$2
skip() { echo "SKIPPED: no scenario was measured in a guest: $1"; exit 77; }
for tool in qemu-system-x86_64 busybox perf xz; do
  command -v $tool >/dev/null || skip "$tool is not here"
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/events" <<'END'
imc/CAS_COUNT.RD/ uncore_imc/event=0x4,umask=0x3/
imc/CAS_COUNT.WR/ uncore_imc/event=0x4,umask=0xc/
imc/ACT_COUNT/ uncore_imc/event=0x1/
ha/REQUESTS.READS/ uncore_ha/event=0x1,umask=0x3/
ha/REQUESTS.WRITES/ uncore_ha/event=0x1,umask=0xc/
cbo/TOR_INSERTS.MISS_ALL/ uncore_cbox/event=0x35,umask=0xa/
cbo/CLOCKTICKS/ uncore_cbox/event=0x0/
qpi/TxL_FLITS_G0.DATA/ uncore_qpi/event=0x0,umask=0x2/
r3qpi/RING_BL_USED.CW_EVEN/ uncore_r3qpi/event=0x9,umask=0x1/
END
ours=$(cut -d ' ' -f 1 "$work/events" | paste -sd , -) theirs=$(cut -d ' ' -f 2 "$work/events" | paste -sd , -)
"$pmon" stat -p snbep --csv --per-socket --scenario "$scenario" -e "$ours" >"$work/pmon" || exit 1
"$pmon" vm --scenario "$scenario" --log "$work/log" -- perf stat -x ' ' -a -e "$theirs" pmon-step >"$work/out" 2>"$work/perf"
result=$?
if [ $result -eq 3 ]; then cat "$work/perf"; skip "no kernel"; fi
[ $result -eq 0 ] || { cat "$work/perf"; exit 1; }
failed=0 moved=0
while read -r event perf; do
  want=$(awk -F , -v e="$event" '$4 == e && $5 == 0 { print $8 }' "$work/pmon")
  got=$(awk -v e="$perf" '$2 == e { print $1 }' "$work/perf")
  echo "$event $want, perf $got"
  [ -n "$want" ] && [ "$want" = "$got" ] || failed=1
  [ "$want" = 0 ] || moved=$((moved + 1))
done <"$work/events"
[ $failed -eq 0 ] || { echo "perf counts otherwise"; cat "$work/perf"; }
[ $moved -ge 7 ] || { echo "only $moved of the events happened"; failed=1; }
"$pmon" machine replay -p snbep --scenario "$scenario" "$work/log" || failed=1
exit $failed
