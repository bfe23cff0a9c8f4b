#!/bin/sh
# SPDX-License-Identifier: MIT
# Montecito's address ranges and opcode matches as attributes of events (3.3.5 to 3.3.7): their counts on a hand-written
# stream, according to the programming rules, and the registers' contents afterwards. Usage: ranges.sh PMON
set -u
pmon=$1 failed=0
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cat >"$folder/stream" <<'END'
timing explicit
b 0x1000 mii nop@5 nop nop
b 0x1010 mii chka,fail nop nop
b 0x2000 mii nop nop nop
b 0x2010 mii ld=0x100000,l2,tlb2 nop nop
b 0x1020 mii ld=0x200000,l2 nop nop tlb2
stall exe.gr 100
END

# The value in the last row of CSV. Event names contain commas, so that columns are counted from the end.
last_value() {
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "value") back = NF - i } END { print $(NF - back) }'
}

# count EXPECTED EVENT
count() {
  for check in "" --check; do
    is=$("$pmon" stat -p montecito $check --csv -e "$2" --log "$folder/log" --bundles "$folder/stream" 2>"$folder/err" |
      last_value)
    [ "$is" = "$1" ] || { echo "$2 $check counted '$is', expected $1"; cat "$folder/err"; failed=1; }
  done
  "$pmon" machine check -p montecito "$folder/log" | grep -q " 0 violations, 0 advisories" ||
    { echo "$2: rules violated"; "$pmon" machine check -p montecito "$folder/log" | head -3; failed=1; }
}
page=IBR1.mask=0xfffffffffff000
count 15 IA64_INST_RETIRED
count 9 "pmu/IA64_INST_RETIRED,IBR0.addr=0x1000,$page/"
count 6 "pmu/IA64_INST_RETIRED,IBR0.addr=0x1000,$page,PMC32.inv=1/"
count 6 "pmu/IA64_INST_RETIRED,IBR0.addr=0x1000,IBR4.addr=0x1fff,PMC38.fine=1/"
count 1 "pmu/IA64_TAGGED_INST_RETIRED.IBRP0_PMC32_33,PMC33.match=5/"
count 14 "pmu/IA64_TAGGED_INST_RETIRED.IBRP1_PMC34_35,PMC35.match=0/"
count 9 "pmu/IA64_TAGGED_INST_RETIRED.IBRP3_PMC34_35,IBR6.addr=0x1000,IBR7.mask=0xfffffffffff000/"
count 2 DATA_REFERENCES_SET0
count 1 "pmu/DATA_REFERENCES_SET0,IBR0.addr=0x1000,$page/"
count 1 "pmu/DATA_REFERENCES_SET0,DBR0.addr=0x100000,DBR1.mask=0xfffffffffff000/"
count 0 "pmu/DATA_REFERENCES_SET0,DBR0.addr=0x100000,IBR0.addr=0x1000,$page/"
count 1 "pmu/DATA_REFERENCES_SET0,DBR0.addr=0x100000,IBR0.addr=0x2000,$page/"
# Every pair of DBRs accepts events, alone or together with a range of instructions.
for pair in 0 1 2 3; do
  low=DBR$((2 * pair)).addr mask=DBR$((2 * pair + 1)).mask=0xfffffffffff000
  count 1 "pmu/DATA_REFERENCES_SET0,$low=0x100000,$mask/"
  count 0 "pmu/DATA_REFERENCES_SET0,$low=0x300000,$mask/"
  count 0 "pmu/DATA_REFERENCES_SET0,$low=0x100000,IBR0.addr=0x1000,$page/"
  count 1 "pmu/DATA_REFERENCES_SET0,$low=0x200000,IBR0.addr=0x1000,$page/"
done
# Two pairs: both ranges count, although the guide advises against it.
is=$("$pmon" stat -p montecito --csv -e pmu/DATA_REFERENCES_SET0,DBR0.addr=0x100000,DBR4.addr=0x200000/ \
  --bundles "$folder/stream" | last_value)
[ "$is" = 2 ] || { echo "two pairs of DBRs counted '$is', expected 2"; failed=1; }
# The event address registers and the trace buffer count without further attributes, too.
count 1 DATA_EAR_EVENTS
count 2 L1I_EAR_EVENTS
count 2 ETB_EVENT
count 1 "pmu/DATA_EAR_EVENTS,DBR2.addr=0x100000,DBR3.mask=0xfffffffffff000/"
count 1 "pmu/DATA_EAR_EVENTS,IBR0.addr=0x1000,$page/"
count 0 "pmu/DATA_EAR_EVENTS,IBR0.addr=0x3000,$page/"
# Two events that configure the register differently count in different rounds.
"$pmon" stat -p montecito -e DATA_EAR_EVENTS,pmu/DATA_EAR_EVENTS,PMC40.mode=TLB,PMC40.umask=0xe/ --dry-run \
  --generate loops:10 >"$folder/out" 2>&1
grep -q 'in 2 rounds\|round 2' "$folder/out" || { echo "two configurations of PMC40 in one round"; cat "$folder/out"; failed=1; }
# Samples of an address range: the period counts accesses in the range, and the samples are in it.
for pair in 0 3; do
  "$pmon" -p montecito sample --csv --source dcache=16 -c 10 --generate chase:20000 -e \
    pmu/DATA_EAR_EVENTS,DBR$((2 * pair)).addr=0x6000000000000000,DBR$((2 * pair + 1)).mask=0xfffffffe000000/ \
    >"$folder/out" 2>"$folder/err" || { cat "$folder/err"; failed=1; }
  awk -F, 'NR > 1 { n++; marked += $NF == "EMULATED\r"; bad += length($7) != 18 || $7 >= "0x6000000002000000" }
    END { exit !(n > 300 && !bad && marked == n) }' "$folder/out" ||
    { echo "samples of data range $pair"; head -3 "$folder/out"; failed=1; }
done
count 1 "pmu/DATA_EAR_EVENTS,PMC40.mode=ALAT/"
count 1 "pmu/DATA_EAR_EVENTS,PMC40.mode=TLB,PMC40.umask=0x2/"
count 1 "pmu/L1I_EAR_EVENTS,PMC37.ct=TLB,PMC37.umask=1/"

# 4.6: the shares of the cycles are counted together, and add up to all of them.
cycles=CYCLES_RETIRING,CYCLES_EXCEPTION_FLUSH,CYCLES_BRANCH_FLUSH,CYCLES_DATA_FPU,CYCLES_EXECUTION,CYCLES_RSE,CYCLES_FRONT_END
for program in loops calls chase stream branches mixed; do
  "$pmon" stat -p montecito -m $cycles --csv --generate $program:20000 |
    awk -F, 'NR > 1 && $5 == "0" { sum += $8; n++; part += $13 != 1 }
      END { exit !(n == 7 && !part && sum > 0.999999 && sum < 1.000001) }' || { echo "$program: $cycles"; failed=1; }
done
exit $failed
