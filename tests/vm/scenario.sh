#!/bin/sh
# SPDX-License-Identifier: MIT
# One scenario measured twice, by `pmon stat` and by perf in a guest: the counts are equal. And the log of the guest's
# accesses, replayed on a fresh machine without a guest, gets the same answers. Usage: scenario.sh PMON SCENARIO [OPTION
# OF pmon vm...]
pmon=$1 scenario=$2 what="no scenario was measured in a guest"
shift 2
. "$(dirname "$0")/guest.sh"
need qemu-system-x86_64 busybox perf xz
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
"$pmon" vm --timeout 900 "$@" --scenario "$scenario" --log "$work/log" -- perf stat -x ' ' -a -e "$theirs" pmon-step >"$work/out" 2>"$work/perf"
booted $? "$work/perf"
join_counts "$work/pmon" "$work/perf" <"$work/events" >"$work/counts"
compare <"$work/counts"
[ $failed -eq 0 ] || { echo "perf counts otherwise"; cat "$work/perf"; }
[ $moved -ge 7 ] || { echo "only $moved of the events happened"; failed=1; }
"$pmon" machine replay -p snbep --scenario "$scenario" "$work/log" || failed=1
exit $failed
