#!/bin/sh
# SPDX-License-Identifier: MIT
# `stat` counts an event that asks for no filter as if it were alone, beside events that ask for one, or says why it cannot.
# usage: filters.sh PMON
pmon=$(realpath "$1")
T=$(mktemp -d) || exit 2
trap 'rm -rf "$T"' EXIT
cd "$T" || exit 2
failed=0

fail() {
  failed=$((failed + 1))
  echo "$@"
}
cat >links.scn <<'EOF'
set platform=snbep numa=interleave
thread 0 on core 0: stream read 256K stride 64
thread 1 on core 8: stream modify 256K stride 64
EOF
# value EVENTS EVENT: what EVENT counts in socket 0.
value() {
  "$pmon" -p snbep stat --csv --slice 5us --scenario links.scn -e "$1" >out 2>error || cat error >&2
  awk -v event="$2" 'index($0, "," event ",0,") || index($0, ",\"" event "\",0,") {
    sub(/.*\/"?,0,[a-z]*,,/, ""); sub(/,.*/, ""); print }' out
}

# beside EVENT OTHER: within 15 percent of what it counts alone, and not exactly the whole.
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

# refused WORDS EVENTS: with these words.
refused() {
  "$pmon" -p snbep stat --scenario links.scn -e "$2" >out 2>error
  code=$?
  { [ $code -ne 0 ] && grep -qF "$1" error; } || fail "$2: exit code $code, without \"$1\": $(cat error)"
}
refused 'MC does not act on this event: it acts on those with ev_sel=0x38 ev_sel_ext=1' qpi/CLOCKTICKS,mc=0xe/
refused 'nid_relative does not act on this event' cbo/TOR_INSERTS.MISS_ALL,nid=my_node/
refused 'measure one after the other' pcu/FREQ_BAND0_CYCLES,filt7_0=12/,pcu/FREQ_BAND0_CYCLES,filt7_0=20/

exit $((failed > 0))
