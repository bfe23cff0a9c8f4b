#!/bin/sh
# SPDX-License-Identifier: MIT
# The last lines of `pmon explain`: what one count means. Usage: explain_count.sh PMON
set -u
pmon=$1
bad=0 work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
echo 'thread 0 on core 0: sleep 1us' >"$work/short.scn"
# run ARGUMENTS...: the output of a pmon that succeeds is in the file `out`
run() { "$pmon" "$@" >"$work/out" 2>&1 || { echo "explain_count: pmon $*: $(cat "$work/out")" >&2; bad=1; }; }
# means PLATFORM EVENT TEXT: `pmon explain` describes one count of EVENT by TEXT.
means() {
  run -p "$1" explain "$2"
  is=$(sed '1,/^5 count/d' "$work/out" | tr -s ' \n' ' ')
  case $is in
  *"$3"*) ;;
  *) echo "explain_count: $1 $2: \"$is\" has no \"$3\"" >&2; bad=1 ;;
  esac
}
means emr cha/CLOCKTICKS/ 'one count one cycle of uclk '
means emr imc/RPQ_CYCLES_NE.PCH0/ 'one cycle of dclk in which the condition is true'
means emr imc/CAS_COUNT.RD/ 'one count one occurrence'
means emr iio/DATA_REQ_OF_CPU.MEM_READ.PART0/ 'one count 4 bytes'
means emr iio/BW_IN_PORT0/ 'one count 32 bytes'
means emr imc/DCLK/ 'one count one cycle of dclk '
means emr cha/TOR_OCCUPANCY.IA_MISS_DRD/ 'one entry during one cycle of uclk; the count divided by the cycles is the mean number of entries'
means snbep cbo/COUNTER0_OCCUPANCY/ 'one entry during one cycle of uclk'
means emr imc/RPQ_CYCLES/ 'one cycle of dclk in which the condition is true'
means emr iio/IOMMU3.PWT_OCCUPANCY_MSB/ 'in which the condition is true'
means montecito FE_LOST_BW.ALL 'one of up to 2 in one cycle of core'
means montecito FE_BUBBLE.ALL 'one cycle of core in which the condition is true'
means montecito RSE_DIRTY_REGS_6 'one count one occurrence'
means montecito THREAD_SWITCH_STALL.GTE_8 'one count one occurrence'
means emr cha/TOR_OCCUPANCY.IA_MISS_DRD,thresh=4/ 'one cycle of uclk in which the event adds 4 or more uncompared one entry during'
means emr imc/RPQ_OCCUPANCY_PCH0,thresh=4,invert=1/ 'one cycle of dclk in which the event adds less than 4, including 0'
means emr imc/RPQ_OCCUPANCY_PCH0,thresh=4,edge_det=1/ 'the first cycle of dclk of a period in which the event adds 4 or more'
means emr cha/CLOCKTICKS,thresh=3/ 'warning the count stays 0: the event adds at most 1 in a cycle, so it never reaches 3'
means snbep cbo/CLOCKTICKS,thresh=3/ 'warning the count stays 0: the event adds at most 1 in a cycle'
means snbep cbo/TOR_OCCUPANCY.ALL,thresh=25,invert=1/ 'warning every cycle counts: the event adds at most 20 in a cycle'
means snbep pcu/POWER_STATE_OCCUPANCY.CORES_C0,thresh=5,occ_edge_det=1/ 'the first cycle of pclk of a period in which the event adds 5 or more'
means montecito pmu/IA64_INST_RETIRED,threshold=3/ 'one cycle of core in which the event adds 4 or more uncompared one occurrence'
# The same warning appears when the event is encoded or measured, and is absent where the threshold can be reached.
warns() {   # PLATFORM EVENT yes|no
  encoded=no measured=no
  run -p "$1" encode "$2"
  tr -s ' \n' ' ' <"$work/out" | grep -q 'warning the count stays 0: the event adds at most' && encoded=yes
  run stat -p "$1" --backend machine --scenario "$work/short.scn" -e "$2"
  grep -q '^pmon stat: warning: .*the count stays 0: the event adds at most' "$work/out" && measured=yes
  [ "$encoded $measured" = "$3 $3" ] || { echo "explain_count: $1 $2: encode $encoded, stat $measured, not $3" >&2; bad=1; }
}
warns emr cha/CLOCKTICKS,thresh=3/ yes
# Cases 5 and 6 of the guide's Table 2-80: an occupancy is compared, and another event counts while the comparison
# holds.
means snbep 'pcu/VOLT_TRANS_CYCLES_CHANGE,ev_sel=0x83,occ_sel=1,thresh=5/' \
  'one cycle of pclk in which the event adds 1 or more while the selected occupancy is at least 5'
