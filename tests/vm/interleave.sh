#!/bin/sh
# SPDX-License-Identifier: MIT
# perf multiplexes seven events on the four counters of a memory channel: in one step of machine time, some of them
# never count; with `pmon-step --interleave`, each has a value close to pmon's. A step is a 200th of the scenario's
# time: writes begin late and come in batches of dozens, of which each event must observe hundreds.
# Usage: interleave.sh PMON
pmon=$1 what="nothing was multiplexed in a guest"
. "$(dirname "$0")/guest.sh"
need qemu-system-x86_64 busybox perf xz
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf '%s\n' 'set llc.size=320K l2.size=64K' 'thread 0 on core 0: random modify 64M count 400k shared all' >"$work/scenario"
ours= theirs=
while read -r event code; do
  ours=$ours${ours:+,}imc0/$event/ theirs=$theirs${theirs:+,}uncore_imc_0/$code/
done <<'END'
CAS_COUNT.RD event=0x4,umask=0x3
CAS_COUNT.WR event=0x4,umask=0xc
CAS_COUNT.ALL event=0x4,umask=0xf
ACT_COUNT event=0x1
PRE_COUNT.PAGE_MISS event=0x2,umask=0x1
RPQ_INSERTS event=0x10
WPQ_INSERTS event=0x20
END
"$pmon" stat -p snbep --csv --per-socket --scenario "$work/scenario" -e "$ours" >"$work/pmon" || exit 1
"$pmon" vm --timeout 900 --instruction-ns 4 --scenario "$work/scenario" -- sh -c "
perf stat -x ' ' -a -e $theirs pmon-step
pmon-step --interleave; echo usage \$?" >"$work/out" 2>"$work/once"
booted $? "$work/once"
step=$(awk -F , '$5 == 0 { ns = $2 * 1e9 } END { printf "%d", ns / 200 }' "$work/pmon")
[ "$step" -gt 0 ] || { echo "the scenario takes no time"; exit 1; }
"$pmon" vm --timeout 900 --instruction-ns 4 --scenario "$work/scenario" -- \
  perf stat -x ' ' -a -e "$theirs" pmon-step --interleave "$step" >"$work/out2" 2>"$work/many"
booted $? "$work/many"
cat "$work/once" "$work/many"
grep -q '^usage 2$' "$work/out" || { echo "pmon-step takes --interleave without a number"; exit 1; }
awk -F , '$5 == 0 && $4 ~ /^imc0/ { print $8 }' "$work/pmon" >"$work/truth"
off() {   # of perf's counts: how many are off by more than 5 % of what pmon counts
  awk '$2 ~ /^uncore_imc_0/ { print $1 }' "$1" | paste "$work/truth" - | awk -v what="$2" '
  { off = $1 > $2 ? $1 - $2 : $2 - $1; print "pmon counts", $1 ", perf " what, $2 >"/dev/stderr"; if (off > $1 * 0.05) n++ }
  END { print n + 0, NR }'
}
[ "$(off "$work/many" 'in many steps')" = "0 7" ] || { echo "with small steps perf is off by more than 5 %"; exit 1; }
[ "$(off "$work/once" 'in one step')" != "0 7" ] || { echo "perf is right in one step: nothing was multiplexed"; exit 1; }
