#!/bin/sh
# SPDX-License-Identifier: MIT
# Shell-style patterns in place of names: a pattern stands for the names that it matches; without a match it is an error
# that suggests similar names. Usage: patterns.sh PMON
pmon=$(realpath "$1")
. "$(dirname "$(realpath "$0")")/checks.sh"
names() {
  "$pmon" stat "$@" --scenario "$folder/small.scn" --csv >"$folder/csv" 2>"$folder/err" || printf 'FAILED '
  awk -F, 'NR > 1 && $5 == "" { printf "%s ", $4 }' "$folder/csv"
}
encoded() {
  "$pmon" encode "$@" >"$folder/out" 2>&1 || printf 'FAILED '
  sed -n 's/^\([a-z0-9*+-]*\/.*\/\)  .*/\1/p' "$folder/out" | tr '\n' ' '
}

check 'events' 'imc/CAS_COUNT.WR_NONPRE/ imc/CAS_COUNT.WR_PRE/ ' "$(names -e 'imc/CAS_COUNT.WR_*/')"
check 'case' 'imc/CAS_COUNT.WR_NONPRE/ imc/CAS_COUNT.WR_PRE/ ' "$(names -e 'IMC/cas_count.wr_*/')"
check 'a character' 'imc/CAS_COUNT.RD/ imc/CAS_COUNT.WR/ ' "$(names -e 'imc/CAS_COUNT.??/')"
check 'a set' 'imc/CAS_COUNT.RD/ ' "$(names -e 'imc/CAS_COUNT.[a-r][!r]/')"
check 'between names' 'imc/ACT_COUNT.ALL/ imc/CAS_COUNT.WR_PRE/ imc/DCLK/ ' "$(names -e 'imc/ACT_COUNT.ALL/,imc/CAS_COUNT.WR_P*/,imc/DCLK/')"
check 'instances and attributes' 'imc0/CAS_COUNT.WR_NONPRE,thresh=0x1/ imc0/CAS_COUNT.WR_PRE,thresh=0x1/ ' \
  "$(encoded 'imc0/CAS_COUNT.WR_*,thresh=1/' | sed 's/,thresh=1/,thresh=0x1/g')"
check 'without the unit' 'imc/CAS_COUNT.WR_NONPRE/ imc/CAS_COUNT.WR_PRE/ ' "$(encoded 'CAS_COUNT.WR_*')"
check 'units' 'cbo/CLOCKTICKS/ ha/CLOCKTICKS/ pcu/CLOCKTICKS/ ' "$(encoded -p snbep '*/CLOCKTICKS/' | cut -d' ' -f1-3) "
check "names of event files" 'imc/CAS_COUNT.WR_NONPRE/ imc/CAS_COUNT.WR_PRE/ ' "$(encoded 'UNC_M_CAS_COUNT.WR_*')"
check "perf's PMUs" 'imc/CAS_COUNT.RD/ ' "$(encoded 'uncore_imc_*/cas_count_read/')"
check "perf's PMUs without the prefix" 'imc/CAS_COUNT.RD/ imc/CAS_COUNT.WR/ ' \
  "$(encoded '*imc*/cas_count_read/')$(encoded 'imc_*/event=5,umask=0xf0/')"
check "some of perf's PMUs" 'imc0-2/CAS_COUNT.RD/ ' "$(encoded 'uncore_imc_[0-2]/cas_count_read/')"
check "perf's PMUs, patterns of names" 'imc3/CAS_COUNT.RD/ imc3/CAS_COUNT.WR/ ' "$(encoded 'uncore_imc_[3]/CAS_COUNT.??/')"
check "perf's PMUs of free-running counters" 'iio/BW_IN_PORT0/' \
  "$("$pmon" encode 'uncore_iio_free_running_*/bw_in_port0/' | grep '^[a-z]')"
check 'a PMU without a number' 'pcu/CLOCKTICKS/ ' "$(encoded 'uncore_p*/event=1/')"
check 'shared events, of each unit that counts them' \
  'cha/AG0_AD_CRD_ACQUIRED0.TGR0/ m2m/AG0_AD_CRD_ACQUIRED0.TGR0/ m2pcie/AG0_AD_CRD_ACQUIRED0.TGR0/ m3upi/AG0_AD_CRD_ACQUIRED0.TGR0/ ' \
  "$(encoded -p emr 'AG0_AD_CRD_ACQUIRED0.TGR[0]')"
check 'shared events of a unit' 'cha/AG0_AD_CRD_ACQUIRED0.TGR0/ ' "$(encoded -p emr 'cha/AG0_AD_CRD_ACQUIRED0.TGR[0]/')"
check 'attributes that do not fit others' 'cbo/TOR_INSERTS.OPCODE,opc=0x182/ cbo/TOR_INSERTS.MISS_OPCODE,opc=0x182/ ' \
  "$(encoded -p snbep 'cbo/TOR_INSERTS.*,opc=0x182/')"
