#!/bin/sh
# SPDX-License-Identifier: MIT
# `stat` counts an event without a filter as if it were alone, also next to events with filters, or reports why it
# cannot.
# usage: filters.sh PMON
. "$(dirname "$0")/in_folder.sh"

cat >links.scn <<'EOF'
set platform=snbep numa=interleave
thread 0 on core 0: stream read 256K stride 64
thread 1 on core 8: stream modify 256K stride 64
EOF
# value EVENTS EVENT: prints the count of EVENT in socket 0 when EVENTS are measured.
value() {
  "$pmon" -p snbep stat --csv --slice 5us --scenario links.scn -e "$1" >out 2>error || cat error >&2
  awk -v event="$2" 'index($0, "," event ",0,") || index($0, ",\"" event "\",0,") {
    sub(/.*\/"?,0,[a-z]*,,/, ""); sub(/,.*/, ""); print }' out
}

# beside EVENT OTHER: next to OTHER, EVENT counts within 15 percent of what it counts alone, and is multiplexed.
beside() {
  alone=$(value "$1" "$1")
  together=$(value "$1,$2" "$1")
  awk -v a="$alone" -v t="$together" 'BEGIN { exit !(a > 0 && t > 0.85 * a && t < 1.15 * a) }' ||
    fail "$1 counts $alone alone and $together beside $2"
  grep -q "scaled" out || fail "$1 and $2 count in one round"
}
beside 'qpi/CTO_COUNT/' 'qpi/DRS.AnyDataC/'
beside 'cbo/TOR_INSERTS.MISS_ALL,tid_en=0x1/' 'cbo/TOR_INSERTS.MISS_ALL,tid_en=0x1,tid=0x2/'
beside 'ha/ADDR_OPC_MATCH,umask=0x2,opc=0x2/' 'ha/ADDR_OPC_MATCH,umask=0x2/'

# A match without its mask counts as with the full mask; a register written as a whole counts as written, with a
# warning.
classes=$(value qpi/CTO_COUNT,mc=0xe/ qpi/CTO_COUNT,MC=0xe/)
masked=$(value qpi/CTO_COUNT,mc=0xe,mask_mc=0xf/ qpi/CTO_COUNT,MC=0xe,Q_Py_PCI_PMON_PKT_MASK0.MC=0xf/)
all=$(value qpi/CTO_COUNT,match0=0x1c00/ qpi/CTO_COUNT,MC=0xe,Q_Py_PCI_PMON_PKT_MASK0.MC=0x0/)
{ [ "$classes" -gt 0 ] && [ "$classes" = "$masked" ] && [ "$classes" -lt "$all" ]; } ||
  fail "mc=0xe counts $classes, $masked with its mask, $all without"
grep -q 'warning: .*bits whose mask is 0 are not compared' error || fail "match0: $(cat error)"

# The warning about a filter without effect suggests another event: it counts what the filter passes, neither all nor
# nothing.
"$pmon" -p snbep stat --scenario links.scn -e ha/REQUESTS.READS,opc=RdData/ >out 2>error && fail "opc acts on REQUESTS"
advised=$(sed -n 's/.*; use //p' error)
reads=$(value ha/REQUESTS.READS/ ha/REQUESTS.READS/)
matches=$(value "$advised" "$(echo "$advised" | sed 's/opc=RdData/opc=0x2/')")
{ [ "${matches:-0}" -gt 0 ] && [ "$matches" -lt "$reads" ]; } || fail "$advised counts $matches of $reads reads"
grep -q warning error && fail "$advised: $(cat error)"
# An opcode alone is compared together with page 0.
value ha/ADDR_OPC_MATCH.FILT,opc=2/ ha/ADDR_OPC_MATCH.FILT,opc=0x2/ >none
{ [ "$(cat none)" = 0 ] && grep -q 'warning: .*only requests to the page at 0 are counted' error; } ||
  fail "FILT,opc=2 counts $(cat none): $(cat error)"
# A field whose mask is 0 is reported too, where other fields have their masks.
value qpi/CTO_COUNT,match0=0x1c20,mask0=0x1e00/ '' >none
grep -q 'warning: .*bits whose mask is 0 are not compared' error || fail "match0=0x1c20: $(cat error)"
value qpi/CTO_COUNT,match0=0x1c20,mask0=0x1fe0/ '' >none
grep -q warning error && fail "mask0=0x1fe0: $(cat error)"

# refused WORDS EVENTS: EVENTS are refused with a message that contains WORDS.
refused() {
  "$pmon" -p snbep stat --scenario links.scn -e "$2" >out 2>error
  code=$?
  { [ $code -ne 0 ] && grep -qF "$1" error; } || fail "$2: exit code $code, without \"$1\": $(cat error)"
}
refused 'mc does not act on CLOCKTICKS, but on CTO_COUNT; use qpi/CTO_COUNT,mc=0xe/' qpi/CLOCKTICKS,mc=0xe/
refused '; use cbo/TOR_INSERTS.NID_MISS_ALL,nid=my_node/' cbo/TOR_INSERTS.MISS_ALL,nid=my_node/
refused 'NID_MISS_OPCODE, not together with tid; use cbo/TOR_INSERTS.MISS_OPCODE,opc=RFO/' cbo/TOR_INSERTS.MISS_ALL,tid=2,opc=RFO/
refused 'not filtered by state, but by tid; it acts on LLC_LOOKUP: use cbo/LLC_LOOKUP.DATA_READ,state=M/' \
  cbo/TOR_INSERTS.MISS_ALL,state=M/
refused 'use pcu/FREQ_BAND1_CYCLES,filt15_8=20/ instead of pcu/FREQ_BAND0_CYCLES,filt7_0=0x14/, or measure one after' \
  pcu/FREQ_BAND0_CYCLES,filt7_0=12/,pcu/FREQ_BAND0_CYCLES,filt7_0=20/
refused 'use pcu/FREQ_BAND1_CYCLES,filt15_8=20/ instead of pcu/FREQ_BAND0_CYCLES,filt7_0=0x14/' \
  pcu/DEMOTIONS_CORE0/,pcu/FREQ_BAND0_CYCLES,filt7_0=20/
refused 'use pcu/FREQ_BAND2_CYCLES,filt23_16=20/ instead of pcu/FREQ_BAND0_CYCLES,filt7_0=0x14/' \
  pcu/FREQ_BAND1_CYCLES,filt15_8=30/,pcu/FREQ_BAND0_CYCLES,filt7_0=12/,pcu/FREQ_BAND0_CYCLES,filt7_0=20/
four=pcu/FREQ_BAND0_CYCLES,filt7_0=12/,pcu/FREQ_BAND1_CYCLES,filt15_8=13/,pcu/FREQ_BAND2_CYCLES,filt23_16=14/
four=$four,pcu/FREQ_BAND3_CYCLES,filt31_24=15/
refused '; measure one after the other' "$four,pcu/FREQ_BAND0_CYCLES,filt7_0=20/"

# metrics EXPECTED METRICS: the warning or error about a metric that allows one value per session.
metrics() {
  "$pmon" -p snbep stat --scenario links.scn -m "$2" >out 2>error
  grep -E '(takes?|needs?) one (parameter )?value' error >about
  [ "$(cat about)" = "$1" ] || fail "-m $2: $(cat error)"
}
metrics 'pmon stat: PCT_FREQ_BAND0 needs one parameter value per session, 12 to 35: PCT_FREQ_BAND0.23' PCT_FREQ_BAND0
bands='PCT_FREQ_BAND0, PCT_FREQ_BAND1, PCT_FREQ_BAND2 and PCT_FREQ_BAND3'
metrics "pmon stat: $bands each need one parameter value per session, 12 to 35: PCT_FREQ_BAND0.23" 'MEM_*,PCT_FREQ_BAND*'
grep -q '^        ^$' error || fail "no column of PCT_FREQ_BAND*: $(cat error)"
metrics '' 'PCT_FREQ_BAND?.23'
"$pmon" -p snbep stat --scenario links.scn -m PCT_FREQ_BAND0.50 >out 2>error
grep -q 'no metric "PCT_FREQ_BAND0.50"; PCT_FREQ_BAND0 takes 12 to 35' error || fail "BAND0.50: $(cat error)"
left='pmon stat: omitted, because each of them needs one value per session (for example -m PCT_FREQ_BAND0.23): '
metrics "${left}PCT_FREQ_BAND0, PCT_FREQ_BAND1, PCT_FREQ_BAND2, PCT_FREQ_BAND3" 'pcu/*'
metrics "$(echo "$left" | sed 's/BAND0/BAND1/')PCT_FREQ_BAND1, PCT_FREQ_BAND2, PCT_FREQ_BAND3" 'P*,PCT_FREQ_BAND0.20'
metrics "$(echo "$left" | sed 's/BAND0/BAND1/')PCT_FREQ_BAND1, PCT_FREQ_BAND2, PCT_FREQ_BAND3" '*,PCT_FREQ_BAND0.23'
grep -q 'use PCT_FREQ_BAND1.23 instead of PCT_FREQ_BAND0.23, or .* of the metric CASE6_SLOW.* of the metric PCT_FREQ_BAND0.23' error ||
  fail "-m '*,PCT_FREQ_BAND0.23': $(cat error)"
metrics "${left}PCT_FREQ_BAND0, PCT_FREQ_BAND2, PCT_FREQ_BAND3" '*,PCT_FREQ_BAND1.23'
grep -q 'PCT_FREQ_BAND1.23 ' out || fail "-m '*,PCT_FREQ_BAND1.23': $(cat error)"
metrics '' 'MEM_*'
metrics '' PCT_FREQ_BAND0.20,PCT_FREQ_BAND1.24,PCT_FREQ_BAND2.28,PCT_FREQ_BAND3.30
"$pmon" -p snbep show PCT_FREQ_BAND2 >out
grep -q 'needs  *one value per session: PCT_FREQ_BAND2.23' out || fail "show: $(cat out)"

# Empty file names are refused.
empty() {
  "$pmon" "$@" >out 2>error </dev/null
  code=$?
  { [ $code -eq 2 ] && grep -q 'the name of the file is empty' error; } || fail "$*: exit code $code: $(cat error)"
}
empty report ''
empty restore ''
empty diff '' x

exit $((failed > 0))
