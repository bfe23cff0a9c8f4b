#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian's pcm and likwid in a guest of two sockets, beside perf and pmon: in sequence, each measures 10 us of a
# scenario, and must have the counts of `pmon stat` for that interval. Usage: tools.sh PMON SCENARIO
pmon=$1 scenario=$2 what="neither pcm nor likwid was tried in a guest"
. "$(dirname "$0")/guest.sh"
need qemu-system-x86_64 busybox perf xz pcm-raw pcm-memory pcm-power likwid-perfctr
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
{ tool_step; cat <<'END'; } >"$work/script"
E=uncore_imc_0/event=4,umask=3/,uncore_imc_1/event=4,umask=3/,uncore_imc_2/event=4,umask=3/,uncore_imc_3/event=4,umask=3/
E=$E,uncore_imc_0/clockticks/,uncore_cbox_0/event=0x35,umask=0xa/,uncore_qpi_0/event=0,umask=2/
perf stat -x ' ' -o /tmp/perf -a --per-socket -e $E pmon-step 10000
sed 's/^/perf /' /tmp/perf
export PCM_NO_PERF=1 PCM_IGNORE_ARCH_PERFMON=1
pcm-raw 1000 -i=1 -e imc/config=0x304,name=CAS/ -e imc/fixed,name=DCLK/ -e cha/config=0xa35,name=MISS/ \
  -e xpi/config=0x200,name=DATA/ -- sh /tmp/step 10000 wake >/tmp/pcm 2>&1
sed 's/^/pcm /' /tmp/pcm
G=CAS_COUNT_RD:MBOX0C0,CAS_COUNT_RD:MBOX1C0,CAS_COUNT_RD:MBOX2C0,CAS_COUNT_RD:MBOX3C0,DRAM_CLOCKTICKS:MBOX0FIX
G=$G,TOR_INSERTS_MISS_ALL:CBOX0C0,TXL_FLITS_G0_DATA:SBOX0C0
likwid-perfctr -M 0 -f -O -c 0,1 -g $G sh /tmp/step 10000 | sed 's/^/likwid /'
likwid-perfctr -M 0 -f -O -c 0,1 -g MEM sh /tmp/step 10000 | sed 's/^/MEM /'
pmon stat --backend direct --csv --per-unit -e imc/CAS_COUNT.RD/,imc/CLOCKTICKS/,cbo/TOR_INSERTS.MISS_ALL/,qpi/TxL_FLITS_G0.DATA/ \
  -o /tmp/pmon pmon-step 10000
sed 's/^/pmon /' /tmp/pmon
pcm-memory 1000 -i=1 -csv -- sh /tmp/step 10000 wake 2>&1 | sed 's/^/memory /'
pcm-power 1000 -i=1 -- sh /tmp/step 10000 wake 2>&1 | sed 's/^/power /'
END
# The clock advances by instructions, so that a tool that reads every second of the guest's clock does not wake exactly
# when time advances.
"$pmon" vm --timeout 1800 --instruction-ns 4 --sockets 2 --scenario "$scenario" --log "$work/log" --with pcm-raw \
  --with pcm-memory --with pcm-power --with likwid-perfctr -- sh -c "$(cat "$work/script")" >"$work/out" 2>"$work/errors"
booted $? "$work/out" "$work/errors"
"$pmon" stat -p snbep -I 0.01 --csv --per-unit --scenario "$scenario" \
  -e imc/CAS_COUNT.RD/,imc/CLOCKTICKS/,cbo/TOR_INSERTS.MISS_ALL/,qpi/TxL_FLITS_G0.DATA/ >"$work/intervals" || exit 1
sed 's/^/want /' "$work/intervals" | cat "$work/out" - | awk -f "$(dirname "$0")/tools.awk" >"$work/counts"
# Joins each count with its expected value.
awk '$2 == "want" { want[$1, $3, $4, $5] = $6; next } { got[$0] }
     END { for (line in got) { $0 = line; print $2 ":" $3 ":socket" $4 ":" $5, want[$1, $3, $4, $5], $6 } }' \
  "$work/counts" | sort >"$work/beside"
off=imc/POWER_CKE_CYCLES.RANK
"$pmon" stat -p snbep -I 0.01 --csv --per-unit --scenario "$scenario" \
  -e imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/,imc/CAS_COUNT.RD_UNDERFILL/ >"$work/memory" || exit 1
"$pmon" stat -p snbep -I 0.01 --csv --per-unit --scenario "$scenario" \
  -e "${off}0,inv,thresh=1/,${off}0,edge,thresh=1/,${off}1,inv,thresh=1/,${off}1,edge,thresh=1/,imc/CLOCKTICKS/" \
  -e qpi/CLOCKTICKS/,qpi/TxL0P_POWER_CYCLES/,qpi/L1_POWER_CYCLES/,pcu/CLOCKTICKS/,pcu/FREQ_BAND0_CYCLES,band0=12/ \
  -e pcu/FREQ_BAND1_CYCLES,band1=20/,pcu/FREQ_BAND2_CYCLES,band2=40/ >"$work/power" || exit 1
cat "$work/memory" "$work/power" | sed 's/^/want /' | cat - "$work/out" | awk -f "$(dirname "$0")/rates.awk" |
  sort >>"$work/beside"
compare <"$work/beside"
[ $failed -eq 0 ] || { echo "not all count the same"; cat "$work/out" "$work/errors"; }
while read -r tool n; do
  found=$(grep -c "^$tool:" "$work/beside")
  [ "$found" -ge "$n" ] || { echo "$tool: $found counts, and not $n"; cat "$work/out" "$work/errors"; failed=1; }
done <<END
perf 14
pcm 22
likwid 14
MEM 8
pmon 36
memory 28
power 82
END
[ "$moved" -ge 195 ] || { echo "only $moved of the counts are more than nothing"; failed=1; }
"$pmon" machine replay -p snbep --scenario "$scenario" "$work/log" || failed=1
exit $failed