check 'attributes without a required filter' 'cbo/TOR_INSERTS.WB,tid=3/ ' "$(encoded -p snbep 'cbo/TOR_INSERTS.*,tid=3/' |
  grep -o '[^ ]*WB,tid[^ ]* ' | sed 's/tid_en=0x1,//; s/0x3/3/')"
check 'an event that depends on another' 0 "$("$pmon" -p snbep stat -e 'cbo/*_OCCUPANCY*/' --scenario "$folder/small.scn" --csv 2>&1 |
  grep -c COUNTER0_OCCUPANCY)"
contains 'in a group' 'cbo/COUNTER0_OCCUPANCY/' \
  "$("$pmon" -p snbep stat -e '{cbo/RxR_OCCUPANCY.IRQ/,cbo/COUNTER0_*/}' --scenario "$folder/small.scn" --csv 2>&1)"
contains 'one round' 'cannot count' "$("$pmon" stat -e '{imc/CAS_COUNT.*/}' -- true 2>&1)"
check 'a weak group' 11 "$(names -e '{imc/CAS_COUNT.*/}:W,{imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/}:W' | wc -w)"
check 'a weak group: multiplexed' '' "$(cat "$folder/err")"
contains 'other modifiers of groups' 'groups have no modifier "S"; :W counts' \
  "$("$pmon" stat -e '{imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/}:S' -- true 2>&1)"
check 'metrics' 'DRAM_READ_QUEUE_NS DRAM_WRITE_QUEUE_NS ' "$(names -m 'DRAM_*_QUEUE_NS')"
check 'with its unit before a dot' 'MEM_BW_READS ' "$(names -m 'iMC.MEM_BW_READS')"
check 'with its unit' 'PCT_RD_REQUESTS PCT_WR_REQUESTS ' "$(names -m 'imc/PCT_*_REQUESTS')"
check 'values of a parameter' 'IIO_PART1_MEM_READ_BANDWIDTH IIO_PART2_MEM_READ_BANDWIDTH ' "$(names -m 'IIO_PART[12]_MEM_READ_*')"
check 'all values' 8 "$(names -m 'IIO_PART?_MEM_READ_*' | wc -w)"
check 'an equation multiplies' 'TWICE MEM_BW_TOTAL ' "$(names -m 'TWICE=imc/CAS_COUNT.RD/*2,MEM_BW_T*')"
check 'explain' 'LLC_DRD_PREFETCH_HITS LLC_DRD_PREFETCH_MISSES ' "$("$pmon" explain 'LLC_DRD_PREF*' | sed -n 's/^metric  //p' | tr '\n' ' ')"
contains 'explain events' '1 text  imc/CAS_COUNT.WR_PRE/' "$("$pmon" explain 'imc/CAS_COUNT.WR_*/')"
"$pmon" stat -m 'MEM_BW_*' --record "$folder/db" --scenario "$folder/small.scn" >/dev/null 2>&1
check 'a recording' 'MEM_BW_READS MEM_BW_WRITES ' "$("$pmon" report -m 'MEM_BW_?[ER]*' --csv "$folder/db" |
  awk -F, 'NR > 1 && $5 == "" { printf "%s ", $4 }')"
refused() {   # what, the message's part, the command
  what=$1 part=$2
  shift 2
  output=$("$pmon" "$@" 2>&1)
  check "$what: exit" 2 $?
  contains "$what" "$part" "$output"
}
refused 'no metric' 'no metric matches "MEN_*"; did you mean MEM_' stat -m 'MEN_*' -- true
refused 'no event' 'no event matches "imc/CAZ_*/"; did you mean CAS_COUNT' stat -e 'imc/CAZ_*/' -- true
refused "no event of perf's PMUs" 'no event matches "uncore_imc_*/cas_reads/"' stat -e 'uncore_imc_*/cas_reads/' -- true
refused "some of perf's PMUs of free-running counters" 'no event matches' encode 'uncore_iio_free_running_[0-3]/bw_in_port0/'
refused 'a filter is missing' 'LLC_LOOKUP counts only with the filter state set' stat -p snbep -e 'cbo/LLC_LOOKUP.*/' -- true
refused 'dependent alone' 'depends on the event of counter 0' stat -p snbep -e 'cbo/COUNTER0_*/' -- true
refused 'encode' 'no event matches "imc/CAZ_*/"; did you mean CAS_COUNT' encode 'imc/CAZ_*/'
refused 'nothing near' 'no event matches "zzz/*/"' explain 'zzz/*/'
refused 'an equation without a name' 'no metric matches "imc/CAS_COUNT.RD/*64"; an equation needs a name: NAME=EQUATION' \
  stat -m 'imc/CAS_COUNT.RD/*64' -- true
refused 'without an end' 'no metric matches "MEM_[A"' stat -m 'MEM_[A' -- true
contains 'metrics' 'MEM_BW_READS' "$("$pmon" metrics 'MEM_*')"
contains 'metrics' 'did you mean MEM_' "$("$pmon" metrics 'MEN_*' 2>&1)"
contains 'list' 'did you mean' "$("$pmon" list 'imc/CAZ_*' 2>&1)"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