# Core occupancy has an inversion and an edge detection of its own, which do not act on other events (Table 2-75).
means snbep 'pcu/FREQ_BAND0_CYCLES,ev_sel=0x8b,occ_sel=1,thresh=4,invert=1,occ_invert=1,filt7_0=0x14/' \
  'one cycle of pclk in which the event adds nothing while the selected occupancy is below 4'
means snbep 'pcu/VOLT_TRANS_CYCLES_CHANGE,ev_sel=0x83,occ_sel=1,thresh=5,occ_edge_det/' \
  'the first cycle of pclk of a period in which the event adds 1 or more while the selected occupancy is at least 5'
means snbep pcu/POWER_STATE_OCCUPANCY.CORES_C0,thresh=5,edge/ 'one count one cycle of pclk in which the event adds 5 or more'
means snbep pcu/POWER_STATE_OCCUPANCY.CORES_C0,thresh=5,inv/ 'one count one cycle of pclk in which the event adds 5 or more'
means snbep pcu/VOLT_TRANS_CYCLES_CHANGE,thresh=1,occ_edge_det/ 'one count one cycle of pclk in which the event adds 1 or more'
means snbep pcu/VOLT_TRANS_CYCLES_CHANGE,thresh=1,occ_invert/ 'one count one cycle of pclk in which the event adds 1 or more'
warns snbep 'pcu/VOLT_TRANS_CYCLES_CHANGE,ev_sel=0x83,occ_sel=1,thresh=5/' no
warns snbep 'pcu/FREQ_BAND0_CYCLES,ev_sel=0x8b,occ_sel=1,thresh=4,invert=1,occ_invert=1,filt7_0=0x14/' no
warns snbep imc/ACT_COUNT,thresh=3/ yes
warns snbep cbo/TOR_OCCUPANCY.ALL,thresh=25/ yes # only counter 0 counts it
warns snbep cbo/TOR_OCCUPANCY.ALL,thresh=20/ no
warns snbep imc/ACT_COUNT/ no
# A row that only narrows others counts nothing without them: each such row is known, no other row counts as one, and
# stat and explain warn.
without='counts nothing without'
for platform in emr spr snbep montecito; do
  "$pmon" -p $platform machine coverage | awk '/ 0 by itself: / {print $1 "/" $2 "/"}' | sort >"$work/alone"
  "$pmon" -p $platform list --json | sed 's/.*"name":"\([^"]*\)".*/\1/' >"$work/rows"
  # shellcheck disable=SC2046 # one word each
  "$pmon" -p $platform encode $(cat "$work/rows") 2>/dev/null |
    awk -v without="$without" '/^[a-z0-9]+\// {row = $1} $0 ~ "violation.*" without {print row}' | sort >"$work/warned"
  cmp -s "$work/alone" "$work/warned" ||
    { echo "explain_count: $platform: rows without a count alone differ from those with a warning:" >&2
      diff "$work/alone" "$work/warned" >&2; bad=1; }
done
[ -s "$work/rows" ] || { echo "explain_count: no rows" >&2; bad=1; }
for event in upi/RxL_FLITS.DATA/ upi/RxL_ANY_FLITS.DATA/ cha/TOR_INSERTS.MMIO/ cha/LLC_LOOKUP.RFO_F/ irp/SNOOP_RESP.SNPINV/; do
  run stat --backend machine --scenario "$work/short.scn" -e "$event"
  grep -q "^pmon stat: warning: $event: .*$without" "$work/out" ||
    { echo "explain_count: stat does not warn of $event" >&2; bad=1; }
  run explain "$event"
  grep -q "violation .*$without" "$work/out" || { echo "explain_count: explain does not warn of $event" >&2; bad=1; }
done
exit $bad
