#!/bin/sh
# SPDX-License-Identifier: MIT
# Values above the hardware's capability are flagged, and so are sums that contain one; other values are not. The bound
# of memory channels is lowered in a copy of the facts. usage: bounds.sh PMON UNITS SCENARIO
pmon=$(realpath "$1") units=$(realpath "$2") scenario=$(realpath "$3")
T=$(mktemp -d) || exit 2
trap 'rm -rf "$T"' EXIT
passed=0
failed=0

# counts NAME EXPECTED PATTERN FILE: how many lines of the file have the pattern.
counts() {
  n=$(grep -c -e "$3" "$4")
  if [ "$n" = "$2" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: %s lines have "%s", expected %s:\n' "$1" "$n" "$3" "$2"
    cat "$4"
  fi
}

# platform NAME BOUND: writes the facts of emr with this bound for a channel.
platform() {
  awk '/^unit /{on = $2 == "imc"} on' "$units" | sed "s|bound  *bytes/s .*|bound bytes/s $2|" >"$T/$1.unit"
  printf 'platform %s\ntitle lowered\ncite X\nimport emr\nfile %s.unit\n' "$1" "$1" >"$T/$1.platform"
  sed -i '1i cite X' "$T/$1.unit"
}

measure() {
  name=$1
  shift
  timeout 600 "$pmon" stat -p "$T/$name.platform" --scenario "$scenario" --set core.mlp=8 -m MEM_READ_BANDWIDTH,DRAM_PAGE_HIT_RATIO "$@" \
    >"$T/out" 2>&1 </dev/null
}

platform true '16 * CLOCK_HZ(imc)'
measure true --csv
counts plausible 0 implausible "$T/out"
counts values 3 'MEM_READ_BANDWIDTH,.*,bytes/s,' "$T/out"

# Each channel reads about a gigabyte per second, more than this bound: sockets and the total are marked.
platform low '0.001 * CLOCK_HZ(imc)'
measure low --csv
counts beyond 3 'MEM_READ_BANDWIDTH,.*,implausible,' "$T/out"
counts others 3 implausible "$T/out"
measure low --json
counts json 1 '"implausible"' "$T/out"
measure low
counts note 1 'more than the hardware can do, here or in a part of the sum' "$T/out"

# Channels of socket 0 read less than those of socket 1. With a bound in between the total is marked, although it is
# less than the bound of all channels together.
measure true --csv --per-unit
between=$(awk -F, '$4 == "MEM_READ_BANDWIDTH" && $6 == "imc" && $7 != "" {
    if ($5 == 0 && $8 > most) most = $8
    if ($5 == 1 && (!least || $8 < least)) least = $8
  } END { printf "%.0f %d\n", (most + least) / 2, most && 1.05 * most < least }' "$T/out")
echo "$between" >"$T/between"
counts sockets_differ 1 ' 1$' "$T/between"
platform half "${between% *}"
measure half --csv
counts total 2 implausible "$T/out"
counts other_socket 0 'MEM_READ_BANDWIDTH,0,.*implausible' "$T/out"
measure half --csv --per-unit
counts channels 8 'MEM_READ_BANDWIDTH,1,imc,[0-7],.*implausible' "$T/out"
counts other_channels 0 'MEM_READ_BANDWIDTH,0,imc,[0-7],.*implausible' "$T/out"

# The machine's own limits, given by a capture, override the facts: the rate of its memory, and the number of populated
# channels.
"$pmon" -p emr capture --machine --set sockets=2 -o "$T/plain" || exit 1
# captured NAME LINE...: measures the machine of this capture with the lines added.
captured() {
  name=$1
  shift
  printf '%s\n' "$@" >"$T/lines"
  sed -e 's/^pmon-capture 2/pmon-capture 3/' -e "/^package 1 /r $T/lines" "$T/plain" >"$T/$name.capture"
  grep -v '^set sockets' "$scenario" >"$T/scenario"
  timeout 600 "$pmon" stat --capture "$T/$name.capture" --scenario "$T/scenario" --set core.mlp=8 -m MEM_READ_BANDWIDTH,LLC_MISS_RATIO \
    --csv --log "$T/log" >"$T/out" 2>"$T/why" </dev/null
}
captured plain
counts plain 0 implausible "$T/out"
captured rate 'limit ddr - 100000000'
counts rate 3 'MEM_READ_BANDWIDTH,.*,implausible,' "$T/out"
counts rate_others 3 implausible "$T/out"
"$pmon" stat --replay "$T/log" -m MEM_READ_BANDWIDTH,LLC_MISS_RATIO --csv >"$T/out" 2>&1 </dev/null
counts replayed 3 'MEM_READ_BANDWIDTH,.*,implausible,' "$T/out"
"$pmon" stat --capture "$T/rate.capture" --scenario "$T/scenario" --set core.mlp=8 -m MEM_READ_BANDWIDTH --record "$T/rate.pmon" \
  >/dev/null 2>&1 </dev/null
"$pmon" report "$T/rate.pmon" --csv >"$T/out" 2>&1 </dev/null
counts recorded 3 'MEM_READ_BANDWIDTH,.*,implausible,' "$T/out"
cp "$T/rate.pmon" "$T/damaged.pmon"
sqlite3 "$T/damaged.pmon" 'UPDATE machine_limit SET package = 64' 2>/dev/null && {
  "$pmon" report "$T/damaged.pmon" --csv >"$T/out" 2>&1 </dev/null
  counts recorded_damaged 1 'damaged recording: a limit of its machine has no name, or an invalid number' "$T/out"
}
sqlite3 "$T/rate.pmon" 'DROP TABLE machine_limit' 2>/dev/null && {
  "$pmon" report "$T/rate.pmon" --csv >"$T/out" 2>&1 </dev/null
  counts recorded_before 0 implausible "$T/out"
}
captured channels 'limit ddr - 700000000' 'limit channels 0 1' 'limit channels 1 8'
counts channels 2 'MEM_READ_BANDWIDTH,.*,implausible,' "$T/out"
counts channels_of_the_other 0 'MEM_READ_BANDWIDTH,1,.*implausible' "$T/out"
"$pmon" capture --capture "$T/channels.capture" -o "$T/again" && grep '^limit' "$T/again" >"$T/limits"
counts captured_again 3 '^limit' "$T/limits"
captured unknown 'limit ddr 7 1'
counts refused_package 1 'the number of an earlier package, or -' "$T/why"
captured twice 'limit ddr - 1' 'limit ddr - 2'
counts refused_twice 1 'a limit that no earlier line has' "$T/why"

# A channel that counts nothing while the others count is marked, and so is the sum; where most channels count nothing,
# none is marked.
echo 'thread 0 on core 0: sleep 100us' >"$T/silent.scn"
for n in 0 1 2 3 4 6 7; do echo "inject imc$n CAS_COUNT.RD_REG 2000"; done >>"$T/silent.scn"
silent() {
  timeout 600 "$pmon" -p emr stat --set sockets=1 --scenario "$T/silent.scn" -m MEM_READ_VOLUME "$@" >"$T/out" 2>&1 </dev/null
}
silent --csv
counts silent_sum 1 'MEM_READ_VOLUME,.*,silent,' "$T/out"
silent --csv --per-unit
counts silent_channel 1 'MEM_READ_VOLUME,0,imc,5,.*,silent,' "$T/out"
counts silent_others 1 silent "$T/out"
silent
counts silent_note 1 'counted nothing while its neighbours did' "$T/out"
echo 'inject imc5 CAS_COUNT.RD_REG 1' >>"$T/silent.scn"
silent --csv
counts not_silent 0 silent "$T/out"
printf 'thread 0 on core 0: sleep 100us\ninject imc5 CAS_COUNT.RD_REG 2000\n' >"$T/silent.scn"
silent --csv
counts alone 0 silent "$T/out"

# A silent link between sockets is marked likewise.
echo 'thread 0 on core 0: sleep 100us' >"$T/silent.scn"
for n in 0 1 3; do echo "inject upi$n TxL_FLITS.ALL_DATA 9000"; done >>"$T/silent.scn"
timeout 600 "$pmon" -p emr stat --scenario "$T/silent.scn" -m UPI_DATA_SENT_BANDWIDTH --csv --per-unit >"$T/out" 2>&1 </dev/null
counts silent_link 1 'UPI_DATA_SENT_BANDWIDTH,0,upi,2,.*,silent,' "$T/out"
counts other_links 1 silent "$T/out"

# A stack without traffic is not marked: most servers have some.
echo 'thread 0 on core 0: sleep 100us' >"$T/silent.scn"
for n in 0 1 2 4 5 6 7 8 9; do echo "inject iio$n DATA_REQ_OF_CPU.MEM_READ.PART0 9000"; done >>"$T/silent.scn"
timeout 600 "$pmon" -p emr stat --set sockets=1 --scenario "$T/silent.scn" -m IIO_PART0_MEM_READ_BANDWIDTH --csv --per-unit >"$T/out" 2>&1 </dev/null
counts idle_stack 1 'IIO_PART0_MEM_READ_BANDWIDTH,0,iio,3,0,' "$T/out"
counts busy_stacks 9 'IIO_PART0_MEM_READ_BANDWIDTH,0,iio,[0-9],[1-9]' "$T/out"
counts idle_unmarked 0 silent "$T/out"

# Bounds consist of numbers, clocks and limits.
platform wrong 'CAS_COUNT.RD'
measure wrong
counts refused 1 'expected only CLOCK_HZ(unit), LIMIT(name) and numbers' "$T/out"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
